//===- DgradPhase.cpp - dgrad phases of backward data ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DgradPhase.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Solves `phase + stride * i + low = stride * p + dilation * r` for `r`.
static DgradPhase computePhase(const ConvolutionShape &shape, int64_t d,
                               int64_t phase) {
  int64_t stride = shape.strides[d], dilation = shape.dilations[d];
  int64_t divisor = std::gcd(stride, dilation);
  DgradPhase result{};
  result.phase = phase;
  result.stride = stride;
  result.positions = llvm::divideCeil(shape.input[d] - phase, stride);
  result.step = stride / divisor;
  result.distance = dilation / divisor;
  int64_t position = phase + shape.low[d];
  int64_t candidates = std::min(shape.filter[d], result.step);
  while (result.first < candidates &&
         (position - result.first * dilation) % stride != 0)
    ++result.first;
  if (result.first == candidates)
    return result;
  result.count = llvm::divideCeil(shape.filter[d] - result.first, result.step);
  result.offset = (position - result.first * dilation) / stride;
  return result;
}

/// Lists the dgrad phases of dimension `d`; `outer` has those of earlier ones.
static SmallVector<DgradPhase> listDimension(const ConvolutionShape &shape,
                                             int64_t d,
                                             ArrayRef<DgradPhase> outer) {
  SmallVector<DgradPhase> phases;
  if (!outer.empty() && outer.back().count == 0) {
    DgradPhase all{};
    all.stride = 1;
    all.positions = shape.input[d];
    phases.push_back(all);
    return phases;
  }
  for (int64_t i = 0; i < std::min(shape.strides[d], shape.input[d]); ++i)
    phases.push_back(computePhase(shape, d, i));
  return phases;
}

SmallVector<SmallVector<DgradPhase>>
mlir::conv::listPhases(const ConvolutionShape &shape) {
  SmallVector<SmallVector<DgradPhase>> combinations = {{}};
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    SmallVector<SmallVector<DgradPhase>> longer;
    for (ArrayRef<DgradPhase> outer : combinations)
      for (const DgradPhase &phase : listDimension(shape, d, outer)) {
        longer.emplace_back(outer);
        longer.back().push_back(phase);
      }
    combinations = std::move(longer);
  }
  return combinations;
}
