//===- Problem.cpp - arithmetic on a problem ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of sizes are formed in floating point: they only rank and explain,
// and the bytes of a tensor may come close to 2^63.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Problem.h"

using namespace conv;

static double product(int64_t a, int64_t b, int64_t c, int64_t d) {
  return static_cast<double>(a) * static_cast<double>(b) *
         static_cast<double>(c) * static_cast<double>(d);
}

double Problem::inputBytes() const {
  return product(n, h, w, c) * static_cast<double>(byteSize(operand));
}

double Problem::filterBytes() const {
  return product(k, r, s, c) * static_cast<double>(byteSize(operand));
}

double Problem::outputBytes() const {
  return product(n, p, q, k) * static_cast<double>(byteSize(result));
}

double Problem::flops() const {
  return 2 * product(n, p, q, k) * static_cast<double>(gemmK());
}

double Problem::compulsoryBytes() const {
  return inputBytes() + filterBytes() + outputBytes() +
         static_cast<double>(tailBytes);
}
