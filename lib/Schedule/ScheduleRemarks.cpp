//===- ScheduleRemarks.cpp - remarks about selected schedules -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRemarks.h"

#include "conv/Kernels/KernelFamily.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/ScheduleSpace.h"

#include "mlir/IR/Remarks.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

#define DEBUG_TYPE "conv-select-schedule"

using namespace mlir;
using namespace mlir::conv;

template <typename T> static std::string printToString(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Emits a remark with the predicted cost of a product.
static void remarkProductCost(ConvolutionOpInterface op, ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip) {
  const KernelFamily &family = getKernelFamily(schedule);
  ::conv::Cost cost = family.predict(op, schedule, chip);
  auto remark = remark::analysis(
      op.getLoc(), remark::RemarkOpts::name("Predicted").category(DEBUG_TYPE));
  remark << remark::metric("microseconds",
                           llvm::formatv("{0:F1}", cost.seconds * 1e6).str())
         << remark::metric("workgroups", cost.workgroups)
         << remark::metric("shared_bytes", cost.sharedBytes);
  if (family.hasModel())
    remark << remark::metric("limit", ::conv::getName(cost.limit).data())
           << remark::metric("waves_per_simd",
                             llvm::formatv("{0:F1}", cost.wavesPerSimd).str())
           << remark::metric("registers", cost.registers.total());
}

/// Emits a remark with the number of candidates that each rule excluded.
/// Candidates are ranked again for it, so only if remarks are enabled.
static void remarkRejections(ConvolutionOpInterface op,
                             const PlanOptions &options,
                             const ::conv::ChipInfo &chip) {
  if (!op->getContext()->getRemarkEngine())
    return;
  std::map<::conv::Rejection, int64_t> counts;
  for (const ::conv::RejectedCandidate &rejected :
       ::conv::rankCandidates(computeProblem(op, options), chip).rejected)
    ++counts[rejected.reason];
  for (auto [reason, count] : counts)
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("Rejected").category(DEBUG_TYPE))
        << remark::metric("reason", ::conv::getName(reason).data())
        << remark::metric("candidates", count);
}

/// Emits a remark with the predicted cost of a transform.
static void remarkTransform(Operation *transform, double seconds) {
  remark::analysis(transform->getLoc(),
                   remark::RemarkOpts::name("Transform").category(DEBUG_TYPE))
      << remark::metric("microseconds",
                        llvm::formatv("{0:F1}", seconds * 1e6).str())
      << remark::metric("source",
                        printToString(transform->getOperand(0).getType()))
      << remark::metric("result",
                        printToString(transform->getResult(0).getType()));
}

/// Emits remarks with the predicted cost of the kernels of all products.
static void remarkCost(ConvolutionOpInterface op, ScheduleAttr schedule,
                       const ::conv::ChipInfo &chip) {
  remarkProductCost(op, schedule, chip);
  if (schedule.getChosenBy() == ChosenBy::Heuristic &&
      getKernelFamily(schedule).hasModel())
    remarkRejections(op, getPlanOptions(schedule), chip);
}

void mlir::conv::remarkDecision(ConvolutionOpInterface op,
                                ScheduleAttr schedule,
                                const ::conv::ChipInfo &chip) {
  remark::passed(op.getLoc(),
                 remark::RemarkOpts::name("Selected").category(DEBUG_TYPE))
      << remark::metric("chosen_by", stringifyChosenBy(schedule.getChosenBy()))
      << remark::metric("schedule", printToString(schedule));
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        for (Operation *transform : transforms)
          remarkTransform(transform, predictTransform(transform, chip));
        remarkCost(own, schedule.getProductSchedule(), chip);
      });
}
