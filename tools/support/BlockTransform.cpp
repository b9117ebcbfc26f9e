//===- BlockTransform.cpp - transforms of blocks, in order ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTransform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

using namespace conv;
using namespace conv::reference;

int64_t conv::reference::countElements(const Sizes &sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

Sizes conv::reference::split(int64_t number, const Sizes &sizes) {
  return {number / sizes[2] / sizes[1], number / sizes[2] % sizes[1],
          number % sizes[2]};
}

int64_t conv::reference::join(const Sizes &place, const Sizes &sizes) {
  return (place[0] * sizes[1] + place[1]) * sizes[2] + place[2];
}

Transformed::Transformed(Block values, Block errors)
    : values(std::move(values)), errors(std::move(errors)),
      rounded(this->values.sizes, this->values.width), added(rounded) {
  for (size_t i = 0; i < added.values.size(); ++i)
    added.values[i] = magnitude(i);
}

double Transformed::magnitude(size_t index) const {
  return std::fabs(values.values[index]) + errors.values[index];
}

double conv::reference::computeRounding(double magnitude, double deviation) {
  constexpr double kUnit = 1.0 / (1 << 24);
  constexpr uint64_t kExponent = uint64_t(0x7ff) << 52;
  auto bits = std::bit_cast<uint64_t>(magnitude + deviation * kUnit);
  return magnitude == 0 ? 0 : std::bit_cast<double>(bits & kExponent);
}

static bool isPowerOf2(double value) {
  int exponent;
  return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

static bool isOfF32(double value) { return double(float(value)) == value; }

/// The share that an element of a matrix loses as an f32, in units of 2^-24;
/// itself, it is off by less than the last term.
static double computeLostShare(double value) {
  if (isOfF32(value))
    return 0;
  return std::fabs(double(float(value)) / value - 1) * (1 << 24) +
         std::ldexp(1, -24);
}

/// Adds the product of a row of the matrix and the line of `block` through
/// `place` to `result`, whose elements are zero.
static void addLine(const Transformed &block, const std::vector<double> &row,
                    int dimension, Sizes place, const Sizes &target,
                    double secondOrder, Transformed &result) {
  double *value = result.values.at(target), *error = result.errors.at(target);
  double *rounded = result.rounded.at(target), *added = result.added.at(target);
  bool isFirst = true;
  for (size_t k = 0; k < row.size(); ++k) {
    double factor = row[k];
    if (factor == 0)
      continue;
    place[dimension] = int64_t(k);
    const double *values = block.values.at(place);
    const double *errors = block.errors.at(place);
    const double *before = block.rounded.at(place);
    const double *all = block.added.at(place);
    double magnitude = std::fabs(factor);
    // The product with a power of two is exact, and so is its sum with nothing.
    double roundsSum = isFirst && isPowerOf2(factor) ? 0 : 1;
    double lost = magnitude * computeLostShare(factor);
    for (int64_t i = 0; i < block.values.width; ++i) {
      value[i] += factor * values[i];
      error[i] += magnitude * errors[i];
      added[i] += magnitude * all[i];
      rounded[i] +=
          magnitude * before[i] + lost * (std::fabs(values[i]) + errors[i]);
      rounded[i] +=
          roundsSum * computeRounding(std::fabs(value[i]) + error[i],
                                      rounded[i] + secondOrder * added[i]);
    }
    isFirst = false;
  }
}

Transformed conv::reference::transform(const Transformed &block,
                                       const Matrix &matrix, int dimension,
                                       double secondOrder) {
  Sizes sizes = block.values.sizes;
  sizes[dimension] = int64_t(matrix.size());
  Block zeros(sizes, block.values.width);
  Transformed result(zeros, zeros);
  for (int64_t number = 0; number < countElements(sizes); ++number) {
    Sizes place = split(number, sizes);
    addLine(block, matrix[place[dimension]], dimension, place, place,
            secondOrder, result);
  }
  return result;
}

int64_t conv::reference::countOperations(const Matrix &matrix) {
  int64_t most = 0;
  for (const std::vector<double> &row : matrix) {
    int64_t terms = std::count_if(row.begin(), row.end(),
                                  [](double value) { return value != 0; });
    most =
        std::max(most, terms + !std::all_of(row.begin(), row.end(), isOfF32));
  }
  return most;
}
