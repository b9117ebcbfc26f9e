//===- SharedBox.h - part of an operand in shared memory --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of an operand that a direct main loop reads. It is copied to shared
// memory once, and read from there at distances known at compile time.
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
  /// Sets the stage that all functions below refer to; initially the first.
  void setStage(Value stage) {
    origin = kernel.math.mul(stage, box.numElements);
  }

  /// All work-items together start to copy the input of the tile that starts
  /// with these digits of the view. Elements outside the tensor are zero.
  void startCopy(Value source, ArrayRef<Value> digits) const;
  /// Whether copies take no registers, so that they have to be waited for.
  bool isAsync() const;

  /// The index in the buffer of `offset` in the box.
  Value getIndex(Value offset) const;
  /// Offset of a vector from the start of its block, if the box has blocks.
  Value getBlockOffset(Value position, Value vector) const;
  /// Loads `elements` elements from `offset`, which is a multiple of them.
  Value load(Value offset, int64_t elements) const;

  /// Elements that are read together, if bases are multiples of `alignment`.
  int64_t getVectorWidth(int64_t alignment) const;

  /// Reads elements at constant distances from a base, in the type of sums.
  /// Each vector of the box is read only once.
  class Reader {
  public:
    /// `base` is an offset in the box and a multiple of `alignment`.
    Reader(const SharedBox &box, Value base, int64_t alignment);
    /// Starts the read of the vector that has the element.
    void start(int64_t distance);
    /// Vectors whose reads have started.
    size_t countReads() const { return vectors.size(); }
    /// An element, or the whole vector that it starts if `count` is its width.
    Value read(int64_t distance, int64_t count = 1);

  private:
    const SharedBox &shared;
    Value base;
    int64_t width;
    DenseMap<int64_t, Value> vectors; ///< As they are in the box.
    DenseMap<int64_t, Value> wide;    ///< In the type of sums.
  };

private:
  /// How work-items divide the vectors of the box.
  struct Rounds {
    /// Dimensions from farthest to closest in memory, and vectors along each.
    SmallVector<int64_t> order, counts;
    /// The number of the dimension along which a round has `step` vectors. A
    /// round has all `inner` vectors of closer dimensions, one of farther ones.
    size_t along;
    int64_t inner = 1, step;

    int64_t getSteps() const { return llvm::divideCeil(counts[along], step); }
    int64_t count() const {
      return llvm::product_of(ArrayRef(counts).take_front(along)) * getSteps();
    }
  };
  Rounds getRounds() const;

  /// A vector that a work-item copies, if there is one for it.
  struct Copy {
    Value offset, guard, shared, isThere;
  };
  Copy locate(const Rounds &rounds, Value round, ArrayRef<Value> start) const;
  Value locateInBlock(ArrayRef<Value> indices) const;
  void copyVectors(Value source, ArrayRef<Copy> copies) const;
  SmallVector<int64_t> getOrder() const;
  /// Vectors along each dimension.
  SmallVector<int64_t> getVectorCounts() const;

  const Kernel &kernel;
  const MatrixOperand &operand;
  const TensorBox &box;
  Value buffer, origin;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_SHAREDBOX_H
