//===- MergedGroups.h - narrow groups as wider ones -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring groups are one group, whose filter is block diagonal: input and
// output stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_MERGEDGROUPS_H
#define CONV_LIB_PLAN_MERGEDGROUPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Why groups of the convolution cannot be merged until one has so many input
/// channels, or an empty string.
std::string findMergeObstacle(ConvolutionOpInterface op, int64_t channels);

/// The filter of `merged` times as wide groups, or what is on the diagonal of
/// one, if the source is that. Letters of dimensions are in `from` and `to`.
Value createMergedFilter(OpBuilder &builder, ConvolutionOpInterface op,
                         Value source, StringRef from, RankedTensorType result,
                         StringRef to, int64_t merged);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_MERGEDGROUPS_H
