//===- MergedGroups.h - merges groups block-diagonally ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring groups become one group with a block-diagonal filter: input and
// output do not change.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_MERGEDGROUPS_H
#define CONV_LIB_PLAN_MERGEDGROUPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Why groups of the convolution cannot be merged until one has so many input
/// channels, with operands of a type, or an empty string.
std::string findMergeObstacle(ConvolutionOpInterface op, int64_t channels,
                              Type operand);

/// Creates the filter of groups `merged` times as wide, or extracts the
/// diagonal blocks of such a filter. `from` and `to` are dimension orders.
Value createMergedFilter(OpBuilder &builder, ConvolutionOpInterface op,
                         Value source, StringRef from, RankedTensorType result,
                         StringRef to, int64_t merged);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_MERGEDGROUPS_H
