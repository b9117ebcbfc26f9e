//===- PtxBuilder.h - instructions of NVIDIA GPUs ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of warpgroup kernels: 32-bit arithmetic, structured control
// flow, and one function for each instruction that these kernels share.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H

#include "../Kernel.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::conv {

/// Lanes of a warp.
inline constexpr int64_t kWarpSize = 32;

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
  /// The address of a buffer in global memory.
  Value getAddress(Value buffer) const;
  /// The address that is `bytes` after `pointer`.
  Value offset(Value pointer, Value bytes) const;
  Value offset(Value pointer, int64_t bytes) const;

  /// Executes `body` if `condition` holds.
  void createIf(Value condition, function_ref<void()> body) const;
  /// Loops over `lower`, `lower + step`, ...; returns the carried values.
  SmallVector<Value>
  createFor(Value lower, Value upper, int64_t step, ValueRange initial,
            function_ref<SmallVector<Value>(Value, ValueRange)> body) const;

  /// The values that `create` builds for case `number` of `count`. All cases
  /// have values of the same types.
  SmallVector<Value>
  createSwitch(Value number, int64_t count,
               function_ref<SmallVector<Value>(int64_t)> create) const;

  /// `value`, as one from which compilers compute nothing before they know
  /// `other`. Called by whole warps.
  Value computeAfter(Value value, Value other) const;
  /// The first lane's `value`, for values that are equal in the whole warp.
  Value uniform(Value value) const;
  /// Whether `value` holds in the previous lane; in the first one, its own.
  Value fromPreviousLane(Value value) const;
  /// True for one lane of a warp.
  Value elect() const;
  /// Waits for all lanes of the warp and makes their writes visible.
  void synchronizeWarp() const;
  /// Waits for `workItems` work-items at named barrier `id`; 0 is for all.
  void barrier(Value id, int64_t workItems) const;
  /// Waits for all work-items of the cluster that have not ended, without
  /// ordering memory. Called by whole warps.
  void synchronizeCluster() const;
  /// The address of `shared` in the cluster's workgroup with that rank.
  Value locateInCluster(Value shared, Value rank) const;
  /// Starts to store four f32 in another workgroup of the cluster, where
  /// `barrier` counts their bytes.
  void storeInCluster(Value destination, ArrayRef<Value> elements,
                      Value barrier) const;
  /// Makes this work-item's writes to shared memory visible to async copies.
  void fenceSharedForCopies() const;
  /// Programmatic dependent launch: the next kernel of the stream starts once
  /// all workgroups have called this, and then waits in `waitForKernels`.
  void startNextKernel() const;
  /// Waits until the previous kernels of the stream have ended.
  void waitForKernels() const;
  /// Prefetches a tensor map, so that the first copy does not wait for it.
  void prefetchMap(Value map) const;
  /// Prefetches the cache line of a global address into the L2 cache, which
  /// later stores of other kernels update.
  void prefetchToL2(Value pointer) const;
  /// Prefetches `bytes` bytes of a buffer from its byte `first` on, both
  /// multiples of a unit. Where the buffer starts within a unit, they begin
  /// with that unit.
  void prefetchToL2(Value buffer, Value first, Value bytes) const;
  /// Bytes of a unit of such prefetches.
  static constexpr int64_t kPrefetchUnit = 16;
  /// Loads 1, 2, 4, 8 or 16 bytes of global memory, as a vector of integers of
  /// 4 bytes or of one of fewer; zeros if `guard` is given and does not hold.
  /// A selection after the load would need the guard until the load has
  /// arrived. There are seven predicates, so ptxas would let loads wait.
  Value load(Value source, int64_t bytes, Value guard) const;
  /// Starts to copy 16, 8 or 4 bytes of this lane from global to shared memory,
  /// or zeros if `guard` is given and does not hold. If other copies share its
  /// sectors, they stay in the first-level cache.
  void startCopy(Value destination, Value source, int64_t bytes, bool isShared,
                 Value guard) const;
  /// Counts an arrival of this lane at `barrier` once all of its earlier copies
  /// have arrived.
  void signalCopies(Value barrier) const;
  /// Copies `bytes` from global to shared memory. `bytes` and both addresses
  /// are multiples of 16. `barrier` counts the bytes.
  void loadBytes(Value destination, Value source, Value barrier,
                 Value bytes) const;
  /// Copies a box from global to shared memory; `barrier` counts its bytes.
  /// With `offsets`, the copy is in im2col mode.
  void loadBox(Value destination, Value map, Value barrier,
               ArrayRef<Value> coordinates, ArrayRef<Value> offsets = {}) const;
  /// Copies a box from shared to global memory, as part of the open group. With
  /// `isIm2col`, the box has positions of a window.
  void storeBox(Value map, Value source, ArrayRef<Value> coordinates,
                bool isIm2col) const;
  void commitStores() const;
  /// Waits until all but the last `pending` committed groups have read shared
  /// memory. Their stores are visible when the kernel ends.
  void waitForStores(int64_t pending = 0) const;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_PTXBUILDER_H
