//===- CandidateSchedule.h - candidates as attributes -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between a candidate, which models see, and the `#conv.schedule` that
// every later pass obeys.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_CANDIDATESCHEDULE_H
#define CONV_KERNELS_CANDIDATESCHEDULE_H

#include "conv/Kernels/Candidate.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// The candidate as an attribute, with its main loop and its origin.
ScheduleAttr getSchedule(MLIRContext *context,
                         const ::conv::Candidate &candidate,
                         const PlanOptions &options,
                         const ::conv::ChipInfo &chip, ChosenBy chosenBy);

/// The atom and the raster order of a candidate as attributes of kernels.
AtomAttr getAtom(MLIRContext *context, const ::conv::MatrixAtom &atom);
Raster getRaster(const ::conv::Candidate &candidate);

/// The candidate that an attribute describes. The chip must have the atom.
::conv::Candidate getCandidate(ScheduleAttr schedule,
                               const ::conv::ChipInfo &chip, Type elementType);

} // namespace mlir::conv

#endif // CONV_KERNELS_CANDIDATESCHEDULE_H
