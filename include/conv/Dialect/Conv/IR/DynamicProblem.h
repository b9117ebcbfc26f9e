//===- DynamicProblem.h - facts of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a dynamic convolution is written as one line, and which of them are
// supported.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DYNAMICPROBLEM_H
#define CONV_DIALECT_CONV_IR_DYNAMICPROBLEM_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The problem as one line, by its sizes: `dynamic_forward bf16 -b 2 ...`. It
/// does not include the epilogue.
std::string formatProblem(DynamicOpInterface op);

/// The most channels of a group that one GPU kernel sums up in a kernel
/// gradient; a second one adds the partial sums of larger groups.
inline constexpr int64_t kMostMembers = 16;
/// The most partial sums of a group.
inline constexpr int64_t kMostPartialSums = 64;

/// Channels of a partial sum of a group, or 0 if there would be too many sums.
int64_t computeMembersOfSum(int64_t perGroup);

/// Whether an element of the result needs one tap each of many normalized
/// kernels, as in a gradient of the input: their code would take from seconds
/// to minutes to compile, and is a loop over the kernels instead.
bool normalizesManyKernels(DynamicOpInterface op);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_DYNAMICPROBLEM_H
