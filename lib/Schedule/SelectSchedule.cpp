//===- SelectSchedule.cpp - decides how each convolution is computed ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's schedule wins, as an option or else on the op; without one the
// best candidate of the cost model is taken. Whoever decided, the schedule is
// checked against the chip here, so that no later pass has to.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Schedule/DirectModel.h"
#include "conv/Schedule/DirectSchedule.h"
#include "conv/Schedule/Passes.h"
#include "conv/Schedule/Schedule.h"
#include "conv/Support/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Remarks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <map>

#define DEBUG_TYPE "conv-select-schedule"

namespace mlir::conv {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "conv/Schedule/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Rows or columns of tiles beyond which options make no difference.
static constexpr int64_t kLargestTile = 256;
/// More parts are more to add up than there is to gain.
static constexpr int64_t kMaxSplits = 64;
/// The same for parts of a single tile, which are all that there is to compute
/// side by side. So many were measured.
static constexpr int64_t kMaxSplitsOfTile = 112;
/// Sides of patches: larger ones, of which halos are a smaller part, come
/// first, since of equal costs the first one is taken.
static constexpr int64_t kPatchSides[] = {16, 8};
/// Rows of a tile, and how often its tiles fill the chip, that parts of a
/// reduction over patches are counted for.
static constexpr int64_t kPatchRows[] = {64, 128, 192, 256};
static constexpr int64_t kMaxWaves = 4;

static std::string printToString(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Says what the cost model expects of a direct schedule, which is supported.
static void remarkDirectCost(ConvolutionOpInterface op, ScheduleAttr schedule,
                             const ::conv::ChipInfo &chip) {
  DirectCost cost = predictDirectSchedule(op, schedule, chip);
  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("Predicted").category(DEBUG_TYPE))
      << remark::metric("microseconds",
                        llvm::formatv("{0:F1}", cost.seconds() * 1e6).str())
      << remark::metric("workgroups", cost.workgroups)
      << remark::metric("shared_bytes", cost.sharedBytes)
      << remark::metric(
             "traffic",
             llvm::formatv("{0:F3}", cost.memoryBytes / cost.compulsoryBytes)
                 .str());
}

/// Says who decided, and what the cost model expects of it.
static void remarkDecision(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) {
  remark::passed(op.getLoc(),
                 remark::RemarkOpts::name("Selected").category(DEBUG_TYPE))
      << remark::metric("chosen_by", stringifyChosenBy(schedule.getChosenBy()))
      << remark::metric("schedule", printToString(schedule));
  if (schedule.isDirect())
    return remarkDirectCost(op, schedule, chip);
  Type elementType = getOperandElementType(op);
  ::conv::Cost cost =
      ::conv::computeCost(computeProblem(op, getPlanOptions(schedule)), chip,
                          getCandidate(schedule, chip, elementType));
  remark::analysis(op.getLoc(),
                   remark::RemarkOpts::name("Predicted").category(DEBUG_TYPE))
      << remark::metric("limit", ::conv::getName(cost.limit).data())
      << remark::metric("microseconds",
                        llvm::formatv("{0:F1}", cost.seconds * 1e6).str())
      << remark::metric("workgroups", cost.workgroups)
      << remark::metric("waves_per_simd",
                        llvm::formatv("{0:F1}", cost.wavesPerSimd).str())
      << remark::metric("registers", cost.registers.total())
      << remark::metric("shared_bytes", cost.sharedBytes);
}

/// Says how many candidates each rule ruled out.
static void remarkRejections(ConvolutionOpInterface op,
                             const ::conv::Ranking &ranking) {
  std::map<::conv::Rejection, int64_t> counts;
  for (const ::conv::RejectedCandidate &rejected : ranking.rejected)
    ++counts[rejected.reason];
  for (auto [reason, count] : counts)
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("Rejected").category(DEBUG_TYPE))
        << remark::metric("reason", ::conv::getName(reason).data())
        << remark::metric("candidates", count);
}

/// Whether the chip multiplies these operands.
static LogicalResult verifyElementTypes(ConvolutionOpInterface op,
                                        const ::conv::ChipInfo &chip) {
  ::conv::NumericType operand =
      getMultipliedType(chip, getOperandNumericType(op));
  llvm::SmallSetVector<StringRef, 8> supported;
  for (const ::conv::MatrixAtom &atom : chip.atoms) {
    if (atom.operand == operand)
      return success();
    supported.insert(::conv::getName(atom.operand));
  }
  return emitUnsupported(op.getLoc(), Reason::ElementType)
         << "expects operands of one of the types "
         << llvm::join(supported, ", ") << " for " << chip.name << ", but got "
         << op.getLhs().getType().getElementType() << " and "
         << op.getRhs().getType().getElementType() << " in "
         << stringifyArithmetic(op.getArithmetic()) << " arithmetic";
}

/// Groups that do not fill a tile: side by side they may.
static void addMergedGroups(ConvolutionOpInterface op,
                            const ::conv::Problem &plain,
                            SmallVectorImpl<PlanOptions> &all) {
  for (int64_t merged = 2;
       op.getGroups() % merged == 0 && plain.columns * merged <= kLargestTile;
       merged *= 2)
    all.push_back({.mergedGroups = merged});
}

/// Numbers of parts for products that do not fill the chip.
static SmallVector<int64_t> enumerateSplits(ConvolutionOpInterface op,
                                            const ::conv::Problem &plain,
                                            const ::conv::ChipInfo &chip) {
  SmallVector<int64_t> all;
  int64_t tiles = llvm::divideCeil(plain.rows, kLargestTile) *
                  llvm::divideCeil(plain.columns, kLargestTile) * plain.batch;
  int64_t longest = getSplittableSize(op);
  for (int64_t splits = 2; splits <= std::min(longest, kMaxSplits) &&
                           tiles * splits <= 4 * chip.computeUnits;
       splits *= 2)
    all.push_back(splits);
  // As many equal parts as there are compute units, or a few less.
  if (tiles == 1 && longest > 1) {
    int64_t splits =
        std::min<int64_t>({longest, chip.computeUnits, kMaxSplitsOfTile});
    while (longest % splits != 0)
      --splits;
    if (splits > 1)
      all.push_back(splits);
  }
  return all;
}

/// Numbers of parts of a reduction over patches, which need not divide it:
/// those that are the shortest among as many as fill the chip once, or a few
/// times.
static SmallVector<int64_t> enumeratePatchSplits(ConvolutionOpInterface op,
                                                 PlanOptions options,
                                                 const ::conv::ChipInfo &chip) {
  ::conv::Problem problem = computeProblem(op, options);
  if (problem.tmaSteps == 0)
    return {};
  int64_t last = std::min(getSplittableSize(op, options), kMaxSplits);
  // The shortest parts among up to so many: the fewest of that length.
  SmallVector<int64_t> shortest = {1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (options.splits = 1; options.splits <= last; ++options.splits) {
    int64_t size = getPartSize(op, options);
    shortest.push_back(size < least ? options.splits : shortest.back());
    least = std::min(least, size);
  }
  llvm::SmallSetVector<int64_t, 16> all;
  for (int64_t rows : kPatchRows) {
    int64_t tiles = llvm::divideCeil(problem.rows, rows) *
                    (problem.columns / problem.patch->columns);
    for (int64_t waves = 1; waves <= kMaxWaves; ++waves)
      all.insert(shortest[std::min(waves * chip.computeUnits / tiles, last)]);
  }
  return SmallVector<int64_t>(all.begin(), all.end());
}

/// Taps that read the same elements. `parts` are numbers of parts for products
/// whose rows are positions.
static void addPatches(ConvolutionOpInterface op, ArrayRef<int64_t> parts,
                       const ::conv::ChipInfo &chip,
                       SmallVectorImpl<PlanOptions> &all) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  bool isStrided = llvm::any_of(shape.strides, [](int64_t s) { return s > 1; });
  if (op.getDirection() == Direction::BackwardWeight) {
    constexpr int64_t kSide = PlanOptions::kBlockSize;
    SmallVector<int64_t, 2> patch = {kSide, kSide};
    if (!isStrided)
      for (int64_t splits : enumeratePatchSplits(op, {.patch = patch}, chip))
        all.push_back({.splits = splits, .patch = patch});
    return;
  }
  for (int64_t height : kPatchSides)
    for (int64_t width : kPatchSides) {
      SmallVector<int64_t, 2> patch = {height, width};
      all.push_back({.patch = patch, .joinsResidues = true});
      // Patches of one residue would be read again for the others.
      if (isStrided)
        continue;
      all.push_back({.patch = patch});
      for (int64_t splits : parts)
        all.push_back({.splits = splits, .patch = patch});
    }
}

/// The options that are worth a ranking of their own, the plainest first.
static SmallVector<PlanOptions> enumerateOptions(ConvolutionOpInterface op,
                                                 const ::conv::ChipInfo &chip) {
  SmallVector<PlanOptions> all = {PlanOptions()};
  if (chip.backend == ::conv::Backend::Host)
    return all;
  ::conv::Problem plain = computeProblem(op, PlanOptions());
  addMergedGroups(op, plain, all);
  SmallVector<int64_t> parts = enumerateSplits(op, plain, chip);
  for (int64_t splits : parts)
    all.push_back({.splits = splits});
  bool hasBoxes = llvm::any_of(chip.atoms, [](const ::conv::MatrixAtom &atom) {
    return atom.kind == ::conv::AtomKind::WGMMA;
  });
  if (hasBoxes && llvm::product_of(ConvolutionShape::get(op).filter) > 1)
    addPatches(op, parts, chip, all);
  return all;
}

namespace {

struct SelectSchedule final
    : mlir::conv::impl::SelectSchedulePassBase<SelectSchedule> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (!algorithm.empty() && !symbolizeAlgorithm(algorithm))
      return emitError(UnknownLoc::get(context))
             << "expects algorithm to be implicit_gemm or direct, but got \""
             << algorithm << "\"";
    if (schedule.empty())
      return success();
    if (::conv::findDeepNesting(schedule.getValue()))
      return emitError(UnknownLoc::get(context))
             << "expects schedule to have at most " << ::conv::kMaxNesting
             << " levels of nesting";
    // The parser reports what is wrong, and where in the text.
    Attribute parsed = parseAttribute(schedule, context);
    given = dyn_cast_if_present<ScheduleAttr>(parsed);
    if (parsed && !given)
      return emitError(UnknownLoc::get(context))
             << "expects schedule to be a #conv.schedule<...>, but got "
             << parsed;
    return success(given != nullptr);
  }

  void runOnOperation() override {
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
                            << " around it, but there is none";
    const ::conv::ChipInfo &chip = target.getInfo();
    if (failed(verifyElementTypes(op, chip)))
      return failure();
    ScheduleAttr chosen = given ? given : op.getScheduleAttr();
    if (!chosen)
      chosen = selectByCost(op, chip);
    if (!chosen || failed(verifySupportedSchedule(op, chosen, chip)))
      return failure();
    op.setScheduleAttr(chosen);
    remarkDecision(op, chosen, chip);
    return success();
  }

  /// Considers all algorithms, or the one of the option; null, with a message,
  /// if that has no schedule. Direct ones move each byte about once, so they
  /// win wherever there are any.
  ScheduleAttr selectByCost(ConvolutionOpInterface op,
                            const ::conv::ChipInfo &chip) const {
    std::optional<Algorithm> only = symbolizeAlgorithm(algorithm);
    if (only == Algorithm::ImplicitGemm)
      return selectImplicitGemm(op, chip);
    auto direct = selectDirectSchedule(op, chip);
    if (auto *schedule = std::get_if<ScheduleAttr>(&direct))
      return candidate == 0 ? *schedule : refuseCandidate(op, 1);
    if (!only)
      return selectImplicitGemm(op, chip);
    emitUnsupported(op.getLoc(), Reason::Schedule)
        << "expects a convolution for the algorithm direct, but "
        << std::get<std::string>(direct);
    return ScheduleAttr();
  }

  /// The cheapest one but for `candidate`; null, with a message, if there is
  /// none.
  ScheduleAttr selectImplicitGemm(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip) const {
    struct Ranked {
      PlanOptions options;
      ::conv::RankedCandidate candidate;
      size_t place; ///< Of equal costs, the plainest options come first.
    };
    std::vector<Ranked> all;
    for (const PlanOptions &options : enumerateOptions(op, chip)) {
      ::conv::Ranking ranking =
          ::conv::rankCandidates(computeProblem(op, options), chip);
      for (const ::conv::RankedCandidate &one : ranking.accepted)
        all.push_back({options, one, all.size()});
    }
    if (all.empty()) {
      emitUnsupported(op.getLoc(), Reason::ProblemSize)
          << "expects a result that one launch can compute, but got "
          << op.getResultType();
      return nullptr;
    }
    if (candidate >= static_cast<int64_t>(all.size()))
      return refuseCandidate(op, all.size());
    llvm::sort(all, [](const Ranked &a, const Ranked &b) {
      return std::pair(a.candidate.cost.seconds, a.place) <
             std::pair(b.candidate.cost.seconds, b.place);
    });
    const Ranked &chosen = all[candidate];
    remarkRejections(
        op, ::conv::rankCandidates(computeProblem(op, chosen.options), chip));
    return getSchedule(op.getContext(), chosen.candidate.candidate,
                       chosen.options, chip, ChosenBy::Heuristic);
  }

  ScheduleAttr refuseCandidate(ConvolutionOpInterface op,
                               size_t schedules) const {
    emitUnsupported(op.getLoc(), Reason::Schedule)
        << "expects a candidate below the number of schedules, " << schedules
        << ", but got " << candidate.getValue();
    return nullptr;
  }

  ScheduleAttr given; ///< The option, parsed.
};

} // namespace
