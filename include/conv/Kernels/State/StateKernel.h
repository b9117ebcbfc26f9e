//===- StateKernel.h - kernels of ops on states -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_STATE_STATEKERNEL_H
#define CONV_KERNELS_STATE_STATEKERNEL_H

#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

/// Builds the kernel of `op` at the insertion point, which reads and writes
/// `buffers`: those of its operands, then of its results. `op` is one on
/// states, or a dynamic convolution with run-time sizes.
FailureOr<BuiltKernel> buildStateKernel(OpBuilder &builder, Operation *op,
                                        ArrayRef<Value> buffers,
                                        StringRef name);

} // namespace mlir::conv

#endif // CONV_KERNELS_STATE_STATEKERNEL_H
