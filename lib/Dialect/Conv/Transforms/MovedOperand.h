//===- MovedOperand.h - a convolution's operand and its movement ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDOPERAND_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDOPERAND_H

#include "DataMovement.h"

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// An operand whose dimensions have letters, and the source tensor that its
/// elements come from.
class MovedOperand {
public:
  /// Follows `tensor` back over at most `maxOps` ops.
  MovedOperand(Value tensor, StringRef order, int maxOps);

  const Movement &getMovement() const { return movement; }
  /// True if a convolution can have the source as operand: every dimension of
  /// the source has a letter.
  bool isUsable() const { return !sourceOrder.empty(); }
  /// True if the tensor is only a reshape of the source.
  bool isReshape() const;
  /// True if the dimension `letter` is not moved.
  bool isPlain(char letter) const;
  /// The dimension `letter`.
  const MovedDimension &getDimension(char letter) const;
  /// The size of the source's dimension that `letter` is moved from.
  int64_t getSourceSize(char letter) const;

  /// The source with all dimensions of the tensor, and their order.
  std::pair<Value, std::string> create(OpBuilder &builder) const;

private:
  void nameSource();

  std::string order;
  Movement movement;
  std::string sourceOrder; ///< Letters of its dimensions, or empty.
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_MOVEDOPERAND_H
