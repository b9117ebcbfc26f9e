//===- KernelFunction.h - the function of a host kernel ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_HOST_KERNELFUNCTION_H
#define CONV_LIB_BACKEND_HOST_KERNELFUNCTION_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// `gpu.func` to a function of the ABI in conv/Backend/Host.h, with private
/// memory on its stack; `gpu.return`, and `gpu.block_id` from the workgroup
/// argument.
void populateKernelFunctionPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_HOST_KERNELFUNCTION_H
