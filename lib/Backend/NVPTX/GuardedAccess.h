//===- GuardedAccess.h - guarded accesses to global memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_NVPTX_GUARDEDACCESS_H
#define CONV_LIB_BACKEND_NVPTX_GUARDEDACCESS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::conv {

/// Lowers `conv.guarded_load` without a branch, and `conv.guarded_store` whose
/// guard is true.
void populateNVPTXGuardedAccessPatterns(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_NVPTX_GUARDEDACCESS_H
