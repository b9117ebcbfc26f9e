//===- VectorExchange.h - pieces of neighbours, side by side ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item may have several vectors that follow each other in memory. If it
// stored them one after the other, those of its neighbours would be as far
// apart as it has vectors, and each store would write parts of cache lines.
// Work-items exchange them in shared memory first:
//
//   has      a0 a1 a2 | b0 b1 b2 | c0 c1 c2 | ...
//   stores   a0 b1 .. | a1 b2 .. | a2 c0 .. | ...      first store: a0 a1 a2 b0
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_ELEMENTWISE_VECTOREXCHANGE_H
#define CONV_LIB_KERNELS_ELEMENTWISE_VECTOREXCHANGE_H

#include "../Parts/Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// An exchange between all work-items of a workgroup.
class VectorExchange {
public:
  /// A vector that this work-item stores: number `number` of work-item `owner`.
  struct Piece {
    Value owner, number, elements;
  };

  /// Work-items have `elements` each, and store `part` at a time.
  VectorExchange(const Kernel &kernel, int64_t elements, int64_t part)
      : kernel(kernel), elements(elements), part(part) {}

  bool fits(int64_t otherElements, int64_t otherPart) const {
    return elements == otherElements && part == otherPart;
  }
  /// Asks for shared memory: for two exchanges that take turns, so that what a
  /// work-item writes next is not what another one still reads, or for one,
  /// after which work-items meet once more.
  void allocate(Kernel &mutableKernel, gpu::GPUFuncOp function);
  /// All work-items of the workgroup have to be here.
  SmallVector<Piece> exchange(ValueRange pieces);

private:
  Value createPlace(Value number) const;

  const Kernel &kernel;
  int64_t elements, part;
  SmallVector<Value> buffers;
  size_t turn = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_ELEMENTWISE_VECTOREXCHANGE_H
