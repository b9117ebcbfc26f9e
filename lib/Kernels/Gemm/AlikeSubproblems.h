//===- AlikeSubproblems.h - which subproblems share code --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_ALIKESUBPROBLEMS_H
#define CONV_LIB_KERNELS_GEMM_ALIKESUBPROBLEMS_H

#include "conv/Chip/Chip.h"
#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

/// The number of subproblems, from the first on, that one staged body computes.
size_t countAlikeSubproblems(ArrayRef<KernelSubproblem> subproblems,
                             const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_ALIKESUBPROBLEMS_H
