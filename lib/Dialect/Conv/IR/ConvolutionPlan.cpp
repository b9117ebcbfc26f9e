//===- ConvolutionPlan.cpp - a convolution as matrix products -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"

#include "IndexSpace.h"
#include "Residue.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr StringLiteral kInputLetters = "DHW";
static constexpr StringLiteral kFilterLetters = "TRS";
static constexpr StringLiteral kResidueLetters = "dhw";
static constexpr StringLiteral kOutputLetters = "ZPQ";
/// Most parts of a kernel, each of which is code of its own: as many as strides
/// of 3 have residues in two dimensions.
static constexpr size_t kMaxParts = 9;

namespace {
/// Plans one convolution. The result's padding may be that of another one:
/// backward data plans the gradient of the padded input first.
class Planner {
public:
  Planner(ConvolutionOpInterface op, const PlanOptions &options);

  ConvolutionPlan plan();
  int64_t getSplittableSize();

private:
  /// The letter of spatial dimension `d`, outermost first.
  char letter(StringRef letters, int64_t d) const {
    return letters.take_back(rank)[d];
  }
  std::string spatial(StringRef letters) const {
    return letters.take_back(rank).str();
  }
  std::string letters(char first, StringRef others) const {
    return first + spatial(others);
  }

  void planForward();
  void planBackwardData();
  void planBackwardWeight();
  void planOutputWindows();
  PlanPart planResidue(ArrayRef<Residue> residues);
  void planResidues();
  bool canJoinResidues() const;
  void planJoinedResidues();
  void planFold(int64_t d, size_t source, bool isLast);

  void setForwardSpace();
  void setBackwardWeightSpace();
  /// Whether windows of the gradient of a filter are on the output.
  bool hasOutputWindows() const;
  /// The rows and columns of the input, without a reduction.
  void setInputSpace();
  /// Sets the input's positions from those of output and filter.
  void setInputPositions();

  /// Adds a step for a product with this result, and one that adds its terms
  /// if it is split.
  void addProduct(PlanPart part);
  void addStep(SmallVector<PlanPart, 0> parts,
               std::optional<size_t> intermediate);
  size_t addIntermediate(ArrayRef<int64_t> shape);

  Direction direction;
  LayoutsAttr layouts;
  ConvolutionShape shape;
  PaddingMode padding;
  PlanOptions options;
  int64_t rank;
  IndexSpace space;
  /// What the products write: an intermediate tensor, or the result.
  std::optional<size_t> target;
  ConvolutionPlan result;
};
} // namespace

/// Multiplications for each column of a part.
static double countProducts(const PlanPart &part) {
  if (!part.product)
    return 0;
  auto [batch, rows, reduction] = part.product->lhs.getShape();
  return double(batch) * double(rows) * double(reduction);
}

Planner::Planner(ConvolutionOpInterface op, const PlanOptions &options)
    : direction(op.getDirection()), layouts(op.getLayouts()),
      shape(ConvolutionShape::get(op)), padding(op.getPadding()),
      options(options), rank(shape.getRank()),
      space(op.getContext(), options.mergedGroups,
            rank == 2 ? options.patch : ArrayRef<int64_t>()) {
  space.setSize('G', shape.groups / options.mergedGroups);
  space.setSize('N', shape.n);
  space.setSize('C', shape.c / shape.groups);
  space.setSize('K', shape.k / shape.groups);
  for (int64_t d = 0; d < rank; ++d) {
    space.setSize(letter(kInputLetters, d), shape.input[d]);
    space.setSize(letter(kFilterLetters, d), shape.filter[d]);
    space.setSize(letter(kOutputLetters, d), shape.output[d]);
  }
}

/// The letters of `order` that are in `letters`; `innermost` last if it is.
static std::string select(StringRef order, StringRef letters,
                          char innermost = 0) {
  std::string selected;
  for (char letter : order)
    if (letters.contains(letter) && letter != innermost)
      selected += letter;
  if (letters.contains(innermost))
    selected += innermost;
  return selected;
}

void Planner::setInputPositions() {
  for (int64_t d = 0; d < rank; ++d)
    space.setIndex(
        letter(kInputLetters, d),
        space.getIndex(letter(kOutputLetters, d)) * shape.strides[d] +
            space.getIndex(letter(kFilterLetters, d)) * shape.dilations[d] -
            shape.low[d]);
}

void Planner::setForwardSpace() {
  bool channelsInnermost = layouts.getInput().back() == 'C';
  space.setDigits(
      {.rows = select(layouts.getOutput(), letters('N', kOutputLetters)),
       .columns = "K",
       .reduction = select(layouts.getFilter(), letters('C', kFilterLetters),
                           channelsInnermost ? 'C' : 0),
       .positions = spatial(kOutputLetters),
       .mergesReduction = true});
}

/// Without strides, input and output can change their parts: the tensor whose
/// channels are too few for a vector has the windows, so that the other one is
/// not gathered.
bool Planner::hasOutputWindows() const {
  constexpr int64_t kFewChannels = 8;
  return shape.groups == 1 && padding == PaddingMode::Zeros &&
         llvm::all_of(shape.strides, [](int64_t s) { return s == 1; }) &&
         shape.k < kFewChannels && shape.c >= kFewChannels;
}

void Planner::setBackwardWeightSpace() {
  if (hasOutputWindows())
    return space.setDigits(
        {.rows = "C",
         .columns =
             select(layouts.getFilter(), letters('K', kFilterLetters), 'K'),
         .reduction = select(layouts.getInput(), letters('N', kInputLetters)),
         .positions = spatial(kInputLetters),
         .mergesReduction = false});
  space.setDigits(
      {.rows = "K",
       .columns = select(layouts.getFilter(), letters('C', kFilterLetters)),
       .reduction = select(layouts.getOutput(), letters('N', kOutputLetters)),
       .positions = spatial(kOutputLetters),
       .mergesReduction = false});
}

void Planner::setInputSpace() {
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = "C",
       .reduction = "",
       .positions = "",
       .mergesReduction = true});
}

void Planner::planForward() {
  setForwardSpace();
  space.split(options.splits);
  setInputPositions();
  addProduct(
      {.product = MatrixProduct{TensorRole::Input, TensorRole::Filter,
                                space.createLhs(layouts.getInput(), padding),
                                space.createRhs(layouts.getFilter())},
       .target = space.createResult(layouts.getOutput()),
       .channels = space.createVector('K')});
}

void Planner::planOutputWindows() {
  setBackwardWeightSpace();
  space.split(options.splits);
  for (int64_t d = 0; d < rank; ++d)
    space.setIndex(letter(kOutputLetters, d),
                   space.getIndex(letter(kInputLetters, d)) + shape.low[d] -
                       space.getIndex(letter(kFilterLetters, d)) *
                           shape.dilations[d]);
  addProduct({.product = MatrixProduct{TensorRole::Input, TensorRole::Output,
                                       space.createLhs(layouts.getInput()),
                                       space.createRhs(layouts.getOutput())},
              .target = space.createResult(layouts.getFilter())});
}

void Planner::planBackwardWeight() {
  if (hasOutputWindows())
    return planOutputWindows();
  setBackwardWeightSpace();
  space.split(options.splits);
  setInputPositions();
  addProduct(
      {.product = MatrixProduct{TensorRole::Output, TensorRole::Input,
                                space.createLhs(layouts.getOutput()),
                                space.createRhs(layouts.getInput(), padding)},
       .target = space.createResult(layouts.getFilter())});
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
         options.mergedGroups == 1 && options.splits == 1 &&
         options.patch.empty();
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
       .positions = "",
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
  for (int64_t d = 0; d < rank; ++d)
    if ((shape.input[d] + shape.low[d]) % shape.strides[d] != 0 ||
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

size_t Planner::addIntermediate(ArrayRef<int64_t> shape) {
  result.intermediates.push_back(llvm::to_vector(shape));
  return result.intermediates.size() - 1;
}

void Planner::addStep(SmallVector<PlanPart, 0> parts,
                      std::optional<size_t> intermediate) {
  result.steps.push_back({std::move(parts), intermediate});
}

void Planner::addProduct(PlanPart part) {
  int64_t splits = space.getSplits();
  if (splits == 1)
    return addStep({std::move(part)}, target);
  PlanPart product{
      .product = std::exchange(part.product, std::nullopt),
      .target = space.createParts(),
  };
  size_t sums = addIntermediate(space.getPartsShape());
  for (int64_t split = 0; split < splits; ++split)
    part.terms.push_back({sums, space.createPart(split)});
  addStep({std::move(product)}, sums);
  addStep({std::move(part)}, target);
}

ConvolutionPlan Planner::plan() {
  switch (direction) {
  case Direction::Forward:
    planForward();
    break;
  case Direction::BackwardData:
    planBackwardData();
    break;
  case Direction::BackwardWeight:
    planBackwardWeight();
    break;
  }
  return std::move(result);
}

int64_t Planner::getSplittableSize() {
  switch (direction) {
  case Direction::Forward:
    setForwardSpace();
    break;
  case Direction::BackwardData:
    return 1; // Every residue has a reduction of its own.
  case Direction::BackwardWeight:
    setBackwardWeightSpace();
    break;
  }
  return space.getSplittableSize();
}

SmallVector<std::pair<const PlanStep *, const PlanPart *>>
ConvolutionPlan::getProducts() const {
  SmallVector<std::pair<const PlanStep *, const PlanPart *>> products;
  for (const PlanStep &step : steps)
    for (const PlanPart &part : step.parts)
      if (part.product)
        products.push_back({&step, &part});
  return products;
}

const PlanPart &ConvolutionPlan::getLargestProduct() const {
  const PlanPart *largest = &steps.front().parts.front();
  for (auto [step, part] : getProducts())
    if (countProducts(*part) > countProducts(*largest))
      largest = part;
  return *largest;
}

ConvolutionPlan mlir::conv::planConvolution(ConvolutionOpInterface op,
                                            const PlanOptions &options) {
  return Planner(op, options).plan();
}

PlanOptions mlir::conv::getPlanOptions(ScheduleAttr schedule) {
  return {.mergedGroups = schedule.getMergedGroups(),
          .splits = schedule.getSplits(),
          .patch = SmallVector<int64_t, 2>(schedule.getPatch()),
          .joinsResidues = schedule.isDirect()};
}

ViewedProduct mlir::conv::getViewedProduct(ConvolutionOpInterface op,
                                           const ConvolutionPlan &plan,
                                           const PlanStep &step,
                                           const PlanPart &part) {
  auto getViewed = [](ViewAttr view, Value tensor) {
    return ViewedTensor{view, cast<RankedTensorType>(tensor.getType()),
                        getStrides(tensor)};
  };
  const MatrixProduct &product = *part.product;
  ViewedTensor result = getViewed(part.target, op.getResultTensor());
  if (step.intermediate) {
    ArrayRef<int64_t> shape = plan.intermediates[*step.intermediate];
    result.type = RankedTensorType::get(shape, getAccumulatorType(op));
    result.strides = computeContiguousStrides(shape);
  }
  return {getViewed(product.lhs, op.getTensor(product.lhsRole)),
          getViewed(product.rhs, op.getTensor(product.rhsRole)), result};
}

int64_t mlir::conv::getSplittableSize(ConvolutionOpInterface op) {
  return Planner(op, PlanOptions()).getSplittableSize();
}
