//===- DynamicOpInterface.h - dynamic convolutions by role ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common interface of the three directions of a dynamic convolution.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DYNAMICOPINTERFACE_H
#define CONV_DIALECT_CONV_IR_DYNAMICOPINTERFACE_H

#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h"

namespace mlir::conv {

/// The most tokens of packed sequences, which kernels count in i32.
inline constexpr int64_t kMostPackedTokens = int64_t(1) << 30;

/// Sizes of a dynamic convolution: sequences, positions of a sequence,
/// channels, groups of channels that share their kernels, and taps.
struct DynamicShape {
  int64_t b, t, d, g, w;
  /// Channels of a group.
  int64_t perGroup() const { return d / g; }
};

} // namespace mlir::conv

#include "conv/Dialect/Conv/IR/DynamicOpInterface.h.inc"

#endif // CONV_DIALECT_CONV_IR_DYNAMICOPINTERFACE_H
