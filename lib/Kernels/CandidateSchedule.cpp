//===- CandidateSchedule.cpp - candidates as attributes -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/CandidateSchedule.h"

using namespace mlir;
using namespace mlir::conv;

ScheduleAttr mlir::conv::getSchedule(MLIRContext *context,
                                     const ::conv::Candidate &candidate,
                                     const PlanOptions &options,
                                     const ::conv::ChipInfo &chip,
                                     ChosenBy chosenBy) {
  const ::conv::MatrixAtom &atom = *candidate.atom;
  return ScheduleAttr::get(
      context, Algorithm::ImplicitGemm, candidate.workgroup, candidate.subgroup,
      candidate.gemmK, candidate.stages,
      AtomAttr::get(context, atom.kind, atom.m, atom.n, atom.k), candidate.loop,
      candidate.columnsFastest ? Raster::Columns : Raster::Rows,
      /*outputTile=*/{}, options.haloTile, options.mergedGroups, options.splits,
      candidate.cluster, options.transposed, /*layouts=*/nullptr,
      /*channelMultiple=*/1, /*im2col=*/0, chosenBy);
}

::conv::Candidate mlir::conv::getCandidate(ScheduleAttr schedule,
                                           const ::conv::ChipInfo &chip,
                                           Type elementType) {
  ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
  ArrayRef<int64_t> subgroup = schedule.getSubgroup();
  return {.atom = lookupAtom(chip, schedule.getAtom(), elementType),
          .workgroup = {workgroup[0], workgroup[1]},
          .subgroup = {subgroup[0], subgroup[1]},
          .gemmK = schedule.getGemmK(),
          .stages = schedule.getStages(),
          .columnsFastest = schedule.getRaster() == Raster::Columns,
          .cluster = schedule.getCluster(),
          .loop = schedule.getMainLoop()};
}
