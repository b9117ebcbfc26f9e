//===- LineModel.h - candidates of the line_buffer main loop ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles there are for warpgroups that multiply windows on buffered lines
// with a filter in shared memory, and what they cost. Such kernels are for few
// channels: a tile is one step, whose parts follow each other in a warpgroup
// and overlap between warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINEMODEL_H
#define CONV_KERNELS_LINEBUFFER_LINEMODEL_H

#include "conv/Kernels/Gemm/CostModel.h"

#include <vector>

namespace conv {

/// All candidates with this atom that the chip can run for the problem.
std::vector<Candidate> listLineCandidates(const Problem &problem,
                                          const ChipInfo &chip,
                                          const MatrixAtom &atom);

/// Predicts a candidate of `listLineCandidates`.
Cost computeLineCost(const Problem &problem, const ChipInfo &chip,
                     const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_LINEBUFFER_LINEMODEL_H
