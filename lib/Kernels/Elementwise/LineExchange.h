//===- LineExchange.h - lines that work-items load together -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where matrices are interleaved, the elements that a work-item needs of a line
// are longer or shorter than an access. Loads of neighbouring work-items would
// touch parts of the same cache lines again and again. So the work-items of a
// workgroup load whole lines together, in adjacent vectors, and take what each
// needs from shared memory:
//
//   needs    a a a b b b | c c c d d d | ...      three vectors of each
//   loads    a b c d ..  | a b c d ..  | ...      first load: a a a b, adjacent
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_LINEEXCHANGE_H
#define CONV_LIB_KERNELS_ELEMENTWISE_LINEEXCHANGE_H

#include "../Parts/Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

class LineExchange {
public:
  /// The lines of a workgroup, and the elements of each, in vectors of `width`
  /// elements.
  struct Shape {
    int64_t lines, elements, width;
    int64_t countVectors() const { return lines * elements / width; }
    bool operator==(const Shape &) const = default;
  };
  /// A vector of a line; `isThere` is false if there is none.
  struct Vector {
    Value line, element, isThere;
  };

  LineExchange(const Kernel &kernel, Type element, const Shape &shape)
      : kernel(kernel), element(element), shape(shape) {}

  bool fits(Type otherElement, const Shape &other) const {
    return element == otherElement && shape == other;
  }
  int64_t getVectorElements() const { return shape.width; }
  /// Allocates the buffer, if there is enough shared memory beside what the
  /// kernel has already.
  bool allocate(gpu::GPUFuncOp function);
  /// The number of vectors that a work-item loads.
  int64_t countLoads() const {
    return llvm::divideCeil(shape.countVectors(), kernel.workItems);
  }
  /// The vector that this work-item loads in its load number `i`.
  Vector getVector(int64_t i) const;
  /// Exchanges loaded vectors, and returns `count` elements of a line from
  /// `first` on, which is a multiple of `count`. All work-items of the
  /// workgroup must take part.
  SmallVector<Value> exchange(ArrayRef<Value> vectors, Value line, Value first,
                              int64_t count) const;

private:
  const Kernel &kernel;
  Type element;
  Shape shape;
  Value buffer;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_LINEEXCHANGE_H
