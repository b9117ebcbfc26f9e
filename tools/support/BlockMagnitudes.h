//===- BlockMagnitudes.h - what transforms of blocks sum up -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Winograd's algorithm adds and subtracts all elements of a block, many of
// which cancel. So the products of an element do not bound its error. What does
// are two sums of magnitudes: of the algorithm's own products, for what happens
// from there on, and of products in which one of the two transforms adds up
// magnitudes, for the transforms of operands (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H
#define CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H

#include "Reference.h"

#include <vector>

namespace conv::reference {

/// An operand's elements, and by how much they may be off, or nothing if they
/// are not.
struct BlockOperand {
  const std::vector<double> &values, &errors;
};

/// A convolution's operands, in the order of its products: `[space, row,
/// reduction]` and `[space, reduction, column]`.
struct BlockOperands {
  BlockOperand left, right;
  int64_t rows = 1, reduction = 1, columns = 1;
};

/// Results for each element, in the order `[space, row, column]`.
struct BlockMagnitudes {
  std::vector<double> products;    ///< Of the algorithm's own products.
  std::vector<double> transformed; ///< Where one of their operands cancels not.
  /// The magnitudes of everything that is rounded, each times its factors in
  /// the element.
  std::vector<double> rounded;
  /// Where neither of them does: a bound of all that is computed.
  std::vector<double> largest;
  /// Whether f32 computes the element of integer operands without rounding.
  std::vector<uint8_t> exact;
};

/// Computes the bounds of a step with transforms.
BlockMagnitudes computeBlockMagnitudes(const Step &step,
                                       const BlockOperands &operands);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_BLOCKMAGNITUDES_H
