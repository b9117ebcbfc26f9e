//===- TransformRoundings.cpp - roundings of transforms -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Numerics/TransformRoundings.h"

#include <algorithm>
#include <cmath>

using namespace conv;

/// Elements of transforms are quotients of small integers, and those that are
/// f32 are multiples of 2^-12. 1/6 and 1/24 are not, nor are the nearest f32.
static bool isExact(double element) {
  double scaled = std::ldexp(element, 12);
  return scaled == std::floor(scaled);
}

static bool isPowerOf2(double element) {
  int exponent;
  return std::fabs(std::frexp(element, &exponent)) == 0.5;
}

static bool isTerm(double element) { return element != 0; }

int64_t conv::countTransformOperations(const TransformRow &row) {
  bool isRounded = !std::all_of(row.begin(), row.end(), isExact);
  return std::count_if(row.begin(), row.end(), isTerm) + isRounded;
}

int64_t conv::countTransformRoundings(const TransformRow &row) {
  auto first = std::find_if(row.begin(), row.end(), isTerm);
  return countTransformOperations(row) -
         (first != row.end() && isPowerOf2(*first));
}
