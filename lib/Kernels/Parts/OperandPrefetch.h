//===- OperandPrefetch.h - operands before a kernel begins ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that starts before the previous one has ended must not read what
// that one may still write. It can prefetch it: caches see later stores.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_OPERANDPREFETCH_H
#define CONV_LIB_KERNELS_PARTS_OPERANDPREFETCH_H

#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

/// Whether kernels of the chip prefetch operands.
bool canPrefetchOperands(const ::conv::ChipInfo &chip);

/// Lets a `kernel` that starts before the previous kernel has ended prefetch
/// the start of `operands` into the last-level cache until then: the smaller
/// ones first, in all as many bytes as the calibration of the chip says.
/// Operands that are not arguments of the function that launches the kernel are
/// left out, since the previous kernel has just written them. May add arguments
/// to the kernel.
void prefetchOperands(BuiltKernel &kernel, ArrayRef<Value> operands,
                      const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_OPERANDPREFETCH_H
