//===- DirectSchedule.cpp - candidates of direct kernels --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise convolutions are bound by memory. Tiles are parts of one digit of
// the rows, with all values of the digits inside it.
//
//===----------------------------------------------------------------------===//

#include "DirectSchedule.h"

#include "DirectModel.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/Candidate.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The most work-items of a workgroup.
static constexpr int64_t kMaxWorkItems[] = {128, 256};
/// The most accumulators of a work-item.
static constexpr int64_t kMaxSums = 64;
/// The most matrices of a tile, in units of the matrices of a work-item.
static constexpr int64_t kMaxMatrices = 16;
/// The most split-K slices.
static constexpr int64_t kMaxSplits = 64;
/// Slices that do not divide the positions, which may be a prime number, leave
/// at most this part empty; of such numbers of slices, few are ranked.
static constexpr double kMostBeyond = 1.0 / 32, kLeastGrowth = 1.125;
/// The most neighbours in the reduction that a work-item multiplies at once.
static constexpr int64_t kMaxRun = 8;
/// Limits for subgroups that multiply blocks, for stages of their input, and
/// for positions of one stage.
static constexpr int64_t kMaxBlockSubgroups = 8, kMaxBlockStages = 3,
                         kMaxBlockPositions = 1024;
/// Range of the subgroups of a workgroup for banded matrices.
static constexpr int64_t kMinDiagonalSubgroups = 4, kMaxDiagonalSubgroups = 16;

static bool isDepthwise(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return shape.c == shape.groups;
}

namespace {
class Search {
public:
  Search(ConvolutionOpInterface op, const ::conv::ChipInfo &chip)
      : op(op), chip(chip),
        isShared(op.getDirection() == Direction::BackwardWeight),
        isDepthwise(::isDepthwise(op)) {}

  /// Tries all tiles of a plan that has products.
  void run(const PlanOptions &options);
  /// All schedules that fit, in the order of `rankDirectSchedules`.
  std::vector<PredictedSchedule> takeRanked();

private:
  void runOverRows();
  void runOverFilterBlocks();
  void runOverReduction();
  void runOverBlocks();
  void runOverDiagonals();
  /// The vector length, if matrices are adjacent in memory: a work-item has
  /// accumulators for `sums` of each, and a split-K slice has whole vectors.
  int64_t getMatricesAtom(Type element, int64_t sums) const;
  /// Tries one tile. Subgroups share `shared` elements, in `boxes` boxes.
  void visit(DirectLoop mainLoop, AtomAttr atom, std::array<int64_t, 2> tile,
             int64_t gemmK, int64_t shared, int64_t boxes) {
    for (int64_t workItems : kMaxWorkItems) {
      int64_t subgroups =
          std::min<int64_t>(llvm::divideCeil(boxes, chip.subgroupSize),
                            llvm::divideCeil(workItems, chip.subgroupSize));
      visit(mainLoop, atom, tile, gemmK, /*stages=*/1, shared, subgroups);
    }
  }
  void visit(DirectLoop mainLoop, AtomAttr atom, std::array<int64_t, 2> tile,
             int64_t gemmK, int64_t stages, int64_t shared, int64_t subgroups);
  /// Whether tiles of so many matrices do not cross from one split-K slice to
  /// the next.
  bool dividesSlices(int64_t count) const {
    return matrices == matricesOfSlice || matricesOfSlice % count == 0;
  }
  /// The fewest matrices of a tile, for vectors of `m`.
  int64_t getFewestMatrices(int64_t m) const;
  AtomAttr getAtom(int64_t m, int64_t n, int64_t k) {
    return AtomAttr::get(op.getContext(), AtomKind::FMA, m, n, k);
  }

  ConvolutionOpInterface op;
  const ::conv::ChipInfo &chip;
  bool isShared;    ///< Work-items share the reduction.
  bool isDepthwise; ///< Groups have one input channel.
  PlanOptions options;
  DirectPlan plan;
  ViewedProduct product; ///< The product with the most rows.
  int64_t matrices, rows, columns, reduction;
  int64_t matricesOfSlice; ///< Of these, in one split-K slice.
  bool isAlongBatch;
  /// The order of schedules: seconds, then bytes, then order of creation.
  using Rank = std::tuple<double, double, size_t>;
  std::vector<std::pair<Rank, PredictedSchedule>> all;
  DenseSet<ScheduleAttr> seen;
};
} // namespace

void Search::run(const PlanOptions &planOptions) {
  options = planOptions;
  plan = DirectPlan::get(op, options);
  reduction = 1;
  for (const ViewedProduct &each : plan.products)
    reduction = std::max(reduction, each.lhs.view.getShape()[2]);
  product = *llvm::max_element(plan.products, [](const auto &a, const auto &b) {
    return a.lhs.view.getShape()[1] < b.lhs.view.getShape()[1];
  });
  std::tie(matrices, rows, columns) =
      std::tuple_cat(product.result.view.getShape());
  matricesOfSlice =
      DigitBox::compute(product.result.view.getBatch(), 1)->getInnermostSize();
  isAlongBatch =
      DirectTiling::isAlongBatchOf(isShared ? product.lhs : product.result);
  if (!isShared) {
    runOverFilterBlocks();
    if (isDepthwise)
      runOverRows();
  } else if (isDepthwise) {
    runOverReduction();
    runOverDiagonals();
  } else {
    runOverBlocks();
  }
}

int64_t Search::getMatricesAtom(Type element, int64_t sums) const {
  if (!isAlongBatch)
    return 1;
  int64_t m = std::min<int64_t>(TensorBox::getVectorElements(element),
                                llvm::PowerOf2Ceil(matrices));
  while (m > 1 && (m * sums > kMaxSums || !dividesSlices(m)))
    m /= 2;
  return m;
}

/// The fewest vectors, two if possible: a single one would be half a sector.
int64_t Search::getFewestMatrices(int64_t m) const {
  if (chip.sectorBytes == 0)
    return m;
  for (int64_t several = 2 * m;
       several < matrices + m && several <= kMaxMatrices * m; several += m)
    if (dividesSlices(several))
      return several;
  return m;
}

void Search::visit(DirectLoop mainLoop, AtomAttr atom,
                   std::array<int64_t, 2> tile, int64_t gemmK, int64_t stages,
                   int64_t shared, int64_t subgroups) {
  auto kernel = DirectAttr::get(
      op.getContext(), tile,
      {int64_t(llvm::divideCeil(shared, subgroups)), tile[1]}, gemmK, stages,
      atom, mainLoop, isAlongBatch ? Raster::Columns : Raster::Rows);
  auto schedule = ScheduleAttr::get(kernel, /*mergedGroups=*/1, options.splits,
                                    /*transposed=*/false, ChosenBy::Heuristic);
  // Different limits of work-items may give the same schedule.
  if (!seen.insert(schedule).second)
    return;
  std::string obstacle; // Nobody wants to know it.
  std::optional<DirectCost> cost =
      computeDirectCost(op, plan, schedule, chip, obstacle);
  if (!cost || cost->workgroups > ::conv::computeMaxWorkgroups(cost->workItems))
    return;
  all.emplace_back(Rank(cost->seconds(), cost->memoryBytes, all.size()),
                   PredictedSchedule{schedule, cost->summarize()});
}

std::vector<PredictedSchedule> Search::takeRanked() {
  llvm::sort(all, llvm::less_first());
  auto schedules = llvm::make_second_range(all);
  return {schedules.begin(), schedules.end()};
}

/// A work-item has a 16-byte vector of the result if it has registers for it.
/// Along the batch, it also has several rows, which share their input: an odd
/// number of rows, so that accesses have no bank conflicts. Of 3, 5 and 7 rows,
/// 5 was not the fastest for any of seven tiles on an H200.
void Search::runOverRows() {
  Type element = op.getResultType().getElementType();
  int64_t m = getMatricesAtom(element, columns);
  SmallVector<int64_t> runs = {1, TensorBox::getVectorElements(element)};
  if (isAlongBatch)
    runs = {1, 3, 7};
  for (int64_t n : runs) {
    if (m * n * columns > kMaxSums)
      continue;
    for (int64_t tile :
         DigitBox::enumerateTiles(product.result.view.getRows(), n))
      for (int64_t several = getFewestMatrices(m);
           several < matrices + m && several <= kMaxMatrices * m; several *= 2)
        visit(DirectLoop::Rows, getAtom(m, n, 1), {tile, several}, reduction,
              tile, int64_t(llvm::divideCeil(tile, n)) * several / m);
  }
}

/// A subgroup has one channel vector, with all of its filters in registers.
void Search::runOverFilterBlocks() {
  AtomAttr atom = FilterBlocks::getAtom(op.getContext());
  std::string obstacle; // Nobody wants to know it.
  std::optional<FilterBlocks> filter = FilterBlocks::compute(product, obstacle);
  if (!filter || !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  int64_t m = filter->getMatrices();
  int64_t gemmK = llvm::alignTo(reduction, atom.getK());
  for (int64_t tile : DigitBox::enumerateTiles(product.result.view.getRows()))
    for (int64_t several = getFewestMatrices(m);
         several < matrices + m && several <= kMaxMatrices * m; several *= 2)
      visit(DirectLoop::Matrix, atom, {tile, several}, gemmK, tile,
            /*boxes=*/tile * several * chip.subgroupSize);
}

/// A work-item has sums for a vector of matrices, and takes neighbours of the
/// innermost digit of the reduction, which share their input.
void Search::runOverReduction() {
  Type element = product.lhs.type.getElementType();
  auto lastOf = [](ArrayRef<int64_t> digits) {
    return DigitBox::compute(digits, 1)->getInnermostSize();
  };
  int64_t columnRun = lastOf(product.result.view.getColumns());
  int64_t m = getMatricesAtom(element, rows * columnRun);
  if (m * rows * columnRun > kMaxSums)
    return;
  int64_t innermost = lastOf(product.lhs.view.getColumns());
  for (int64_t k = 1; k <= kMaxRun && m * k <= kMaxSums; ++k) {
    if (innermost % k != 0)
      continue;
    for (int64_t part :
         DigitBox::enumerateTiles(product.lhs.view.getColumns(), k))
      for (int64_t several = getFewestMatrices(m);
           several < matrices + m && several <= kMaxMatrices * m; several *= 2)
        visit(DirectLoop::Reduction, getAtom(m, 1, k), {rows, several}, part,
              part,
              /*boxes=*/part * several);
  }
}

/// A subgroup has one vector of rows; several subgroups share the reduction.
void Search::runOverBlocks() {
  AtomAttr atom = DirectBlocks::getAtom(op.getContext());
  std::string obstacle; // Nobody wants to know it.
  std::optional<DirectBlocks> blocks = DirectBlocks::compute(product, obstacle);
  if (!blocks || !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  int64_t m = blocks->matrices;
  for (int64_t part : DigitBox::enumerateTiles(product.lhs.view.getColumns(),
                                               DirectBlocks::kRun)) {
    if (part > kMaxBlockPositions)
      continue;
    int64_t mostStages = std::min(kMaxBlockStages, reduction / part);
    for (int64_t several = m; several < matrices + m; several *= 2) {
      int64_t vectors = several / m * blocks->rowVectors;
      for (int64_t subgroups = vectors; subgroups <= kMaxBlockSubgroups;
           subgroups *= 2)
        for (int64_t stages = 1; stages <= mostStages; ++stages)
          visit(DirectLoop::Reduction, atom, {rows, several}, part, stages,
                part, subgroups);
    }
  }
}

/// Subgroups share the channels of a tile. The tile has whole lines unless a
/// line is too long.
void Search::runOverDiagonals() {
  constexpr int64_t kVector = DirectDiagonals::kVector;
  AtomAttr atom = DirectDiagonals::getAtom(op.getContext());
  if (!DirectDiagonals::compute(product) ||
      !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  ArrayRef<int64_t> terms = product.lhs.view.getColumns();
  int64_t line = DigitBox::compute(terms, 1)->getInnermostSize();
  for (int64_t part : DigitBox::enumerateTiles(terms, DirectDiagonals::kRun)) {
    if (part > kMaxBlockPositions ||
        (part < line && line <= kMaxBlockPositions))
      continue;
    int64_t mostStages = std::min(kMaxBlockStages, reduction / part);
    for (int64_t vectors = 1;
         vectors <= BoxBlocks::kLine && vectors * kVector < matrices + kVector;
         vectors *= 2)
      for (int64_t channels = 1; channels <= kVector; channels *= 2) {
        int64_t subgroups = vectors * kVector / channels;
        if (subgroups < kMinDiagonalSubgroups ||
            subgroups > kMaxDiagonalSubgroups)
          continue;
        for (int64_t stages = 1; stages <= mostStages; ++stages)
          visit(DirectLoop::Reduction, atom, {rows, vectors * kVector}, part,
                stages, part, subgroups);
      }
  }
}

/// Numbers of split-K slices: a weight gradient has few matrices without them.
static SmallVector<int64_t> enumerateSplits(ConvolutionOpInterface op) {
  SmallVector<int64_t> splits = {1};
  if (op.getDirection() != Direction::BackwardWeight)
    return splits;
  int64_t most = std::min(getSplittableSize(op), kMaxSplits);
  int64_t positions = getPartSize(op, {.splits = 1});
  for (int64_t parts = 2; parts <= most; ++parts) {
    int64_t slice = getPartSize(op, {.splits = parts});
    int64_t beyond = parts * slice - positions;
    if (beyond == 0 || (beyond < slice && beyond <= kMostBeyond * positions &&
                        parts >= kLeastGrowth * splits.back()))
      splits.push_back(parts);
  }
  return splits;
}

std::variant<std::vector<PredictedSchedule>, std::string>
mlir::conv::rankDirectSchedules(ConvolutionOpInterface op,
                                const ::conv::ChipInfo &chip) {
  if (chip.backend == ::conv::Backend::Host)
    return "the host has no direct main loop";
  if (!DirectTiling::takes(op.getLhs().getType().getElementType()) ||
      !DirectTiling::takes(op.getRhs().getType().getElementType()))
    return "operands are not f16, bf16, f32 or i8";
  bool isGrouped = ConvolutionShape::get(op).groups > 1;
  bool hasMatrices = lookupAtom(chip, FilterBlocks::getAtom(op.getContext()),
                                op.getRhs().getType().getElementType());
  if (!isGrouped)
    return "there is one group";
  if (!hasMatrices && !isDepthwise(op))
    return "groups have more than one input channel";
  DirectPlan plan = DirectPlan::get(op, {.joinsPhases = true});
  if (plan.products.empty())
    return "windows see nothing but padding";
  if (!plan.hasSingleParts)
    return "strided dimensions of the gradient are dilated";
  Search search(op, chip);
  for (int64_t splits : enumerateSplits(op))
    search.run({.splits = splits, .joinsPhases = true});
  std::vector<PredictedSchedule> ranked = search.takeRanked();
  if (!ranked.empty())
    return ranked;
  if (!isDepthwise(op))
    return "groups have many or not as many input as output channels, or no "
           "tile fits shared memory and the registers";
  return "no tile fits shared memory and the registers";
}
