//===- NeighboursKernel.h - searching packed sequences ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_ELEMENTWISE_NEIGHBOURSKERNEL_H
#define CONV_KERNELS_ELEMENTWISE_NEIGHBOURSKERNEL_H

#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

/// Builds the kernel of `op` at the insertion point; the kernel reads and
/// writes these buffers.
FailureOr<BuiltKernel> buildNeighboursKernel(OpBuilder &builder,
                                             CountNeighboursOp op, Value starts,
                                             Value counts, StringRef name);

} // namespace mlir::conv

#endif // CONV_KERNELS_ELEMENTWISE_NEIGHBOURSKERNEL_H
