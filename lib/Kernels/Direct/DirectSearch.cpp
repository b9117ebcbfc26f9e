//===- DirectSearch.cpp - candidates of direct kernels ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of results: those of forward convolutions and of data gradients. Every
// tile that is tried, here and in DirectGradientSearch.cpp, comes to `visit`,
// which keeps it if it fits.
//
//===----------------------------------------------------------------------===//

#include "DirectSearch.h"

#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Kernels/Candidate.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

bool mlir::conv::isDepthwise(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return shape.c == shape.groups;
}

void DirectSearch::run(const PlanOptions &planOptions) {
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
    runOverBandedTiles();
  } else if (chip.isProcessor()) {
    // Channels of a group are between matrices that are adjacent in memory.
    if (!isAlongBatch)
      runOverHostReduction();
  } else {
    runOverBlocks();
  }
}

int64_t DirectSearch::getMatricesAtom(Type element, int64_t sums) const {
  if (!isAlongBatch)
    return 1;
  int64_t m = std::min<int64_t>(TensorBox::getVectorElements(element),
                                llvm::PowerOf2Ceil(matrices));
  while (m > 1 && (m * sums > kMaxSums || !dividesSlices(m)))
    m /= 2;
  return m;
}

/// The fewest vectors, two if possible: a single one would be half a sector.
int64_t DirectSearch::getFewestMatrices(int64_t m) const {
  if (chip.sectorBytes == 0)
    return m;
  for (int64_t several = 2 * m;
       several < matrices + m && several <= kMaxMatrices * m; several += m)
    if (dividesSlices(several))
      return several;
  return m;
}

SmallVector<int64_t> DirectSearch::enumerateMatrices(int64_t m) const {
  SmallVector<int64_t> counts;
  for (int64_t several = getFewestMatrices(m);
       several < matrices + m && several <= kMaxMatrices * m; several *= 2)
    counts.push_back(several);
  int64_t all = llvm::alignTo(matricesOfSlice, m);
  int64_t most =
      isShared && ranksWideTiles(chip) ? kMaxAllMatrices : kMaxMatrices;
  if (all <= most * m && !llvm::is_contained(counts, all))
    counts.push_back(all);
  return counts;
}

void DirectSearch::visit(DirectLoop mainLoop, AtomAttr atom,
                         std::array<int64_t, 2> tile, int64_t gemmK,
                         int64_t stages, int64_t shared, int64_t subgroups) {
  if (options.splits > kMaxSplits && !isWide(tile[1]))
    return;
  auto kernel = DirectAttr::get(
      op.getContext(), tile,
      {int64_t(llvm::divideCeil(shared, subgroups)), tile[1]}, gemmK, stages,
      atom, mainLoop, isAlongBatch ? Raster::Columns : Raster::Rows);
  auto schedule = ScheduleAttr::get(kernel, /*mergedGroups=*/1, options.splits,
                                    /*transposed=*/false, ChosenBy::Heuristic);
  // Different limits of work-items may give the same schedule.
  if (!seen.insert(schedule).second)
    return;
  std::string needed;
  std::optional<DirectCost> cost =
      computeDirectCost(op, plan, schedule, chip, needed);
  if (!cost)
    return note(tile, gemmK, needed);
  int64_t most = ::conv::computeMaxWorkgroups(cost->workItems);
  if (cost->workgroups > most)
    return note(tile, gemmK,
                "expects at most " + llvm::Twine(most) +
                    " workgroups of a launch, but got " +
                    llvm::Twine(cost->workgroups));
  all.emplace_back(Rank(cost->seconds(), cost->memoryBytes, all.size()),
                   PredictedSchedule{schedule, cost->summarize()});
}

void DirectSearch::note(std::array<int64_t, 2> tile, int64_t gemmK,
                        llvm::Twine needed) {
  int64_t products = tile[0] * tile[1] * gemmK;
  if (products >= leastProducts)
    return;
  leastProducts = products;
  obstacle = ("the smallest tile, " + llvm::Twine(tile[0]) + " x " +
              llvm::Twine(tile[1]) + " results, " + needed)
                 .str();
}

std::vector<PredictedSchedule> DirectSearch::takeRanked() {
  llvm::sort(all, llvm::less_first());
  auto schedules = llvm::make_second_range(all);
  return {schedules.begin(), schedules.end()};
}

/// Rows of a work-item. Along the batch, its rows share their input: an odd
/// number of rows, so that accesses have no bank conflicts, and not 5, which is
/// never the fastest (bench/results/kernels.md, Direct). Otherwise they are
/// a vector of a line; two vectors, if columns are dgrad phases, would be
/// halves of a sector that are stored one after the other. The shorter the
/// vectors are in which a run is stored, the fewer of them should share a
/// sector.
SmallVector<int64_t> DirectSearch::listRuns(Type element) const {
  if (isAlongBatch)
    return {1, 3, 7};
  int64_t vector = TensorBox::getVectorElements(element);
  if (chip.sectorBytes == 0)
    return {1, vector};
  int64_t adjacent = DirectTiling::countAdjacentColumns(product.result);
  int64_t longest = vector / std::gcd(vector, adjacent);
  SmallVector<int64_t> runs = {1};
  for (int64_t run = longest; run > 1; run /= 2) {
    runs.push_back(run);
    if (DirectTiling::countStoredBytes(product.result, run) ==
        ::conv::kVectorBytes)
      break;
  }
  return runs;
}

/// A work-item has a 16-byte vector of matrices if it has registers for it, at
/// each of its rows.
void DirectSearch::runOverRows() {
  if (chip.isProcessor())
    return runOverHostTiles();
  Type element = op.getResultType().getElementType();
  int64_t m = getMatricesAtom(element, columns);
  for (int64_t n : listRuns(element)) {
    if (m * n * columns > kMaxSums)
      continue;
    for (int64_t tile :
         DigitBox::enumerateTiles(product.result.view.getRows(), n))
      for (int64_t several : enumerateMatrices(m))
        visit(DirectLoop::Rows, getAtom(m, n, 1), {tile, several}, reduction,
              tile, int64_t(llvm::divideCeil(tile, n)) * several / m);
  }
}

/// A register tile is a vector of matrices at several rows, or vectors of rows.
/// Lines of most networks are multiples of 7 rows, so tiles of 7 rows leave
/// none unused at their ends.
void DirectSearch::runOverHostTiles() {
  ArrayRef<int64_t> digits = product.result.view.getRows();
  constexpr std::array<int64_t, 2> kBatchTiles[] = {{8, 4},  {8, 6},  {8, 7},
                                                    {8, 8},  {16, 4}, {16, 6},
                                                    {16, 7}, {16, 8}, {32, 4}};
  constexpr std::array<int64_t, 2> kRowTiles[] = {{1, 8}, {1, 16}, {1, 32}};
  auto registerTiles =
      isAlongBatch ? ArrayRef(kBatchTiles) : ArrayRef(kRowTiles);
  // The other registers have vectors of both operands.
  int64_t mostVectors = chip.processor->vectorRegisters * 3 / 4;
  for (auto [m, n] : registerTiles) {
    int64_t lanes = std::gcd(chip.processor->vectorLanes, isAlongBatch ? m : n);
    if (m * n > mostVectors * lanes)
      continue;
    for (int64_t tile : DigitBox::enumerateTiles(digits, n))
      for (int64_t several : enumerateMatrices(m))
        visit(DirectLoop::Rows, getAtom(m, n, 1), {tile, several}, reduction,
              /*stages=*/1, /*shared=*/tile, /*subgroups=*/1);
  }
}

/// A subgroup has one channel vector, with all of its filters in registers.
void DirectSearch::runOverFilterBlocks() {
  AtomAttr atom = FilterBlocks::getAtom(op.getContext());
  std::string obstacle; // Nobody wants to know it.
  std::optional<FilterBlocks> filter = FilterBlocks::compute(product, obstacle);
  if (!filter || !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  int64_t m = filter->getMatrices();
  int64_t gemmK = llvm::alignTo(reduction, atom.getK());
  for (int64_t tile : DigitBox::enumerateTiles(product.result.view.getRows()))
    for (int64_t several : enumerateMatrices(m))
      visit(DirectLoop::Matrix, atom, {tile, several}, gemmK, tile,
            /*boxes=*/tile * several * chip.subgroupSize);
}
