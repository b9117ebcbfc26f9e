//===- BackwardDataPlan.cpp - plans of data gradients -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input positions with different remainders by the stride meet different filter
// elements, so each dgrad phase is a product, unless they are joined
// (JoinedPhases.cpp). If the padding is not zeros, the gradient of the padded
// input is folded onto the input afterwards.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::conv;

void Planner::setInputSpace() {
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = "C",
       .reduction = "",
       .positions = "",
       .mergesReduction = true});
}

/// If neither operand has channels innermost, neighbours in the reduction are
/// taps, each with a guard and an address of its own. Rows of channels share
/// them.
int64_t Planner::getReducedRow() const {
  bool areTapsInnermost = layouts.getOutput().back() != 'K' &&
                          kFilterLetters.contains(layouts.getFilter().back());
  int64_t row = std::gcd(shape.k / shape.groups, mostRowBytes / elementBytes);
  bool hasVectors = row * elementBytes >= ::conv::kVectorBytes;
  return mostRowBytes > 0 && areTapsInnermost && hasVectors &&
                 llvm::product_of(shape.filter) > 1
             ? row
             : 0;
}

void Planner::setPhaseSpace(ArrayRef<DgradPhase> phases) {
  for (auto [d, phase] : llvm::enumerate(phases)) {
    space.setSize(letter(kInputLetters, d), phase.positions);
    space.setSize(letter(kFilterLetters, d), phase.count);
  }
  if (!hasElements(phases))
    return setInputSpace();
  int64_t row = getReducedRow();
  bool channelsInnermost =
      layouts.getOutput().back() == 'K' || row == shape.k / shape.groups;
  bool hasRows = row > 0 && !channelsInnermost;
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = "C",
       .reduction = select(layouts.getFilter(), letters('K', kFilterLetters),
                           channelsInnermost ? 'K' : 0),
       .positions = haloTilePositions(kInputLetters),
       .channel = hasRows ? 'K' : char(0),
       .channelRow = hasRows ? row : 0,
       .mergesReduction = true});
}

PlanSubproblem Planner::planPhase(ArrayRef<DgradPhase> phases) {
  setPhaseSpace(phases);
  bool isZero = !hasElements(phases);
  if (!isZero)
    space.split(options.splits);
  for (auto [d, phase] : llvm::enumerate(phases)) {
    AffineExpr position = space.getIndex(letter(kInputLetters, d));
    space.setIndex(letter(kInputLetters, d),
                   position * phase.stride + phase.phase);
    if (isZero)
      continue;
    AffineExpr element = space.getIndex(letter(kFilterLetters, d));
    space.setIndex(letter(kFilterLetters, d),
                   element * phase.step + phase.first);
    space.setIndex(letter(kOutputLetters, d),
                   position + phase.offset - element * phase.distance);
  }
  PlanSubproblem subproblem{.target = space.createResult(layouts.getInput()),
                            .channels = space.createVector('C')};
  if (!isZero)
    subproblem.product = MatrixProduct{TensorRole::Output, TensorRole::Filter,
                                       space.createLhs(layouts.getOutput()),
                                       space.createRhs(layouts.getFilter())};
  splitProduct(subproblem);
  return subproblem;
}

void Planner::planPhases() {
  SmallVector<PlanSubproblem, 0> subproblems;
  for (ArrayRef<DgradPhase> phases : listPhases(shape))
    insertByWork(planPhase(phases), subproblems);
  addProducts(std::move(subproblems));
}

int64_t
Planner::getLeastOfPhases(function_ref<int64_t(const IndexSpace &)> get) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (ArrayRef<DgradPhase> phases : listPhases(shape)) {
    setPhaseSpace(phases);
    if (hasElements(phases))
      least = std::min(least, get(space));
  }
  return least == std::numeric_limits<int64_t>::max() ? 1 : least;
}

/// If the output has a single position, no other one is a stride away. A
/// shorter stride then changes nothing and has fewer dgrad phases.
void Planner::shortenStrides() {
  for (int64_t d = 0; d < rank; ++d)
    if (shape.output[d] == 1)
      shape.strides[d] =
          std::min(shape.strides[d], shape.input[d] + shape.low[d]);
}

/// Adds the gradients of dimension `d`'s padded positions to those of the
/// positions that the padding was taken from.
void Planner::planFold(int64_t d, size_t source, bool isLast) {
  char dimension = letter(kInputLetters, d);
  int64_t size = shape.input[d] - shape.low[d] - shape.high[d];
  int64_t low = shape.low[d], high = shape.high[d];
  space.setSize(dimension, size);
  setInputSpace();
  AffineExpr position = space.getIndex(dimension);
  PlanSubproblem subproblem{.target = space.createResult(layouts.getInput()),
                            .channels = space.createVector('C')};

  // The positions `first` to `first + count - 1` add an element of `padded`.
  auto addTerm = [&](AffineExpr padded, int64_t first, int64_t count) {
    if (count <= 0)
      return;
    space.setIndex(dimension, padded);
    space.clearConditions();
    if (count < size)
      space.addCondition(position - first, count);
    subproblem.terms.push_back(
        {source, space.createLhsOfResult(layouts.getInput())});
  };
  addTerm(position + low, 0, size);
  switch (padding) {
  case PaddingMode::Zeros:
    break;
  case PaddingMode::Reflect:
    addTerm(low - position, 1, low);
    addTerm(low + 2 * (size - 1) - position, size - 1 - high, high);
    break;
  case PaddingMode::Replicate:
    for (int64_t i = 0; i < low; ++i)
      addTerm(getAffineConstantExpr(i, layouts.getContext()), 0, 1);
    for (int64_t i = 0; i < high; ++i)
      addTerm(getAffineConstantExpr(low + size + i, layouts.getContext()),
              size - 1, 1);
    break;
  case PaddingMode::Circular:
    addTerm(position + low - size, size - low, low);
    addTerm(position + low + size, 0, high);
    break;
  }
  space.clearConditions();
  shape.input[d] = size;
  std::optional<size_t> intermediate;
  if (!isLast)
    intermediate = addIntermediate(space.getShape(layouts.getInput()));
  addStep({std::move(subproblem)}, intermediate);
}

SmallVector<int64_t> Planner::padInput() {
  SmallVector<int64_t> folded;
  for (int64_t d = 0; d < rank; ++d)
    if (padding != PaddingMode::Zeros && (shape.low[d] || shape.high[d]))
      folded.push_back(d);
  for (int64_t d : folded) {
    shape.input[d] += shape.low[d] + shape.high[d];
    shape.low[d] = 0;
    space.setSize(letter(kInputLetters, d), shape.input[d]);
  }
  return folded;
}

void Planner::planBackwardData() {
  SmallVector<int64_t, 3> low(shape.low);
  SmallVector<int64_t> folded = padInput();
  if (!folded.empty())
    target = addIntermediate(space.getShape(layouts.getInput()));

  if (joinsPhases())
    planJoinedPhases();
  else
    planPhases();

  for (int64_t d = 0; d < rank; ++d)
    space.setSize(letter(kInputLetters, d), shape.input[d]);
  shape.low = low;
  for (int64_t d : folded) {
    planFold(d, *target, d == folded.back());
    target = result.steps.back().intermediate;
  }
}
