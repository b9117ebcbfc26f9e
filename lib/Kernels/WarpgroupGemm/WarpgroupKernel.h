//===- WarpgroupKernel.h - warp-specialised kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPKERNEL_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPKERNEL_H

#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

/// When the kernel after one of the family may start. Fails with a diagnostic
/// if the copy engine cannot move the operands.
FailureOr<NextKernel> selectNextOfTma(ArrayRef<TiledConvolution> forms,
                                      const ::conv::ChipInfo &chip);

/// `buildKernel` of the family: operands and results are passed as
/// tensor maps, operands of the epilogue as addresses. Fails with a diagnostic
/// if the copy engine cannot move the operands.
FailureOr<BuiltKernel>
buildWarpgroupGemm(OpBuilder &builder, ArrayRef<KernelSubproblem> subproblems,
                   const ::conv::ChipInfo &chip, StringRef name);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPKERNEL_H
