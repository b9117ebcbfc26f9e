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

/// Letters of digits that are not dimensions of a tensor: the number of a group
/// among merged groups, for the left and the right side of the product.
inline constexpr char kLhsGroup = 'i', kRhsGroup = 'j';
/// Split-K slices of the digits that are split.
inline constexpr StringLiteral kSlices = "stuv";
/// For both dimensions: block in a halo tile, position in a block.
inline constexpr StringLiteral kBlocks = "ab", kPlaces = "xy";
/// The number of a channel in its row.
inline constexpr char kInRow = 'c';

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_DIGITLETTERS_H
