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

/// A run-time size, divided by `per` and rounded up.
struct SizeFactor {
  unsigned size; ///< Its index among the function's sizes.
  int64_t per = 1;
};

/// A kernel that takes run-time sizes of the function as i32 after `arguments`.
/// With `factors`, the number of workgroups is `workgroups` times all factors,
/// divided by `workgroupsPer` and rounded up.
struct SizedKernel : BuiltKernel {
  unsigned sizes = 0;
  SmallVector<SizeFactor> factors;
  int64_t workgroupsPer = 1;
};

/// Selects how the kernel of `op` overlaps with its neighbours on a stream. The
/// chip can do that.
LaunchAttr selectStateLaunch(Operation *op, const ::conv::ChipInfo &chip);

/// Builds the kernel of `op` at the insertion point. The kernel reads and
/// writes `buffers`: the op's operands, then its results. `op` works on states,
/// or is a dynamic convolution with run-time sizes.
FailureOr<SizedKernel> buildStateKernel(OpBuilder &builder, Operation *op,
                                        ArrayRef<Value> buffers,
                                        StringRef name);

} // namespace mlir::conv

#endif // CONV_KERNELS_STATE_STATEKERNEL_H
