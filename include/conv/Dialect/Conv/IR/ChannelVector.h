//===- ChannelVector.h - vectors of channels and their atom -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups with few channels are multiplied one vector of neighbouring channels
// at a time: a block is the product of two such vectors. The matrix instruction
// for all blocks has two blocks along each of its longer sides.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CHANNELVECTOR_H
#define CONV_DIALECT_CONV_IR_CHANNELVECTOR_H

#include "conv/Dialect/Conv/IR/ConvAttrs.h"

namespace mlir::conv {

struct ChannelVector {
  /// Channels of a vector, 16 bytes of 16-bit elements: a block's side.
  static constexpr int64_t kVector = 8;
  /// Neighbouring operand elements or sums that a lane holds together.
  static constexpr int64_t kPair = 2;

  static AtomAttr getAtom(MLIRContext *context) {
    return AtomAttr::get(context, AtomKind::MMASync, 2 * kVector, kVector,
                         2 * kVector);
  }
};

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CHANNELVECTOR_H
