//===- BufferAccess.h - guarded accesses to ROCDL ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_BUFFERACCESS_H
#define CONV_LIB_BACKEND_AMDGPU_BUFFERACCESS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Patterns for `conv.guarded_load`, `conv.guarded_store` and copies in lane
/// order (`conv.guarded_copy`) with 32-bit offsets, preferred to the patterns
/// of AddressAccess.h.
void populateBufferAccessPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  amdgpu::Chipset chipset);

/// In kernels that copy to shared memory without registers, marks copies and
/// lane reads as accesses to different memory: barriers order them, and LLVM
/// must not insert waits.
void separateCopiesFromReads(Operation *kernels);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_BUFFERACCESS_H
