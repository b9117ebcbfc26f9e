//===- GuardedAccess.h - guarded accesses to ROCDL -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_AMDGPU_GUARDEDACCESS_H
#define CONV_LIB_BACKEND_AMDGPU_GUARDEDACCESS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Patterns for `conv.guarded_load` and `conv.guarded_store`.
void populateGuardedAccessPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns,
                                   amdgpu::Chipset chipset);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_AMDGPU_GUARDEDACCESS_H
