//===- GuardedCopy.h - copies that take no registers ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_NVPTX_GUARDEDCOPY_H
#define CONV_LIB_BACKEND_NVPTX_GUARDEDCOPY_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::conv {

/// Adds the pattern that turns `conv.guarded_copy` into cp.async.
void populateGuardedCopyPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_NVPTX_GUARDEDCOPY_H
