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

/// Patterns for `conv.guarded_load` and `conv.guarded_store` with 32-bit
/// offsets, which are preferred to those of AddressAccess.h.
void populateBufferAccessPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  amdgpu::Chipset chipset);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_BUFFERACCESS_H
