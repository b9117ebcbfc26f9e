//===- KernelToLLVM.h - what conversions to LLVM share ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_KERNELTOLLVM_H
#define CONV_LIB_BACKEND_KERNELTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::conv {

/// The lowering options of GPU kernels: they take bare pointers, and `index`
/// has 32 bits, since offsets into global memory have a width of their own.
LowerToLLVMOptions getGpuLoweringOptions(gpu::GPUModuleOp module);

/// Patterns for the ops of kernels on every back end: `arith`, `cf`, `memref`
/// and `vector`.
void populateKernelToLLVMPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns);

/// Converts all of `module` or fails. Nothing of the `conv` dialect is legal.
LogicalResult convertKernels(gpu::GPUModuleOp module, ConversionTarget &legal,
                             RewritePatternSet patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_KERNELTOLLVM_H
