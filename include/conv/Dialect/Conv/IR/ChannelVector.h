//===- ChannelVector.h - neighbouring channels and atoms --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups with few channels are multiplied a vector of neighbouring channels at
// a time, in blocks of one vector by another one. The matrix instruction that
// all blocks are for has two of them along its longer sides.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CHANNELVECTOR_H
#define CONV_DIALECT_CONV_IR_CHANNELVECTOR_H

#include "conv/Dialect/Conv/IR/ConvAttrs.h"

namespace mlir::conv {

struct ChannelVector {
  /// Channels of a vector, 16 bytes of 16-bit elements: the sides of a block.
  static constexpr int64_t kVector = 8;
  /// Neighbours that a lane holds together of an operand or of sums.
  static constexpr int64_t kPair = 2;

  static AtomAttr getAtom(MLIRContext *context) {
    return AtomAttr::get(context, AtomKind::MMASync, 2 * kVector, kVector,
                         2 * kVector);
  }
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CHANNELVECTOR_H
