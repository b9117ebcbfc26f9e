//===- ScheduleFences.h - who issues when in a step -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_SCHEDULEFENCES_H
#define CONV_LIB_BACKEND_AMDGPU_SCHEDULEFENCES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Replaces `conv.schedule_fence` by what LLVM's scheduler obeys. Where it ends
/// a section with matrix instructions, these take turns with the section's
/// reads of shared memory: what the first one needs comes first, and each of
/// the later reads follows as many of them, so that none waits for a burst of
/// reads. If the first one needs none of them, all accesses of the section keep
/// their order.
void convertScheduleFences(gpu::GPUModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_SCHEDULEFENCES_H
