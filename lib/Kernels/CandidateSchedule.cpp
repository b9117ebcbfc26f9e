//===- CandidateSchedule.cpp - candidates as attributes -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/CandidateSchedule.h"

#include "conv/Kernels/KernelFamily.h"

using namespace mlir;
using namespace mlir::conv;

ScheduleAttr mlir::conv::getSchedule(MLIRContext *context,
                                     const ::conv::Candidate &candidate,
                                     const PlanOptions &options,
                                     const ::conv::ChipInfo &chip,
                                     ChosenBy chosenBy) {
  KernelAttrInterface kernel =
      getKernelFamily(*candidate.model)
          .getKernel(context, candidate, options.haloTile);
  return ScheduleAttr::get(kernel, options.mergedGroups, options.splits,
                           options.transposed, chosenBy);
}

AtomAttr mlir::conv::getAtom(MLIRContext *context,
                             const ::conv::MatrixAtom &atom) {
  return AtomAttr::get(context, atom.kind, atom.m, atom.n, atom.k);
}

Raster mlir::conv::getRaster(const ::conv::Candidate &candidate) {
  return candidate.columnsFastest ? Raster::Columns : Raster::Rows;
}

::conv::Candidate mlir::conv::getCandidate(ScheduleAttr schedule,
                                           const ::conv::ChipInfo &chip,
                                           Type elementType) {
  ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
  ArrayRef<int64_t> subgroup = schedule.getSubgroup();
  auto staged = dyn_cast<StagedGemmAttr>(schedule.getKernel());
  return {.atom = lookupAtom(chip, schedule.getAtom(), elementType),
          .workgroup = {workgroup[0], workgroup[1]},
          .subgroup = {subgroup[0], subgroup[1]},
          .gemmK = schedule.getGemmK(),
          .stages = schedule.getStages(),
          .columnsFastest = schedule.getRaster() == Raster::Columns,
          .cluster = schedule.getCluster(),
          .promotion = schedule.getPromotion(),
          .producer = schedule.getProducer(),
          .loop = staged ? staged.getMainLoop() : StagedLoop::Registers,
          .lastRound = staged ? staged.getLastRound() : 0,
          .model = getKernelFamily(schedule).getModel()};
}
