//===- AsyncPipeline.h - steps whose tiles arrive meanwhile -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of shared memory, of which one is multiplied while those of the next
// steps arrive by copies that take no registers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H
#define CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H

#include "Kernel.h"

#include <functional>

namespace mlir::conv {

/// What a step of a pipeline does.
struct AsyncPipelineStep {
  /// Starts the copies of a step's tile to a stage, if `guard` is true. What it
  /// returns is done at the end of the step in which it was called.
  function_ref<std::function<void()>(Value step, Value stage, Value guard)>
      fill;
  /// Adds the products of a stage's tile to `sums`.
  function_ref<SmallVector<Value>(Value stage, ValueRange sums)> multiply;
};

/// Builds the loop over `steps` in `stages`, and returns the sums after it.
SmallVector<Value> createAsyncPipeline(const Kernel &kernel, int64_t steps,
                                       int64_t stages, ValueRange sums,
                                       const AsyncPipelineStep &parts);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H
