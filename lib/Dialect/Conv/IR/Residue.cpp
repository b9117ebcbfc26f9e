//===- Residue.cpp - positions that meet the same filter elements ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residue.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Solves `residue + stride * i + low = stride * p + dilation * r` for `r`.
static Residue computeResidue(const ConvolutionShape &shape, int64_t d,
                              int64_t residue) {
  int64_t stride = shape.strides[d], dilation = shape.dilations[d];
  int64_t divisor = std::gcd(stride, dilation);
  Residue result{};
  result.residue = residue;
  result.stride = stride;
  result.positions = llvm::divideCeil(shape.input[d] - residue, stride);
  result.step = stride / divisor;
  result.distance = dilation / divisor;
  int64_t position = residue + shape.low[d];
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

/// The residues of dimension `d`, behind those of the dimensions before it.
static SmallVector<Residue> listDimension(const ConvolutionShape &shape,
                                          int64_t d, ArrayRef<Residue> outer) {
  SmallVector<Residue> residues;
  if (!outer.empty() && outer.back().count == 0) {
    Residue all{};
    all.stride = 1;
    all.positions = shape.input[d];
    residues.push_back(all);
    return residues;
  }
  for (int64_t i = 0; i < std::min(shape.strides[d], shape.input[d]); ++i)
    residues.push_back(computeResidue(shape, d, i));
  return residues;
}

SmallVector<SmallVector<Residue>>
mlir::conv::listResidues(const ConvolutionShape &shape) {
  SmallVector<SmallVector<Residue>> combinations = {{}};
  for (int64_t d = 0; d < shape.getRank(); ++d) {
    SmallVector<SmallVector<Residue>> longer;
    for (ArrayRef<Residue> outer : combinations)
      for (const Residue &residue : listDimension(shape, d, outer)) {
        longer.emplace_back(outer);
        longer.back().push_back(residue);
      }
    combinations = std::move(longer);
  }
  return combinations;
}
