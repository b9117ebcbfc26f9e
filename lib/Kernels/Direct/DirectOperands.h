//===- DirectOperands.h - operands of direct main loops ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTOPERANDS_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTOPERANDS_H

#include "SharedBox.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// The tiling of the kernel's product by its schedule. Fails with a diagnostic
/// if the schedule cannot tile the product.
FailureOr<DirectTiling> computeDirectTiling(const Kernel &kernel);

/// Both operands of a tile in shared memory.
class DirectOperands {
public:
  /// Allocates the boxes, and buffers of `others` after them.
  DirectOperands(Kernel &kernel, gpu::GPUFuncOp function,
                 const DirectTiling &tiling, ArrayRef<MemRefType> others = {});
  DirectOperands(const DirectOperands &) = delete;

  /// Sets the stage of shared memory that both are copied to and read from.
  void setStage(Value stage) {
    lhs.setStage(stage);
    rhs.setStage(stage);
  }
  /// All work-items together start to copy the input of the tile that starts
  /// with these digits. The tile has all columns.
  void startCopy(ArrayRef<Value> batch, ArrayRef<Value> rows,
                 ArrayRef<Value> reduction) const;
  /// Copies a step, which all work-items may read after the next barrier.
  void copy(ArrayRef<Value> batch, ArrayRef<Value> rows,
            ArrayRef<Value> reduction) const;
  /// Zero for each digit of `space`.
  SmallVector<Value> createZeros(const DigitBox &space) const {
    return SmallVector<Value>(space.getRank(), kernel.math.constant(0));
  }

  const DirectTiling &tiling;
  SharedBox lhs, rhs;
  SmallVector<Value> others;

private:
  const Kernel &kernel;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTOPERANDS_H
