//===- PlanList.cpp - the best schedule of each plan ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family ranks the convolution in its own form; each way to form matrices
// that families share, each form with transforms, and Winograd's algorithm get
// the best schedule of all families.
//
//===----------------------------------------------------------------------===//

#include "PlanList.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/ScheduleSpace.h"
#include "conv/Schedule/WinogradSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

namespace {
/// Plan options that several families have.
struct Way {
  StringRef name;
  /// How a plan has it; empty if it does not.
  std::string (*describe)(const PlanOptions &options);
  /// Why no schedule has it.
  std::string (*explainAbsence)(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip);
};
} // namespace

static const Way kWays[] = {
    {"split_k",
     [](const PlanOptions &options) -> std::string {
       if (options.splits == 1)
         return "";
       return formatv("{0} slices", options.splits);
     },
     explainNoSplits},
    {"merged_groups",
     [](const PlanOptions &options) -> std::string {
       if (options.mergedGroups == 1)
         return "";
       return formatv("{0} of them", options.mergedGroups);
     },
     explainNoMergedGroups},
    {"transposed",
     [](const PlanOptions &options) -> std::string {
       return options.transposed ? "channels are rows" : "";
     },
     explainNoTransposed},
};

/// The best schedule of each main loop, and of each way, by name, in the
/// convolution's own form.
static std::map<StringRef, PlanChoice>
rankInOwnForm(ConvolutionOpInterface op, const ::conv::ChipInfo &chip) {
  std::map<StringRef, PlanChoice> best;
  for (const RankedSchedule &one : rankSchedules(op, chip)) {
    ScheduleAttr schedule = one.get(op.getContext(), chip);
    StringRef loop = schedule.getKernel().getLoopName();
    auto note = [&](StringRef name, const std::string &remark) {
      PlanChoice &choice = best[name];
      if (!choice.schedule)
        choice = {name.str(), schedule, one.cost, 0, 0, remark};
    };
    note(loop, one.isFirst
                   ? "before others: its times were not compared with theirs"
                   : "");
    for (const Way &way : kWays)
      if (std::string text = way.describe(getPlanOptions(schedule));
          !text.empty())
        note(way.name, text + ", by " + loop.str());
  }
  return best;
}

static std::string formatForm(const OperandForm &form,
                              ConvolutionOpInterface op) {
  LayoutsAttr layouts = form.layouts ? form.layouts : op.getLayouts();
  std::string text = "in " + layouts.getInput().str() + " " +
                     layouts.getFilter().str() + " " +
                     layouts.getOutput().str();
  if (form.channelMultiple > 1)
    text += ", channels padded to " + std::to_string(form.channelMultiple);
  if (form.im2col > 0)
    text += ", im2col along " + std::to_string(form.im2col);
  if (form.spaceToBatch > 1)
    text += ", " + std::to_string(form.spaceToBatch) + " strips of an image";
  if (form.operandType)
    text += formatv(", operands as {0}", form.operandType);
  return text;
}

/// The schedule that would be chosen for the products of a form; null if there
/// is none.
static ScheduleAttr selectProduct(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip,
                                  std::optional<Algorithm> only) {
  std::vector<RankedSchedule> ranked = rankSchedules(op, chip, only);
  return ranked.empty() ? ScheduleAttr()
                        : ranked.front().get(op.getContext(), chip);
}

/// Sets what the choice's schedule is predicted to take, and how much of that
/// its transforms take.
static void predictChoice(ConvolutionOpInterface op,
                          const ::conv::ChipInfo &chip, PlanChoice &choice) {
  ScheduleAttr schedule = choice.schedule;
  visitInForm(
      op, schedule,
      [&](ConvolutionOpInterface own, ArrayRef<Operation *> transforms) {
        choice.product = getKernelFamily(schedule).predict(
            own, schedule.getProductSchedule(), chip);
        for (Operation *transform : transforms)
          choice.transformSeconds += predictTransform(transform, chip);
      });
}

static PlanChoice listForm(ConvolutionOpInterface op, const OperandForm &form,
                           const ::conv::ChipInfo &chip) {
  PlanChoice choice{.name = formatForm(form, op)};
  OpBuilder builder(op->getContext());
  auto transformed = TransformedConvolution::create(builder, op, form);
  ScheduleAttr product = selectProduct(transformed.op, chip, /*only=*/{});
  transformed.erase();
  if (!product) {
    choice.note = "no family computes it";
    return choice;
  }
  choice.schedule = form.apply(product);
  predictChoice(op, chip, choice);
  choice.note = "by " + product.getKernel().getLoopName().str();
  return choice;
}

static PlanChoice listWinograd(ConvolutionOpInterface op,
                               const ::conv::ChipInfo &chip) {
  PlanChoice best{.name = "winograd", .note = findWinogradObstacle(op)};
  if (!best.note.empty())
    return best;
  best.note = "the chip has no product of f32";
  for (const OperandForm &form : enumerateWinogradForms(op, chip)) {
    ScheduleAttr schedule =
        selectInWinogradForm(op, form, [&](ConvolutionOpInterface products) {
          return selectProduct(products, chip, Algorithm::ImplicitGemm);
        });
    if (!schedule)
      continue;
    PlanChoice choice{.name = best.name, .schedule = schedule};
    predictChoice(op, chip, choice);
    if (best.schedule && best.seconds() <= choice.seconds())
      continue;
    best = choice;
    best.note =
        "tiles of " +
        llvm::join(
            llvm::map_range(schedule.getOutputTile(),
                            [](int64_t size) { return std::to_string(size); }),
            " x ") +
        formatv(" results; by --algorithm=winograd or "
                "--max-error={0}",
                static_cast<int64_t>(std::ceil(
                    getWinogradErrorFactor(op, schedule.getOutputTile()))))
            .str();
  }
  return best;
}

std::vector<PlanChoice> mlir::conv::listPlans(ConvolutionOpInterface op,
                                              const ::conv::ChipInfo &chip) {
  std::vector<PlanChoice> plans;
  std::map<StringRef, PlanChoice> best = rankInOwnForm(op, chip);
  auto list = [&](StringRef name, function_ref<std::string()> explainAbsence) {
    PlanChoice &choice = best[name];
    choice.name = name;
    if (!choice.schedule)
      choice.note = explainAbsence();
    plans.push_back(choice);
  };
  for (const KernelFamily *family : getKernelFamilies())
    for (StringRef name : family->getLoopNames())
      list(name, [&] { return family->explainAbsence(name, op, chip); });
  for (const Way &way : kWays)
    list(way.name, [&] { return way.explainAbsence(op, chip); });
  SmallVector<OperandForm> forms = enumerateForms(op, chip);
  for (const OperandForm &form : forms)
    plans.push_back(listForm(op, form, chip));
  if (forms.empty())
    list("in another form", [&] { return explainNoForms(op, chip); });
  plans.push_back(listWinograd(op, chip));
  // The fastest plans first, impossible ones last; ties keep the order above.
  for (auto [place, plan] : llvm::enumerate(plans))
    plan.place = place;
  llvm::sort(plans, [](const PlanChoice &a, const PlanChoice &b) {
    return std::tuple(!a.schedule, a.seconds(), a.place) <
           std::tuple(!b.schedule, b.seconds(), b.place);
  });
  return plans;
}
