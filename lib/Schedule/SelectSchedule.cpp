//===- SelectSchedule.cpp - chooses schedules -----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's schedule wins, first the option and then the attribute of the op;
// then the database, then the best schedule by the cost model. Whoever decided,
// the schedule is checked against the chip here, so that no later pass has to
// check it.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRemarks.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ElementTypes.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Schedule/Database.h"
#include "conv/Schedule/DeviceChip.h"
#include "conv/Schedule/FormSpace.h"
#include "conv/Schedule/Passes.h"
#include "conv/Schedule/RankingMemo.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Schedule/ScheduleSpace.h"
#include "conv/Schedule/WinogradSchedule.h"
#include "conv/Support/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace mlir::conv {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "conv/Schedule/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The value of `option` as a schedule.
static FailureOr<ScheduleAttr> parseSchedule(StringRef option, StringRef text,
                                             MLIRContext *context) {
  auto error = [&] { return emitError(UnknownLoc::get(context)); };
  if (::conv::findDeepNesting(text))
    return error() << "expects " << option << " to have at most "
                   << ::conv::kMaxNesting << " levels of nesting";
  // The parser reports what is wrong, and where in the text.
  Attribute parsed = parseAttribute(text, context);
  if (!parsed)
    return failure();
  if (auto schedule = dyn_cast<ScheduleAttr>(parsed))
    return schedule;
  return error() << "expects " << option
                 << " to be a #conv.schedule<...>, but got " << parsed;
}

namespace {

struct SelectSchedule final
    : mlir::conv::impl::SelectSchedulePassBase<SelectSchedule> {
  using SelectSchedulePassBase::SelectSchedulePassBase;
  SelectSchedule(const SelectSchedulePassOptions &options, ComputeCode compute,
                 RankingMemo *memo)
      : SelectSchedulePassBase(options), computeCode(std::move(compute)),
        memo(memo) {}

  LogicalResult initialize(MLIRContext *context) override {
    if (!algorithm.empty() && !symbolizeAlgorithm(algorithm))
      return emitError(UnknownLoc::get(context))
             << "expects algorithm to be implicit_gemm, direct or winograd, "
                "but got \""
             << algorithm << "\"";
    if (!database.empty()) {
      FailureOr<Database> opened = Database::open(database, context);
      if (failed(opened))
        return failure();
      measured = std::move(*opened);
    }
    excluded.clear();
    for (const std::string &text : exclude) {
      FailureOr<ScheduleAttr> parsed = parseSchedule("exclude", text, context);
      if (failed(parsed))
        return failure();
      // A schedule that spills in one form is not tried in another one.
      excluded.push_back(
          parsed->getProductSchedule().withForm(/*layouts=*/nullptr,
                                                /*channelMultiple=*/1));
    }
    if (schedule.empty())
      return success();
    FailureOr<ScheduleAttr> parsed =
        parseSchedule("schedule", schedule.getValue(), context);
    if (succeeded(parsed))
      given = *parsed;
    return parsed;
  }

  void runOnOperation() override {
    if (computeUnits > 0)
      setComputeUnits(getOperation(), computeUnits);
    WalkResult result = getOperation()->walk([&](ConvolutionOpInterface op) {
      return failed(select(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult select(ConvolutionOpInterface op) {
    TargetAttr target = TargetAttr::lookup(op);
    if (!target)
      return op.emitError() << "expects a module with " << TargetAttr::kName
                            << " around it, but got none";
    ::conv::ChipInfo chip = getDeviceChip(op);
    if (failed(checkElementTypes(op, chip)))
      return failure();
    ScheduleAttr chosen = given ? given : op.getScheduleAttr();
    if (!chosen && measured) {
      FailureOr<ScheduleAttr> found = lookupMeasured(op, chip);
      if (failed(found))
        return failure();
      chosen = *found;
    }
    if (!chosen)
      chosen = selectInAnyForm(op, chip);
    if (!chosen || failed(verifySupportedSchedule(op, chosen, chip)))
      return failure();
    op.setScheduleAttr(chosen);
    remarkDecision(op, chosen, chip);
    return success();
  }

  /// The best schedule of the option's algorithm in the database; null if there
  /// is none.
  FailureOr<ScheduleAttr> lookupMeasured(ConvolutionOpInterface op,
                                         const ::conv::ChipInfo &chip) const {
    std::optional<Algorithm> only = symbolizeAlgorithm(algorithm);
    return measured->lookup(
        op, {compiler, usesStale, computeUnits, computeCode},
        [&](ScheduleAttr schedule) -> LogicalResult {
          if (only && schedule.getAlgorithm() != *only)
            return op.emitError()
                   << "expects the algorithm " << algorithm << ", but got "
                   << stringifyAlgorithm(schedule.getAlgorithm());
          return verifySupportedSchedule(op, schedule, chip);
        });
  }

  /// The fastest schedule by the cost model, including its transforms; null,
  /// with a message, if there is none.
  ScheduleAttr selectInAnyForm(ConvolutionOpInterface op,
                               const ::conv::ChipInfo &chip) const {
    if (symbolizeAlgorithm(algorithm) == Algorithm::Winograd)
      return selectWinograd(op, chip);
    ScheduleAttr best = selectByCost(op, chip, symbolizeAlgorithm(algorithm));
    if (!best)
      return nullptr;
    bool fits = fitsWorkspace(op, best);
    double least = fits ? predictSeconds(op, best, chip)
                        : std::numeric_limits<double>::infinity();
    {
      // If one form has no schedule, another one may.
      ScopedDiagnosticHandler silence(op->getContext(),
                                      [](Diagnostic &) { return success(); });
      for (const OperandForm &form : enumerateForms(op, chip))
        fits |= considerForm(op, form, chip, best, least);
      if (algorithm.empty() && maxError > 0)
        for (const OperandForm &form : enumerateWinogradForms(op, chip))
          if (isPrecise(op, form))
            fits |= considerForm(op, form, chip, best, least);
    }
    if (fits)
      return best;
    refuseWorkspace(op, best);
    return nullptr;
  }

  /// The fastest schedule of Winograd's algorithm; null, with a message, if
  /// there is none.
  ScheduleAttr selectWinograd(ConvolutionOpInterface op,
                              const ::conv::ChipInfo &chip) const {
    if (std::string obstacle = findWinogradObstacle(op); !obstacle.empty()) {
      emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
      return nullptr;
    }
    ScheduleAttr best;
    bool fits = false;
    double least = std::numeric_limits<double>::infinity(), leastError = least;
    SmallVector<OperandForm> forms;
    for (OperandForm &form : enumerateWinogradForms(op, chip)) {
      leastError =
          std::min(leastError, getWinogradErrorFactor(op, form.outputTile));
      if (isPrecise(op, form))
        forms.push_back(std::move(form));
    }
    {
      ScopedDiagnosticHandler silence(op->getContext(),
                                      [](Diagnostic &) { return success(); });
      for (const OperandForm &form : forms)
        fits |= considerForm(op, form, chip, best, least);
    }
    if (!best && !forms.empty()) // Says why the first one has no schedule.
      considerForm(op, forms.front(), chip, best, least);
    if (maxError > 0 && leastError > maxError)
      emitUnsupported(op.getLoc(), Reason::Schedule)
          << "expects winograd to have at most "
          << llvm::formatv("{0:f2}", maxError.getValue()).str()
          << " times the error of a sum, but got "
          << llvm::formatv("{0:f2}", leastError).str();
    if (!fits && best)
      refuseWorkspace(op, best);
    return fits ? best : ScheduleAttr();
  }

  /// Whether the error of Winograd's algorithm in a form is within the limit.
  bool isPrecise(ConvolutionOpInterface op, const OperandForm &form) const {
    return maxError <= 0 ||
           getWinogradErrorFactor(op, form.outputTile) <= maxError;
  }

  /// Replaces `best` by the best schedule in a form if that fits the workspace
  /// and takes less than `least` seconds, or if there is no `best`. Returns
  /// whether it fits.
  bool considerForm(ConvolutionOpInterface op, const OperandForm &form,
                    const ::conv::ChipInfo &chip, ScheduleAttr &best,
                    double &least) const {
    ScheduleAttr schedule = selectInForm(op, form, chip);
    if (!schedule || failed(verifyTransforms(op, schedule, chip)))
      return false;
    if (!best)
      best = schedule;
    if (!fitsWorkspace(op, schedule))
      return false;
    double seconds = predictSeconds(op, schedule, chip);
    if (seconds >= least)
      return true;
    least = seconds;
    best = schedule;
    return true;
  }

  /// The best schedule in a form, or null.
  ScheduleAttr selectInForm(ConvolutionOpInterface op, const OperandForm &form,
                            const ::conv::ChipInfo &chip) const {
    if (!form.outputTile.empty())
      return selectInWinogradForm(
          op, form, [&](ConvolutionOpInterface products) {
            return selectByCost(products, chip, Algorithm::ImplicitGemm);
          });
    OpBuilder builder(op->getContext());
    auto transformed = TransformedConvolution::create(builder, op, form);
    ScheduleAttr schedule =
        selectByCost(transformed.op, chip, symbolizeAlgorithm(algorithm));
    transformed.erase();
    return schedule ? form.apply(schedule) : schedule;
  }

  bool fitsWorkspace(ConvolutionOpInterface op, ScheduleAttr schedule) const {
    return maxWorkspace < 0 ||
           computeWorkspaceBytes(op, schedule) <= maxWorkspace;
  }

  void refuseWorkspace(ConvolutionOpInterface op, ScheduleAttr best) const {
    emitUnsupported(op.getLoc(), Reason::Schedule)
        << "expects a workspace of at most " << maxWorkspace.getValue()
        << " bytes, but got " << computeWorkspaceBytes(op, best)
        << " for the fastest schedule";
  }

  /// The first allowed schedule, of all algorithms or of one; null, with a
  /// message, if there is none.
  ScheduleAttr selectByCost(ConvolutionOpInterface op,
                            const ::conv::ChipInfo &chip,
                            std::optional<Algorithm> only) const {
    size_t turn = rankings++;
    ScheduleAttr tooLarge; // The first one that the workspace does not hold.
    std::vector<RankedSchedule> ranked;
    if (memo)
      ranked = memo->recall(turn, op, only);
    if (ScheduleAttr schedule = findAllowed(op, chip, ranked, tooLarge))
      return schedule;
    // The best one is allowed nearly always, and if it is not, a similar one.
    SmallVector<std::optional<double>, 3> reaches = {1.125, 2.0, std::nullopt};
    if (!ranked.empty()) // These were ranked before.
      reaches.erase(reaches.begin());
    for (std::optional<double> reach : reaches) {
      ranked = rankSchedules(op, chip, only, reach);
      if (memo)
        memo->remember(turn, op, only, ranked);
      if (ScheduleAttr schedule = findAllowed(op, chip, ranked, tooLarge))
        return schedule;
    }
    if (tooLarge)
      refuseWorkspace(op, tooLarge);
    else
      refuseProduct(op, chip, only, ranked.empty());
    return nullptr;
  }

  /// The first allowed schedule of a ranking; null if there is none. `tooLarge`
  /// is the first one that only the workspace does not hold.
  ScheduleAttr findAllowed(ConvolutionOpInterface op,
                           const ::conv::ChipInfo &chip,
                           ArrayRef<RankedSchedule> ranked,
                           ScheduleAttr &tooLarge) const {
    FewestRegisters spilled = countSpilledRegisters(op, chip);
    for (const RankedSchedule &one : ranked) {
      ScheduleAttr schedule = one.get(op.getContext(), chip);
      const KernelFamily &family = getKernelFamily(schedule);
      auto fewest = spilled.find(&family);
      bool spills = fewest != spilled.end() &&
                    one.cost.registers.total() >= fewest->second;
      bool isLarge = stepElements > 0 &&
                     family.countStepElements(schedule) >= stepElements;
      if (spills || isLarge || llvm::is_contained(excluded, schedule))
        continue;
      if (fitsWorkspace(op, schedule))
        return schedule;
      if (!tooLarge)
        tooLarge = schedule;
    }
    return nullptr;
  }

  static std::string explainDirectAbsence(ConvolutionOpInterface op,
                                          const ::conv::ChipInfo &chip) {
    StringRef loopName = stringifyLoop(DirectLoop::Rows);
    return getKernelFamily(loopName).explainAbsence(loopName, op, chip);
  }

  /// Reports why there is no schedule, or no allowed one.
  void refuseProduct(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                     std::optional<Algorithm> only, bool isAbsent) const {
    if (only == Algorithm::Direct)
      emitUnsupported(op.getLoc(), Reason::Schedule)
          << "expects a convolution for the algorithm direct, but "
          << (isAbsent ? explainDirectAbsence(op, chip)
                       : "all of its schedules are excluded");
    else
      emitUnsupported(op.getLoc(), Reason::ProblemSize)
          << "expects a result that one launch can compute, but got "
          << op.getResultType();
  }

  /// The fewest registers of each family's excluded schedules, which spilled.
  using FewestRegisters = llvm::SmallDenseMap<const KernelFamily *, int64_t, 2>;
  FewestRegisters countSpilledRegisters(ConvolutionOpInterface op,
                                        const ::conv::ChipInfo &chip) const {
    FewestRegisters fewest;
    for (ScheduleAttr schedule : excluded) {
      const KernelFamily &family = getKernelFamily(schedule);
      if (auto registers = family.countRegisters(op, schedule, chip)) {
        auto [known, isNew] = fewest.try_emplace(&family, *registers);
        known->second = std::min(known->second, *registers);
      }
    }
    return fewest;
  }

  ScheduleAttr given; ///< The option, parsed.
  SmallVector<ScheduleAttr> excluded;
  std::optional<Database> measured; ///< Opened from the option.
  ComputeCode computeCode;          ///< May be empty.
  RankingMemo *memo = nullptr;
  mutable size_t rankings = 0; ///< That the memo has been asked for.
};

} // namespace

std::unique_ptr<Pass>
mlir::conv::createSelectSchedulePass(const SelectSchedulePassOptions &options,
                                     ComputeCode computeCode,
                                     RankingMemo *memo) {
  return std::make_unique<SelectSchedule>(options, std::move(computeCode),
                                          memo);
}
