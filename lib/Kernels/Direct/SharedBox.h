//===- SharedBox.h - part of an operand in shared memory --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a direct main loop reads of an operand, moved to shared memory once and
// read from there at distances that are known at compile time.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_SHAREDBOX_H
#define CONV_LIB_KERNELS_DIRECT_SHAREDBOX_H

#include "../Parts/Kernel.h"
#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

class SharedBox {
public:
  SharedBox(const Kernel &kernel, const MatrixOperand &operand,
            const TensorBox &box)
      : kernel(kernel), operand(operand), box(box),
        origin(kernel.math.constant(0)) {}

  /// Type of the buffer that holds all stages of the box.
  MemRefType getType() const;
  void setBuffer(Value memory) { buffer = memory; }
  Value getBuffer() const { return buffer; }
  const TensorBox &getBox() const { return box; }
  /// The stage that all of the following are about; before, it is the first.
  void setStage(Value stage) {
    origin = kernel.math.mul(stage, box.numElements);
  }

  /// All work-items together start to copy what the tile reads that starts with
  /// these digits of the view. What is outside of the tensor is zero.
  void startCopy(Value source, ArrayRef<Value> digits) const;
  /// Whether copies take no registers, so that they have to be waited for.
  bool isAsync() const;

  /// The index in the buffer of what is at `offset` of the box.
  Value getIndex(Value offset) const;
  /// Where a vector is in a block, from its start, if the box has blocks.
  Value getBlockOffset(Value position, Value vector) const;
  /// Elements that follow `offset` there, a multiple of as many.
  Value load(Value offset, int64_t elements) const;

  /// Reads elements at constant distances from a base, as f32: each vector of
  /// the box only once.
  class Reader {
  public:
    /// `base` is a multiple of `granule`, as an offset in the box.
    Reader(const SharedBox &box, Value base, int64_t granule);
    Value read(int64_t distance);

  private:
    const SharedBox &shared;
    Value base;
    int64_t width;
    DenseMap<int64_t, Value> vectors;
  };

private:
  /// How work-items share the pieces of the box.
  struct Rounds {
    /// Dimensions, farthest neighbours in memory first, and pieces along each.
    SmallVector<int64_t> order, counts;
    /// Of these, the one along which a round has `step` pieces; it has all
    /// `inner` ones along the dimensions after it, one along those before it.
    size_t along;
    int64_t inner = 1, step;

    int64_t getSteps() const { return llvm::divideCeil(counts[along], step); }
    int64_t count() const {
      return llvm::product_of(ArrayRef(counts).take_front(along)) * getSteps();
    }
  };
  Rounds getRounds() const;

  /// A piece that a work-item copies, if there is one for it.
  struct Piece {
    Value offset, guard, shared, isThere;
  };
  Piece locate(const Rounds &rounds, Value round, ArrayRef<Value> start) const;
  Value locateInBlock(ArrayRef<Value> indices) const;
  void copyPieces(Value source, ArrayRef<Piece> pieces) const;
  SmallVector<int64_t> getOrder() const;
  /// Pieces along each dimension.
  SmallVector<int64_t> getPieceCounts() const;

  const Kernel &kernel;
  const MatrixOperand &operand;
  const TensorBox &box;
  Value buffer, origin;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_SHAREDBOX_H
