//===- DigitLetters.h - letters of digits of index spaces -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_DIGITLETTERS_H
#define CONV_LIB_PLAN_DIGITLETTERS_H

#include "mlir/Support/LLVM.h"

namespace mlir::conv {

/// Letters of digits that are no dimension of a tensor: a group among merged
/// ones, on the two sides of the product.
inline constexpr char kLhsGroup = 'i', kRhsGroup = 'j';
/// Slices of the digits that are split.
inline constexpr StringLiteral kSlices = "stuv";
/// Of both positions: the block in a halo tile, and the place in a block.
inline constexpr StringLiteral kBlocks = "ab", kPlaces = "xy";
/// A channel in its row.
inline constexpr char kInRow = 'c';

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DIGITLETTERS_H
