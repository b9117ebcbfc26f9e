//===- Options.cpp - a convolution to be written ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Generate/Options.h"

#include <algorithm>

using namespace conv;

bool conv::usesPaddingSizes(const GenOptions &options) {
  auto isUsual = [&](const PerDimension &values) {
    return std::all_of(values.end() - options.spatialRank, values.end(),
                       [](int64_t value) { return value == 1; });
  };
  return options.paddingSizes != "default" && options.mode == "conv" &&
         (isUsual(options.dilation) || isUsual(options.filter));
}
