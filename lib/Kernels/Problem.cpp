//===- Problem.cpp - arithmetic on a problem --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of sizes are floating point: they are used only to rank and explain,
// and the bytes of a tensor may come close to 2^63.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Problem.h"

#include <numeric>

using namespace conv;

double Problem::averageShare() const {
  if (shares.empty())
    return 1;
  return std::accumulate(shares.begin(), shares.end(), 0.0) /
         double(shares.size());
}

double Problem::flops() const {
  return 2.0 * static_cast<double>(products) * static_cast<double>(batch) *
         static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(reduction);
}
