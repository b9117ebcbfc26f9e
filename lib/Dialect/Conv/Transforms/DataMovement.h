//===- DataMovement.h - where a tensor's elements come from -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes, pads, slices, insertions, flips and gathers in front of a
// convolution only say which element goes where. Each dimension is looked at
// on its own: a list of positions in the source, in which zeros have none.
// Whoever folds them looks at the lists, whichever ops wrote them.
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
  /// The dimension of the source whose positions these are, or none if it is
  /// one of size 1 that the source lacks.
  std::optional<unsigned> source;
  /// By position, that in the source, or `kZero`. Empty: the same ones.
  SmallVector<int64_t> positions = {};

  bool isIdentity() const { return positions.empty(); }
  int64_t getPosition(int64_t index) const {
    return positions.empty() ? index : positions[index];
  }
};

/// Where the elements of a tensor are in a source. An element is zero if its
/// position in any dimension is.
struct Movement {
  /// Null if all elements are zero.
  Value source;
  /// For each dimension of the source, the sizes that it is split into; the
  /// source's dimensions are counted with these.
  SmallVector<SmallVector<int64_t, 2>> sourceShape;
  SmallVector<MovedDimension> dimensions;
  /// How many ops are between source and tensor.
  int numOps = 0;

  /// The sizes of the source's dimensions.
  SmallVector<int64_t> getSourceSizes() const;
  /// The source with its dimensions split.
  Value createSource(OpBuilder &builder) const;
};

/// How far back movement is followed. Nobody writes longer chains.
inline constexpr int kMaxMovementOps = 64;

/// Follows `tensor` back over at most `maxOps` ops that move elements. `tensor`
/// is its own source if there is none.
Movement readMovement(Value tensor, int maxOps);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_DATAMOVEMENT_H
