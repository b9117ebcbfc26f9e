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

/// Replaces `conv.schedule_fence` by groups that LLVM's scheduler obeys. In a
/// section with matrix instructions before the fence, the instructions
/// alternate with the section's reads of shared memory: the reads for the first
/// one come first, and each later read follows an equal number of them, so that
/// no instruction waits for a burst of reads. If the first one needs no read of
/// the section, all accesses keep their order.
void convertScheduleFences(gpu::GPUModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_SCHEDULEFENCES_H
