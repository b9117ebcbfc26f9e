//===- LowerIntrinsics.h - AMD intrinsics as host code ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces everything in a kernel that only an AMD GPU executes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_SIM_LOWERINTRINSICS_H
#define CONV_LIB_BACKEND_SIM_LOWERINTRINSICS_H

#include "BufferAccess.h"

#include "llvm/Support/Error.h"

namespace conv::simgen {

/// Replaces the intrinsics of `kernel`. Fails with the name of an unknown
/// intrinsic.
llvm::Error lowerIntrinsics(llvm::Function &kernel, ObjectBuilder &object,
                            BufferLowering &buffers, uint32_t waveSize);

/// Announces every load, store and atomic of `kernel`, whose intrinsics are
/// lowered.
llvm::Error instrumentAccesses(llvm::Function &kernel, ObjectBuilder &object,
                               BufferLowering &buffers);

/// Expands arithmetic on bf16, for which the host has no instructions.
void expandBf16(llvm::Function &kernel);

/// Moves bf16 elements as integers: the host's code generator would widen
/// single elements to f32 and call a library function to narrow them again.
/// Must run after the optimizer, which would undo it.
void moveBf16AsIntegers(llvm::Function &kernel);

} // namespace conv::simgen

#endif // CONV_LIB_BACKEND_SIM_LOWERINTRINSICS_H
