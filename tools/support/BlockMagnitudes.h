//===- BlockMagnitudes.h - what transforms of blocks sum up -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm adds and subtracts all elements of a block, many of
// which cancel. So the products of an element do not bound its error; the
// algorithm's result for the magnitudes of its operands and of its matrices
// does (docs/numerics.md).
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

/// Results for each element, in the order `[space, row, column]`.
struct BlockMagnitudes {
  std::vector<double> sums;
  /// Whether f32 computes the element of integer operands without rounding.
  std::vector<uint8_t> exact;
};

/// Computes the bounds of a step with transforms.
BlockMagnitudes computeBlockMagnitudes(const Step &step,
                                       const OperandMagnitudes &operands);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H
