//===- BlockMagnitudes.h - what transforms of blocks sum up -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm adds and subtracts all elements of a block, many of
// which cancel. So an element's error is not bounded by the products that it is
// made of, but by what the algorithm computes of the magnitudes of the operands
// with those of its matrices (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H
#define CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H

#include "Reference.h"

#include <vector>

namespace conv::reference {

/// The magnitudes of a convolution's operands, in the order of its products:
/// `[space, row, reduction]` and `[space, reduction, column]`.
struct OperandMagnitudes {
  std::vector<double> left, right;
  int64_t rows = 1, reduction = 1, columns = 1;
};

/// For each element of the result, in the order `[space, row, column]`.
struct BlockMagnitudes {
  std::vector<double> sums;
  /// Whether f32 computes the element of integers without rounding.
  std::vector<uint8_t> exact;
};

/// For a step with transforms.
BlockMagnitudes computeBlockMagnitudes(const Step &step,
                                       const OperandMagnitudes &operands);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H
