//===- VectorExchange.h - vectors that work-items exchange ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item may have several vectors that follow each other in memory. If it
// stored them one after the other, each store would write parts of cache lines:
// neighbouring work-items would store vectors that are as many vectors apart as
// each has. So work-items first exchange vectors in shared memory:
//
//   has      a0 a1 a2 | b0 b1 b2 | c0 c1 c2 | ...
//   stores   a0 b1 .. | a1 b2 .. | a2 c0 .. | ...      first store: a0 a1 a2 b0
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_VECTOREXCHANGE_H
#define CONV_LIB_KERNELS_PARTS_VECTOREXCHANGE_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// An exchange between all work-items of a workgroup.
class VectorExchange {
public:
  /// Where the exchange is built.
  struct Site {
    ImplicitLocOpBuilder &b;
    const IndexMath &math;
    const ::conv::ChipInfo &chip;
    Type element;
    int64_t workItems;
    Value workItem;
  };
  /// Identifies vector `number` of work-item `owner`.
  struct Place {
    Value owner, number;
  };

  /// Each work-item has `elements` elements and stores `part` at a time.
  VectorExchange(const Site &site, int64_t elements, int64_t part)
      : site(site), elements(elements), part(part) {}

  int64_t countVectors() const { return elements / part; }
  bool fits(int64_t otherElements, int64_t otherPart) const {
    return elements == otherElements && part == otherPart;
  }
  /// Allocates shared memory, if there is enough. With two buffers, exchanges
  /// take turns: a work-item never writes what another one still reads. With
  /// one buffer, each exchange ends with a second barrier.
  bool allocate(gpu::GPUFuncOp function);
  /// The vector that this work-item stores in its store number `i`.
  Place getPlace(int64_t i) const;
  /// Returns those vectors. All work-items of the workgroup must take part.
  SmallVector<Value> exchange(ValueRange vectors);
  /// Ends a loop iteration: the next exchange may use the first buffer.
  void endRound();

private:
  Value createOffset(Value number) const;

  Site site;
  int64_t elements, part;
  SmallVector<Value> buffers;
  size_t turn = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_VECTOREXCHANGE_H
