//===- Notes.cpp - what is said about a line that is fine -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Notes.h"

#include <cstdio>

using namespace conv::tools;

void Notes::add(const Notes &line) {
  for (const auto &[flag, count] : line.withoutEffect)
    withoutEffect[flag] += count;
  for (const auto &[text, count] : line.others)
    others[text] += count;
}

static std::string countLines(int64_t count, bool ofList) {
  if (!ofList)
    return "";
  return " (" + std::to_string(count) + (count == 1 ? " line)" : " lines)");
}

void Notes::print(bool ofList) const {
  std::string flags;
  for (const auto &[flag, count] : withoutEffect)
    flags += (flags.empty() ? "" : ", ") + flag + countLines(count, ofList);
  if (!flags.empty())
    std::fprintf(stderr, "conv-gen: note: without effect on the problem: %s\n",
                 flags.c_str());
  for (const auto &[text, count] : others)
    std::fprintf(stderr, "conv-gen: note: %s%s\n", text.c_str(),
                 countLines(count, ofList).c_str());
}
