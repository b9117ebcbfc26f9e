//===- StagedMemory.h - how long tiles keep memory busy ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_STAGEDMEMORY_H
#define CONV_LIB_KERNELS_GEMM_STAGEDMEMORY_H

#include "conv/Kernels/KernelModel.h"

namespace conv {

/// Seconds in which a staged kernel, whose `cost` has its workgroups and bytes,
/// keeps memory busy; on AMD chips, without the split-K combine.
double computeStagedMemorySeconds(const Problem &problem, const ChipInfo &chip,
                                  const Candidate &candidate, const Cost &cost);

} // namespace conv

#endif // CONV_LIB_KERNELS_GEMM_STAGEDMEMORY_H
