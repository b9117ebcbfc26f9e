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

#ifndef CONV_LIB_KERNELS_PARTS_VECTOREXCHANGE_H
#define CONV_LIB_KERNELS_PARTS_VECTOREXCHANGE_H

#include "Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// An exchange between all work-items of a workgroup.
class VectorExchange {
public:
  /// Where it is built.
  struct Site {
    ImplicitLocOpBuilder &b;
    const IndexMath &math;
    const ::conv::ChipInfo &chip;
    Type element;
    int64_t workItems;
    Value workItem;
  };
  /// A vector: number `number` of work-item `owner`.
  struct Place {
    Value owner, number;
  };

  /// Work-items have `elements` each, and store `part` at a time.
  VectorExchange(const Site &site, int64_t elements, int64_t part)
      : site(site), elements(elements), part(part) {}

  int64_t countPieces() const { return elements / part; }
  bool fits(int64_t otherElements, int64_t otherPart) const {
    return elements == otherElements && part == otherPart;
  }
  /// Asks for shared memory, if there is as much: for two exchanges that take
  /// turns, so that what a work-item writes next is not what another one still
  /// reads, or for one, after which work-items meet once more.
  bool allocate(gpu::GPUFuncOp function);
  /// The vector that this work-item stores as number `i` of its own.
  Place getPlace(int64_t i) const;
  /// Those vectors. All work-items of the workgroup have to be here.
  SmallVector<Value> exchange(ValueRange pieces);
  /// Ends what a loop repeats: the next exchange may take the first buffer.
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
