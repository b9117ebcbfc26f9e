//===- BackwardDataPlan.cpp - gradients of inputs ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions of the input that a stride takes apart meet different elements of
// the filter: each residue is a product. With padding that is not zeros, the
// gradient of the padded input is folded onto the input behind it.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace mlir::conv;

/// Most parts of a kernel, each of which is code of its own: as many as strides
/// of 3 have residues in two dimensions.
static constexpr size_t kMaxParts = 9;

void Planner::setInputSpace() {
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = "C",
       .reduction = "",
       .positions = "",
       .mergesReduction = true});
}

PlanPart Planner::planResidue(ArrayRef<Residue> residues) {
  for (auto [d, residue] : llvm::enumerate(residues)) {
    space.setSize(letter(kInputLetters, d), residue.positions);
    space.setSize(letter(kFilterLetters, d), residue.count);
  }
  bool isZero = residues.back().count == 0;
  bool channelsInnermost = layouts.getOutput().back() == 'K';
  if (isZero)
    setInputSpace();
  else
    space.setDigits(
        {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
         .columns = "C",
         .reduction = select(layouts.getFilter(), letters('K', kFilterLetters),
                             channelsInnermost ? 'K' : 0),
         .positions = spatial(kInputLetters),
         .mergesReduction = true});
  for (auto [d, residue] : llvm::enumerate(residues)) {
    AffineExpr position = space.getIndex(letter(kInputLetters, d));
    space.setIndex(letter(kInputLetters, d),
                   position * residue.stride + residue.residue);
    if (isZero)
      continue;
    AffineExpr element = space.getIndex(letter(kFilterLetters, d));
    space.setIndex(letter(kFilterLetters, d),
                   element * residue.step + residue.first);
    space.setIndex(letter(kOutputLetters, d),
                   position + residue.offset - element * residue.distance);
  }
  PlanPart part{.target = space.createResult(layouts.getInput()),
                .channels = space.createVector('C')};
  if (!isZero)
    part.product = MatrixProduct{TensorRole::Output, TensorRole::Filter,
                                 space.createLhs(layouts.getOutput()),
                                 space.createRhs(layouts.getFilter())};
  return part;
}

void Planner::planResidues() {
  SmallVector<PlanPart, 0> parts; // The largest first.
  auto isLarger = [](const PlanPart &a, const PlanPart &b) {
    return countProducts(a) > countProducts(b);
  };
  for (ArrayRef<Residue> residues : listResidues(shape)) {
    PlanPart part = planResidue(residues);
    parts.insert(llvm::upper_bound(parts, part, isLarger), std::move(part));
  }
  for (ArrayRef<PlanPart> rest = parts; !rest.empty();) {
    ArrayRef<PlanPart> some = rest.take_front(kMaxParts);
    addStep({some.begin(), some.end()}, target);
    rest = rest.drop_front(some.size());
  }
}

bool Planner::canJoinResidues() const {
  bool isStrided = llvm::any_of(shape.strides, [](int64_t s) { return s > 1; });
  bool isDilated =
      llvm::any_of(llvm::zip(shape.strides, shape.dilations), [](auto pair) {
        return std::get<0>(pair) > 1 && std::get<1>(pair) > 1;
      });
  return options.joinsResidues && isStrided && !isDilated &&
         options.mergedGroups == 1 && options.splits == 1;
}

/// With `low = stride * skipped + rest`, position `stride * i + residue - rest`
/// meets filter element `stride * j + residue` in the output position
/// `i + skipped - j`.
void Planner::planJoinedResidues() {
  std::string residues;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t stride = shape.strides[d];
    char residue = letter(kResidueLetters, d);
    if (stride > 1)
      residues += residue;
    space.setSize(residue, stride);
    space.setSize(
        letter(kInputLetters, d),
        llvm::divideCeil(shape.input[d] + shape.low[d] % stride, stride));
    space.setSize(letter(kFilterLetters, d),
                  llvm::divideCeil(shape.filter[d], stride));
  }
  bool channelsInnermost = layouts.getOutput().back() == 'K';
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = residues + "C",
       .reduction = select(layouts.getFilter(), letters('K', kFilterLetters),
                           channelsInnermost ? 'K' : 0),
       .positions = spatial(kInputLetters),
       .mergesReduction = true});
  for (int64_t d = 0; d < rank; ++d) {
    int64_t stride = shape.strides[d];
    AffineExpr position = space.getIndex(letter(kInputLetters, d));
    AffineExpr element = space.getIndex(letter(kFilterLetters, d));
    AffineExpr residue = getAffineConstantExpr(0, layouts.getContext());
    if (stride > 1)
      residue = space.getIndex(letter(kResidueLetters, d));
    space.setIndex(letter(kInputLetters, d),
                   position * stride + residue - shape.low[d] % stride);
    space.setIndex(letter(kFilterLetters, d), element * stride + residue);
    space.setIndex(letter(kOutputLetters, d), position + shape.low[d] / stride -
                                                  element * shape.dilations[d]);
  }
  PlanPart part;
  part.product = MatrixProduct{TensorRole::Output, TensorRole::Filter,
                               space.createLhs(layouts.getOutput()),
                               space.createRhs(layouts.getFilter())};
  part.channels = space.createVector('C');
  // Positions before the first one, and those behind the last one.
  for (int64_t d = 0; d < rank; ++d)
    if (!options.patch.empty() ||
        (shape.input[d] + shape.low[d]) % shape.strides[d] != 0 ||
        shape.low[d] % shape.strides[d] != 0)
      space.addCondition(space.getIndex(letter(kInputLetters, d)),
                         shape.input[d]);
  part.target = space.createLhsOfResult(layouts.getInput());
  space.clearConditions();
  addProduct(std::move(part));
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
  PlanPart part{.target = space.createResult(layouts.getInput()),
                .channels = space.createVector('C')};

  // Where positions from `first` to `first + count - 1` read the padded tensor.
  auto addTerm = [&](AffineExpr padded, int64_t first, int64_t count) {
    if (count <= 0)
      return;
    space.setIndex(dimension, padded);
    space.clearConditions();
    if (count < size)
      space.addCondition(position - first, count);
    part.terms.push_back({source, space.createLhsOfResult(layouts.getInput())});
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
  addStep({std::move(part)}, intermediate);
}

void Planner::planBackwardData() {
  SmallVector<int64_t> folded;
  for (int64_t d = 0; d < rank; ++d)
    if (padding != PaddingMode::Zeros && (shape.low[d] || shape.high[d]))
      folded.push_back(d);
  // The window as if the padded input were the input.
  SmallVector<int64_t, 3> low(shape.low);
  for (int64_t d : folded) {
    shape.input[d] += shape.low[d] + shape.high[d];
    shape.low[d] = 0;
    space.setSize(letter(kInputLetters, d), shape.input[d]);
  }
  if (!folded.empty())
    target = addIntermediate(space.getShape(layouts.getInput()));

  if (canJoinResidues())
    planJoinedResidues();
  else
    planResidues();

  for (int64_t d = 0; d < rank; ++d)
    space.setSize(letter(kInputLetters, d), shape.input[d]);
  shape.low = low;
  for (int64_t d : folded) {
    planFold(d, *target, d == folded.back());
    target = result.steps.back().intermediate;
  }
}
