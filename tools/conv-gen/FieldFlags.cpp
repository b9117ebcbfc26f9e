//===- FieldFlags.cpp - the flags of a problem's fields ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library does not know who describes a problem: it names fields, as the C
// API and Python do.
//
//===----------------------------------------------------------------------===//

#include "FieldFlags.h"

#include <utility>

using namespace conv;

static constexpr std::pair<const char *, const char *> kFlags[] = {
    {"bias", "--bias"},
    {"exact", "--exact"},
    {"filter_layout", "--fil_layout"},
    {"groups", "--group_count"},
    {"initial_state", "--initial_state"},
    {"input_layout", "--in_layout"},
    {"output_layout", "--out_layout"},
    {"promoted", "--promoted"},
    {"result_dtype", "--out_dtype"},
};

Error tools::nameFlag(const Error &error) {
  for (auto [field, flag] : kFlags)
    if (std::string start = std::string(field) + ": ";
        error.message.starts_with(start))
      return {error.kind, flag + (" " + error.message.substr(start.size()))};
  return error;
}
