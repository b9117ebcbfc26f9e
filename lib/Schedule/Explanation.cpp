//===- Explanation.cpp - the facts of one decision ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/KernelModel.h"
#include "conv/Schedule/DeviceChip.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

Explanation::Explanation(ConvolutionOpInterface op)
    : op(op), chip(getDeviceChip(op)),
      problem(computeProblem(op, getPlanOptions(op.getScheduleAttr()))),
      schedule(op.getScheduleAttr()),
      candidate(getCandidate(schedule, chip, getOperandElementType(op))),
      cost(::conv::computeCost(problem, chip, candidate)),
      ranking(::conv::rankCandidates(problem, chip)),
      peakFlops(::conv::peakFlops(chip, *candidate.atom)),
      balance(peakFlops / (chip.memoryGBs * 1e9)) {
  for (::conv::RankedCandidate &one :
       MutableArrayRef(ranking.accepted).take_front(kListedCandidates))
    one.candidate.model->complete(problem, chip, one.candidate);
  for (const ::conv::RejectedCandidate &one : ranking.rejected) {
    RejectedGroup &group = rejected[one.reason];
    if (group.count++ == 0)
      group.example = one.candidate;
  }
}

std::string mlir::conv::formatReason(const Explanation &all,
                                     ::conv::Rejection reason,
                                     const ::conv::Candidate &candidate) {
  const ::conv::KernelModel &model = *candidate.model;
  if (reason == ::conv::Rejection::LaunchSize)
    return formatv("more than {0} workgroups",
                   ::conv::computeMaxWorkgroups(
                       model.countWorkItems(all.chip, candidate)));
  return model.explainRejection(all.problem, all.chip, candidate, reason);
}
