//===- NormalizeTaps.h - normalized taps of kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_NORMALIZETAPS_H
#define CONV_PLAN_NORMALIZETAPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The normalized taps of one kernel, in f32, which the sums multiply by.
SmallVector<Value> createNormalizedTaps(OpBuilder &builder, Location loc,
                                        Normalization kind,
                                        ArrayRef<Value> kernel);

/// The gradient with respect to the elements of one kernel, in f32, from the
/// gradient with respect to its normalized taps.
SmallVector<Value> createNormalizationGradient(OpBuilder &builder, Location loc,
                                               Normalization kind,
                                               ArrayRef<Value> kernel,
                                               ArrayRef<Value> grads);

} // namespace mlir::conv

#endif // CONV_PLAN_NORMALIZETAPS_H
