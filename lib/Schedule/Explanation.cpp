//===- Explanation.cpp - the facts of one decision ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/Parts/StagedModel.h"
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
  int64_t workItems = candidate.model->countWorkItems(all.chip, candidate);
  switch (reason) {
  case ::conv::Rejection::SharedMemory:
    return formatv("{0} bytes of {1}", ::conv::computeSharedBytes(candidate),
                   all.chip.sharedMemoryBytes);
  case ::conv::Rejection::WorkgroupSize:
    return formatv("{0} work-items of {1}", workItems,
                   all.chip.maxWorkgroupSize);
  case ::conv::Rejection::UnevenCopy:
    return formatv("{0} work-items", workItems);
  case ::conv::Rejection::Registers:
    return formatv(
        "up to {0} registers of {1}",
        ::conv::computeNeededRegisters(
            all.chip,
            ::conv::computeRegisters(all.problem, all.chip, candidate)),
        ::conv::computeAvailableRegisters(all.chip, candidate.subgroups()));
  case ::conv::Rejection::LaunchSize:
    return formatv("more than {0} workgroups",
                   ::conv::computeMaxWorkgroups(workItems));
  case ::conv::Rejection::None:
    break;
  }
  return "";
}
