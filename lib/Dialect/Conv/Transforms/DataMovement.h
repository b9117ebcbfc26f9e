//===- DataMovement.h - where a tensor's elements come from -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes, pads, slices, insertions, flips and gathers before a convolution
// only determine where each element goes. Each dimension is a list of positions
// in the source, with a marker for zeros. Folding code reads these lists,
// whichever ops produced them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_DATAMOVEMENT_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_DATAMOVEMENT_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {

/// One dimension of a tensor that is moved.
struct MovedDimension {
  static constexpr int64_t kZero = -1;

  int64_t size;
  /// The source's dimension that the positions are in, or none if this
  /// dimension has size 1 and the source does not have it.
  std::optional<unsigned> source;
  /// For each position, its source position or `kZero`. Empty: identity.
  SmallVector<int64_t> positions = {};

  bool isIdentity() const { return positions.empty(); }
  int64_t getPosition(int64_t index) const {
    return positions.empty() ? index : positions[index];
  }
};

/// Where the elements of a tensor come from. An element is zero if its position
/// in any dimension is `kZero`.
struct Movement {
  /// Null if all elements are zero.
  Value source;
  /// For each dimension of the source, the sizes that it is split into.
  /// `MovedDimension::source` counts the dimensions after the split.
  SmallVector<SmallVector<int64_t, 2>> sourceShape;
  SmallVector<MovedDimension> dimensions;
  /// The number of ops between source and tensor.
  int numOps = 0;

  /// The sizes of the source's dimensions.
  SmallVector<int64_t> getSourceSizes() const;
  /// The source with its dimensions split.
  Value createSource(OpBuilder &builder) const;
};

/// The most ops that are followed back; longer chains do not occur.
inline constexpr int kMaxMovementOps = 64;

/// Follows `tensor` back over at most `maxOps` ops that move elements. If there
/// is no such op, `tensor` is its own source.
Movement readMovement(Value tensor, int maxOps);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_DATAMOVEMENT_H
