//===- StagedStep.h - costs of a step of staged tiles -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_STAGEDSTEP_H
#define CONV_LIB_KERNELS_GEMM_STAGEDSTEP_H

#include "conv/Kernels/Candidate.h"

namespace conv {

/// Bytes of the cache lines around a run of an operand, of which at most `most`
/// elements are read together, as a multiple of the bytes of the run. A line
/// that the next run needs, too, is counted once.
double computeLineShare(const ChipInfo &chip, NumericType operand,
                        const Run &run, int64_t most);

/// Cycles in which the vector instructions of a wave's step occupy a SIMD unit.
double computeVectorCycles(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate);

/// Cycles in which both tiles are written to shared memory.
double computeWriteCycles(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

/// Bytes of a result tile and of the operands that its epilogue reads.
double countStoredBytes(const Problem &problem, const Candidate &candidate);

/// Cycles in which a step of one workgroup occupies the matrix units.
double computeMatrixCycles(const ChipInfo &chip, const Candidate &candidate);

/// Fills in how long one step of one workgroup occupies each unit.
void countStep(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate, Cost &cost);

} // namespace conv

#endif // CONV_LIB_KERNELS_GEMM_STAGEDSTEP_H
