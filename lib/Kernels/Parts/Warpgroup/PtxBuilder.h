//===- PtxBuilder.h - instructions of NVIDIA GPUs ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels of warpgroups are written in: 32-bit arithmetic, structured
// control flow, and one call for each instruction that they share.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H

#include "../Kernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::conv {

class PtxBuilder {
public:
  explicit PtxBuilder(ImplicitLocOpBuilder &builder)
      : b(builder), math(builder, builder.getI32Type()) {}

  ImplicitLocOpBuilder &b;
  IndexMath math; ///< In i32.

  Value constant64(int64_t value) const;
  Value extend64(Value value) const;
  Value add64(Value lhs, Value rhs) const;
  Value truncate16(Value value) const;
  Value equal(Value lhs, int64_t rhs) const;
  Value select(Value condition, int64_t yes, Value no) const;
  /// The address `bytes` after `pointer`.
  Value offset(Value pointer, Value bytes) const;
  Value offset(Value pointer, int64_t bytes) const;

  /// `body` where `condition` holds.
  void createIf(Value condition, function_ref<void()> body) const;
  /// The values of `initial` after `body` for `lower`, `lower + step`...
  SmallVector<Value>
  createFor(Value lower, Value upper, int64_t step, ValueRange initial,
            function_ref<SmallVector<Value>(Value, ValueRange)> body) const;

  /// `value` of the first lane, known to be the same for all of the warp.
  Value uniform(Value value) const;
  /// True for one lane of a warp.
  Value elect() const;
  /// Waits for all lanes of the warp, and sees what they wrote.
  void synchronizeWarp() const;
  /// Waits for `workItems` work-items at named barrier `id`; 0 is for all.
  void barrier(Value id, int64_t workItems) const;
  /// Waits for all work-items of the cluster that have not ended, whatever they
  /// have written. By whole warps.
  void synchronizeCluster() const;
  /// Where the workgroup with that rank in the cluster has `shared`.
  Value locateInCluster(Value shared, Value rank) const;
  /// Starts to store four f32 in a workgroup of the cluster, where `barrier`
  /// counts their bytes.
  void storeInCluster(Value destination, ArrayRef<Value> elements,
                      Value barrier) const;
  /// Makes what this work-item wrote to shared memory visible to copies.
  void fenceSharedForCopies() const;
  /// Lets the next kernel of the stream start once all workgroups have come
  /// here, not when they have ended. It waits like this one.
  void startNextKernel() const;
  /// Waits until the kernels before this one have ended.
  void waitForKernels() const;
  /// Fetches a tensor map, which the first copy would wait for.
  void prefetchMap(Value map) const;
  /// Fetches the cache line of an address in global memory into the L2 cache,
  /// where later stores of other kernels change it.
  void prefetchToL2(Value pointer) const;
  /// Copies `bytes` from global to shared memory: multiples of 16, like both
  /// addresses. `barrier` counts them.
  void loadBytes(Value destination, Value source, Value barrier,
                 Value bytes) const;
  /// Copies a box from global to shared memory; `barrier` counts its bytes.
  /// With `offsets`, im2col.
  void loadBox(Value destination, Value map, Value barrier,
               ArrayRef<Value> coordinates, ArrayRef<Value> offsets = {}) const;
  /// Copies a box from shared to global memory, in the group that is open. With
  /// `isIm2col`, one of positions of a window.
  void storeBox(Value map, Value source, ArrayRef<Value> coordinates,
                bool isIm2col) const;
  void commitStores() const;
  /// Waits until shared memory is read by the `pending` last groups committed
  /// at most. What they store is visible when the kernel ends.
  void waitForStores(int64_t pending = 0) const;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H
