//===- StateOpInterface.h - ops on states of sequences ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_STATEOPINTERFACE_H
#define CONV_DIALECT_CONV_IR_STATEOPINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "conv/Dialect/Conv/IR/StateOpInterface.h.inc"

namespace mlir::conv {

/// Sizes of a decoding step: sequences, channels, tokens per sequence, taps,
/// states in the cache, and tokens per state.
struct UpdateShape {
  int64_t b, d, t, w, states, length;
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_STATEOPINTERFACE_H
