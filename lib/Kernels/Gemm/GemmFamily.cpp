//===- GemmFamily.cpp - tiles staged in shared memory ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/DescribeProblem.h"
#include "conv/Kernels/Gemm/GemmFacts.h"
#include "conv/Kernels/Gemm/StagedModel.h"
#include "conv/Kernels/Gemm/TapFacts.h"

#include "../Parts/MatrixAccess.h"
#include "AlikeSubproblems.h"
#include "StagedBody.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Whether all elements of an operand are within 2 GiB.
static bool isNear(const ViewedTensor &operand) {
  return operand.getExtent() <
         (int64_t(1) << 31) / getElementBytes(operand.type);
}

/// Whether a digit alone counts each dimension that it moves from end to end,
/// so that it reaches no element outside.
static bool countsDimension(const ViewedTensor &operand, DigitRole role) {
  ViewAttr view = operand.view;
  for (auto [coordinate, extent] :
       llvm::zip(view.getCoordinates(), operand.type.getShape()))
    if (view.getCoefficient(coordinate, role) != 0 &&
        (view.getSize(role) != extent || !isCountedBy(view, coordinate, role)))
      return false;
  return true;
}

/// Whether one of the view's indices counts whole 16-byte vectors of memory:
/// its innermost digits count neighbours, and all other digits move by whole
/// vectors. Between merged groups, elements of one vector may be zero or not.
static bool countsVectors(const ViewedTensor &operand) {
  int64_t vector = ::conv::kVectorBytes / getElementBytes(operand.type);
  SmallVector<int64_t> sizes = operand.view.getDigitSizes();
  SmallVector<int64_t> distances = getDistances(operand);
  if (getStart(operand) % vector)
    return false;
  auto isLimited = [&](size_t digit) {
    return llvm::any_of(
        ArrayRef(operand.view.getCoordinates())
            .drop_front(operand.type.getRank()),
        [&](const auto &limit) { return limit.coefficients[digit] != 0; });
  };
  auto counts = [&](size_t begin, size_t end) {
    int64_t run = 1;
    size_t first = end;
    for (bool isInside = true; first > begin && run % vector; --first) {
      size_t digit = first - 1;
      if (sizes[digit] == 1)
        continue;
      // A vector that spans several digits must be inside or outside as a
      // whole.
      isInside &= countsDimension(operand, operand.view.getRoles()[digit]);
      if (distances[digit] != run || (run > 1 && !isInside) || isLimited(digit))
        return false;
      run *= sizes[digit];
    }
    for (auto [i, size, distance] : llvm::enumerate(sizes, distances))
      if ((i < first || i >= end) && size > 1 && distance % vector)
        return false;
    return run % vector == 0;
  };
  size_t batch = operand.view.getBatch().size();
  size_t rows = batch + operand.view.getRows().size();
  return counts(batch, rows) || counts(rows, sizes.size());
}

/// Whether copies in lane order can bring the operands of all products.
static bool hasLaneOrder(ConvolutionOpInterface op,
                         const ConvolutionPlan &plan) {
  return llvm::all_of(plan.getProducts(), [&](const auto &product) {
    auto [step, subproblem] = product;
    auto [lhs, rhs, result] = getViewedProduct(op, plan, *step, *subproblem);
    return llvm::all_of(ArrayRef({&lhs, &rhs}), [](const auto *operand) {
      return isNear(*operand) && countsVectors(*operand);
    });
  });
}

/// Sets the taps of the windows, of which the left operand has a view.
static void describeTaps(const ViewedTensor &windows, ::conv::TapFacts &facts) {
  ViewAttr view = windows.view;
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<ViewAttr::Coordinate> guarded;
  for (auto [coordinate, extent] :
       llvm::zip(view.getCoordinates(), windows.type.getShape())) {
    auto [low, high] = view.getRange(coordinate);
    if (low < 0 || high >= extent)
      guarded.push_back(coordinate);
  }
  auto isGuarded = [&](size_t digit) {
    return llvm::any_of(guarded, [&](const auto &coordinate) {
      return coordinate.coefficients[digit] != 0;
    });
  };
  size_t first = sizes.size() - view.getColumns().size();
  size_t innermost = sizes.size() - 1;
  while (innermost > first && sizes[innermost] == 1)
    --innermost;
  facts.tapRun =
      std::gcd(facts.tapRun, isGuarded(innermost) ? 1 : sizes[innermost]);
  while (first < innermost && !isGuarded(first))
    ++first;
  int64_t taps =
      llvm::product_of(ArrayRef(sizes).slice(first, innermost - first));
  facts.guardedTaps = std::max(facts.guardedTaps, taps);
  facts.guardedCoordinates =
      std::max<int64_t>(facts.guardedCoordinates, guarded.size());
}

/// Sets whether lanes may share elements of the windows, of which the left
/// operand has a view, as `CopyShape::fixPlaces` decides.
static void describeElements(ConvolutionOpInterface op,
                             const ViewedTensor &windows,
                             ::conv::TapFacts &facts) {
  constexpr int64_t kMostTaps = 31;
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  IndexMath math(b, b.getI32Type());
  MatrixAccess access(math, windows);
  int64_t period = access.getPeriod(MatrixIndex::Column).elements;
  int64_t ofRow = access.getInnermostDistance(MatrixIndex::Row);
  if (period < 2 || period > kMostTaps || ofRow <= 0 ||
      !access.hasLinearOffsets() ||
      access.getDistanceRange(MatrixIndex::Column).first < 0)
    return;
  facts.elementPeriod = period;
  facts.windowDistance = ofRow;
}

/// The innermost of `count` digits before `end`.
static size_t findInnermost(ArrayRef<int64_t> sizes, size_t end, size_t count) {
  size_t digit = end - 1;
  while (digit > end - count && sizes[digit] == 1)
    --digit;
  return digit;
}

/// Sets where neighbours of the filter are, which is the right operand.
static void describeFilter(const ViewedTensor &filter,
                           ::conv::TapFacts &facts) {
  SmallVector<int64_t> distances = getDistances(filter);
  SmallVector<int64_t> sizes = filter.view.getDigitSizes();
  size_t columns = filter.view.getColumns().size();
  size_t rows = filter.view.getRows().size();
  size_t row = findInnermost(sizes, sizes.size() - columns, rows);
  int64_t ofRow = std::abs(distances[row]);
  int64_t ofReduction =
      std::abs(distances[findInnermost(sizes, sizes.size(), columns)]);
  int64_t vector = ::conv::kVectorBytes / getElementBytes(filter.type);
  facts.scattersFilter = ofRow > 1 && ofReduction > 1;
  if (facts.scattersFilter && sizes[row] >= vector && ofRow < ofReduction)
    facts.nearRows = ofRow;
}

static ::conv::PositionFacts::Operand
describePositions(const ViewedTensor &operand) {
  SmallVector<int64_t> distances = getDistances(operand);
  SmallVector<int64_t> sizes = operand.view.getDigitSizes();
  size_t columns = operand.view.getColumns().size();
  size_t rows = operand.view.getRows().size();
  size_t row = findInnermost(sizes, sizes.size() - columns, rows);
  size_t position = findInnermost(sizes, sizes.size(), columns);
  ::conv::PositionFacts::Operand facts;
  facts.distance = std::abs(distances[position]);
  // Rows of other channels are a whole image apart, and those of taps in other
  // rows of the window a row of the image.
  int64_t vector = ::conv::kVectorBytes / getElementBytes(operand.type);
  if (std::abs(distances[row]) <= vector * facts.distance)
    facts.alikeRows = sizes[row];
  return facts;
}

/// Why copies that bypass registers cannot bring the operands (S16), or an
/// empty string.
static std::string findAsyncObstacle(ConvolutionOpInterface op,
                                     const ::conv::Problem &problem,
                                     const ::conv::ChipInfo &chip) {
  int64_t bytes = ::conv::byteSize(problem.operand);
  bool isLeftAsync = ::conv::copiesAsync(chip, problem.lhsRun, bytes);
  bool isRightAsync = ::conv::copiesAsync(chip, problem.rhsRun, bytes);
  auto describe = [&](const ::conv::Run &run) {
    return llvm::formatv("{0} along the {1}", run.elements * bytes,
                         run.isAlongReduction ? "reduction" : "rows")
        .str();
  };
  std::string got =
      describe(problem.lhsRun) + " and " + describe(problem.rhsRun);
  if (const auto *copies = chip.getLaneCopies())
    return isLeftAsync && isRightAsync &&
                   problem.facts.get<::conv::GemmFacts>()->hasLaneOrder
               ? std::string()
               : llvm::formatv(
                     "expects operands of less than 2 GiB with {0} bytes next "
                     "to each other along the reduction or, of 16-bit "
                     "elements, along the rows for async_staged, but got {1} "
                     "of tensors of {2} and {3} bytes",
                     copies->bytes, got, computeBytes(op.getLhs().getType()),
                     computeBytes(op.getRhs().getType()));
  if (isLeftAsync || isRightAsync)
    return "";
  return llvm::formatv("expects an operand with {0} bytes or more next to each "
                       "other along the reduction for async_staged, but got "
                       "{1}",
                       chip.asyncCopyBytes, got);
}

namespace {
class GemmFamily final : public KernelFamily {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<StagedGemmAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    auto names = llvm::make_second_range(::conv::kStagedLoops);
    return {names.begin(), names.end()};
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getGemmModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t>) const override {
    return StagedGemmAttr::get(
        context, candidate.workgroup, candidate.subgroup, candidate.gemmK,
        candidate.stages, getAtom(context, *candidate.atom), candidate.loop,
        getRaster(candidate), candidate.lastRound);
  }

  /// The products of a round of reads from shared memory (`MatrixUnit`).
  int64_t countUnordered(const ::conv::MatrixAtom &atom) const override {
    return ::conv::reductionOfRound(atom);
  }

  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const override {
    ConvolutionOpInterface op = planned.op;
    problem.facts.set(::conv::GemmFacts{hasLaneOrder(op, planned.plan)});
    if (op.getDirection() == Direction::BackwardWeight) {
      auto [step, subproblem] = planned.plan.getProducts().front();
      auto [lhs, rhs, result] =
          getViewedProduct(op, planned.plan, *step, *subproblem);
      problem.facts.set(::conv::PositionFacts{describePositions(lhs),
                                              describePositions(rhs)});
      return;
    }
    ::conv::TapFacts facts;
    for (auto [step, subproblem] : planned.plan.getProducts()) {
      auto [lhs, rhs, result] =
          getViewedProduct(op, planned.plan, *step, *subproblem);
      describeTaps(lhs, facts);
      describeFilter(rhs, facts);
      if (planned.plan.getProducts().size() == 1)
        describeElements(op, lhs, facts);
    }
    problem.facts.set(facts);
  }

  std::string explainAbsence(StringRef loopName, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    if (chip.isProcessor())
      return "the chip is a CPU";
    if (loopName == stringifyLoop(StagedLoop::Registers))
      return explainLimits(op, {}, chip);
    if (const auto *copies = chip.getLaneCopies())
      return llvm::formatv("an operand has 2 GiB, or fewer than {0} bytes next "
                           "to each other along the reduction or, of 16-bit "
                           "elements, along the rows",
                           copies->bytes);
    if (chip.asyncCopyBytes == 0)
      return "the chip has no copies to shared memory without registers";
    return llvm::formatv(
        "an operand has fewer than {0} bytes next to each other "
        "along the reduction",
        chip.asyncCopyBytes);
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const override {
    const ::conv::MatrixAtom &atom =
        *lookupAtom(chip, schedule.getAtom(), getOperandElementType(op));
    // A lane reads 16-byte vectors of a row, and the swizzle XORs the number of
    // a vector in its row with the number of the row.
    int64_t round = ::conv::reductionOfRound(atom);
    int64_t gemmK = schedule.getGemmK();
    if (gemmK % round || !llvm::isPowerOf2_64(gemmK / round))
      return llvm::formatv("expects gemm_k to be {0} times a power of two for "
                           "{1}, but got {2}",
                           round, Attribute(schedule.getAtom()), gemmK);
    auto kernel = cast<StagedGemmAttr>(schedule.getKernel());
    if (!kernel.isAsync() && kernel.getLastRound() == 0)
      return "";
    ::conv::Problem problem = computeProblem(op, getPlanOptions(schedule));
    // S26.
    if (kernel.getLastRound() > 0 && !problem.launchesOneProduct())
      return llvm::formatv("expects no last_round for a launch of several "
                           "products, but got {0}",
                           kernel.getLastRound());
    if (!kernel.isAsync())
      return "";
    return findAsyncObstacle(op, problem, chip);
  }

  std::optional<int64_t>
  countRegisters(ConvolutionOpInterface op, ScheduleAttr schedule,
                 const ::conv::ChipInfo &chip) const override {
    Type elementType = getOperandElementType(op);
    if (!lookupAtom(chip, schedule.getAtom(), elementType))
      return std::nullopt;
    PlanOptions options{.splits = schedule.getSplits()};
    return ::conv::computeRegisters(computeProblem(op, options), chip,
                                    getCandidate(schedule, chip, elementType))
        .total();
  }

  int64_t countStepElements(ScheduleAttr schedule) const override {
    ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
    ArrayRef<int64_t> subgroup = schedule.getSubgroup();
    int64_t subgroups =
        workgroup[0] / subgroup[0] * (workgroup[1] / subgroup[1]);
    int64_t loaded = (workgroup[0] + workgroup[1]) * schedule.getGemmK();
    int64_t read = (subgroup[0] + subgroup[1]) * schedule.getGemmK();
    return subgroup[0] * subgroup[1] + loaded / subgroups + read;
  }

  size_t countAlike(ArrayRef<KernelSubproblem> subproblems,
                    const ::conv::ChipInfo &chip) const override {
    return countAlikeSubproblems(subproblems, chip);
  }

  LogicalResult buildBody(Kernel &kernel,
                          gpu::GPUFuncOp function) const override {
    return createStagedBody(kernel, function);
  }
};
} // namespace

const KernelFamily &mlir::conv::getGemmFamily() {
  static const GemmFamily family;
  return family;
}
