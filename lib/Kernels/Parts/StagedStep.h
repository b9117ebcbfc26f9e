//===- StagedStep.h - what a step of staged tiles asks for ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_STAGEDSTEP_H
#define CONV_LIB_KERNELS_PARTS_STAGEDSTEP_H

#include "conv/Kernels/Candidate.h"

namespace conv {

/// Bytes of the cache lines around a run of an operand, of which `most`
/// elements are read together, as a multiple of its own. Lines that the next
/// run needs, too, are not counted for both.
double computeLineShare(const ChipInfo &chip, NumericType operand,
                        const Run &run, int64_t most);

/// Cycles in which vector instructions of a wave's step occupy a SIMD unit.
double computeVectorCycles(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate);

/// Cycles of shared memory in which both tiles are written.
double computeWriteCycles(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate);

/// Bytes of a tile of the result, and of what its epilogue reads.
double countStoredBytes(const Problem &problem, const Candidate &candidate);

/// Fills in what one step of one workgroup asks of each unit.
void countStep(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate, Cost &cost);

} // namespace conv

#endif // CONV_LIB_KERNELS_PARTS_STAGEDSTEP_H
