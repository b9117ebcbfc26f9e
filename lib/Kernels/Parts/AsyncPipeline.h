//===- AsyncPipeline.h - pipelines of async copies --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared-memory pipeline: while the kernel multiplies one stage, async
// copies, which take no registers, fill the stages of the next steps.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H
#define CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H

#include "Kernel.h"

#include <functional>

namespace mlir::conv {

/// What one step of the pipeline does.
struct AsyncPipelineStep {
  /// Starts the copies of a step's tile to a stage, if `guard` is true. The
  /// returned function is called at the end of the step that called `fill`.
  function_ref<std::function<void()>(Value step, Value stage, Value guard)>
      fill;
  /// Adds the products of a stage's tile to `sums`.
  function_ref<SmallVector<Value>(Value stage, ValueRange sums)> multiply;
};

/// Builds the loop over `steps` and returns the sums after the last step.
SmallVector<Value> createAsyncPipeline(const Kernel &kernel,
                                       const SharedNumber &steps,
                                       int64_t stages, ValueRange sums,
                                       const AsyncPipelineStep &parts);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_ASYNCPIPELINE_H
