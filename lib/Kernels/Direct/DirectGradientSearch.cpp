//===- DirectGradientSearch.cpp - candidates of weight gradients *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of the reduction: a weight gradient has few results, so work-items and
// split-K slices share the positions that it sums up.
//
//===----------------------------------------------------------------------===//

#include "DirectSearch.h"

#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<int64_t> DirectSearch::enumerateSteps(int64_t run) const {
  ArrayRef<int64_t> digits = product.lhs.view.getColumns();
  SmallVector<int64_t> steps = DigitBox::enumerateTiles(digits, run);
  llvm::erase_if(steps, [&](int64_t step) {
    std::optional<DigitBox> box = DigitBox::compute(digits, step, run);
    return !box || llvm::any_of(llvm::zip(digits, box->sizes), [](auto pair) {
      return std::get<0>(pair) % std::get<1>(pair) != 0;
    });
  });
  return steps;
}

bool DirectSearch::exceedsSharedMemory(int64_t step, int64_t several,
                                       int64_t stages) {
  int64_t bytes = stages * step * std::min(several, matrices) *
                  getElementBytes(product.lhs.type);
  if (bytes <= chip.sharedMemoryBytes)
    return false;
  note({rows, several}, stages * step,
       "expects at most " + llvm::Twine(chip.sharedMemoryBytes) +
           " bytes of shared memory, but got " + llvm::Twine(bytes));
  return true;
}

/// The values of the innermost digit that has more than one.
static int64_t lastOf(ArrayRef<int64_t> digits) {
  return DigitBox::compute(digits, 1)->getInnermostSize();
}

/// How many neighbours of a line with so many values a work-item may take:
/// divisors, and one more number where these are short, as of prime numbers.
/// What is beyond the line then is multiplied, too.
SmallVector<int64_t> DirectSearch::enumerateRuns(int64_t line) const {
  SmallVector<int64_t> runs;
  for (int64_t run = 1; run <= kMaxRun; ++run)
    if (line % run == 0)
      runs.push_back(run);
  if (runs.back() >= kShortRun || line <= kShortRun || !ranksWideTiles(chip))
    return runs;
  int64_t best = kShortRun;
  for (int64_t run = kShortRun; run <= kMaxRun; ++run)
    if (llvm::alignTo(line, run) <= llvm::alignTo(line, best))
      best = run;
  runs.push_back(best);
  return runs;
}

/// A work-item has sums for a vector of matrices, and takes neighbours of the
/// innermost digit of the reduction, which share their input.
void DirectSearch::runOverReduction() {
  if (chip.isProcessor())
    return runOverHostReduction();
  Type element = product.lhs.type.getElementType();
  int64_t columnRun = lastOf(product.result.view.getColumns());
  int64_t m = getMatricesAtom(element, rows * columnRun);
  if (int64_t sums = m * rows * columnRun; sums > kMaxSums)
    return note({m * rows, columnRun}, /*gemmK=*/1,
                "expects at most " + llvm::Twine(kMaxSums) +
                    " sums of a work-item, but got " + llvm::Twine(sums));
  int64_t innermost = lastOf(product.lhs.view.getColumns());
  for (int64_t k : enumerateRuns(innermost)) {
    if (m * k > kMaxSums)
      break;
    for (int64_t step : enumerateSteps(k))
      for (int64_t several : enumerateMatrices(m))
        if (!exceedsSharedMemory(step, several, /*stages=*/1))
          visit(DirectLoop::Reduction, getAtom(m, 1, k), {rows, several}, step,
                step,
                /*boxes=*/step * several);
  }
}

/// Steps are whole lines, if these are short.
void DirectSearch::runOverHostReduction() {
  constexpr int64_t kLongLine = 1024;
  int64_t line = lastOf(product.lhs.view.getColumns());
  SmallVector<int64_t> runs = {1};
  if (isAlongBatch)
    runs = {chip.processor->vectorLanes, 2 * chip.processor->vectorLanes};
  for (int64_t m : runs)
    for (int64_t step : enumerateSteps(/*run=*/1)) {
      if (step < line && line <= kLongLine)
        continue;
      for (int64_t several : enumerateMatrices(m))
        if (!exceedsSharedMemory(step, several, /*stages=*/1))
          visit(DirectLoop::Reduction, getAtom(m, 1, 1), {rows, several}, step,
                /*stages=*/1, /*shared=*/step, /*subgroups=*/1);
    }
}

/// A subgroup has one vector of rows; several subgroups share the reduction.
void DirectSearch::runOverBlocks() {
  AtomAttr atom = DirectBlocks::getAtom(op.getContext());
  std::optional<DirectBlocks> blocks = DirectBlocks::compute(product, obstacle);
  if (!blocks || !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  int64_t m = blocks->matrices;
  for (int64_t step : enumerateSteps(DirectBlocks::kRun)) {
    if (step > kMaxBlockPositions)
      continue;
    int64_t mostStages = std::min(kMaxBlockStages, reduction / step);
    for (int64_t several = m; several < matrices + m; several *= 2) {
      int64_t vectors = several / m * blocks->rowVectors;
      for (int64_t subgroups = vectors; subgroups <= kMaxBlockSubgroups;
           subgroups *= 2)
        for (int64_t stages = 1; stages <= mostStages &&
                                 !exceedsSharedMemory(step, several, stages);
             ++stages)
          visit(DirectLoop::Reduction, atom, {rows, several}, step, stages,
                step, subgroups);
    }
  }
}

/// Subgroups share the channels of a tile. The tile has whole lines unless a
/// line is too long.
void DirectSearch::runOverBandedTiles() {
  constexpr int64_t kVector = BandedGradient::kVector;
  AtomAttr atom = BandedGradient::getAtom(op.getContext());
  if (!BandedGradient::compute(product) ||
      !lookupAtom(chip, atom, product.rhs.type.getElementType()))
    return;
  ArrayRef<int64_t> terms = product.lhs.view.getColumns();
  int64_t line = DigitBox::compute(terms, 1)->getInnermostSize();
  for (int64_t step : enumerateSteps(BandedGradient::kRun)) {
    if (step > kMaxBlockPositions ||
        (step < line && line <= kMaxBlockPositions))
      continue;
    int64_t mostStages = std::min(kMaxBlockStages, reduction / step);
    for (int64_t vectors = 1;
         vectors <= BoxBlocks::kLine && vectors * kVector < matrices + kVector;
         vectors *= 2)
      for (int64_t channels = 1; channels <= kVector; channels *= 2) {
        int64_t subgroups = vectors * kVector / channels;
        if (subgroups < kMinBandedSubgroups || subgroups > kMaxBandedSubgroups)
          continue;
        int64_t several = vectors * kVector;
        for (int64_t stages = 1; stages <= mostStages &&
                                 !exceedsSharedMemory(step, several, stages);
             ++stages)
          visit(DirectLoop::Reduction, atom, {rows, several}, step, stages,
                step, subgroups);
      }
  }
}

SmallVector<int64_t>
mlir::conv::enumerateDirectSplits(ConvolutionOpInterface op,
                                  const ::conv::ChipInfo &chip) {
  using Limits = DirectSearchLimits;
  SmallVector<int64_t> splits = {1};
  if (op.getDirection() != Direction::BackwardWeight)
    return splits;
  int64_t most = std::min(getSplittableSize(op), ranksWideTiles(chip)
                                                     ? Limits::kMaxWideSplits
                                                     : Limits::kMaxSplits);
  int64_t positions = getSliceSize(op, {.splits = 1});
  for (int64_t slices = 2; slices <= most; ++slices) {
    if (!canSplit(op, {.splits = slices}))
      continue;
    int64_t size = getSliceSize(op, {.splits = slices});
    int64_t beyond = slices * size - positions;
    bool grows = slices >= Limits::kLeastGrowth * splits.back();
    if (beyond == 0 ? slices <= Limits::kMaxSplits || grows
                    : grows && beyond < size &&
                          beyond <= Limits::kMostBeyond * positions)
      splits.push_back(slices);
  }
  return splits;
}
