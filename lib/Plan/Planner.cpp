//===- Planner.cpp - plans the products of a convolution ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans forward and backward weight, and the steps that all directions share.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// Halo tiles in a reduction require that positions after the last read zeros.
static bool hasHaloTiles(ConvolutionOpInterface op,
                         const ConvolutionShape &shape) {
  return shape.getRank() >= 2 &&
         (op.getDirection() != Direction::BackwardWeight ||
          op.getPadding() == PaddingMode::Zeros);
}

/// The bytes of a row of channels that is reduced before another tap is; 0 if
/// there are no such rows. Where buffer instructions add what lanes share of an
/// address, a step of the reduction that stays within a tap takes no vector
/// instructions.
static int64_t getReducedRowBytes(ConvolutionOpInterface op) {
  TargetAttr target = TargetAttr::lookup(op);
  return target ? target.getInfo().calibration->unit.reducedRowBytes : 0;
}

/// The taps of each dimension that a plan multiplies.
static SmallVector<TapRange, 3> selectTaps(ConvolutionOpInterface op,
                                           const ConvolutionShape &shape,
                                           const PlanOptions &options) {
  SmallVector<TapRange, 3> taps = computeLiveTaps(shape, op.getPadding());
  if (options.keepsDeadTaps && op.getDirection() == Direction::BackwardWeight)
    for (auto [range, count] : llvm::zip_equal(taps, shape.filter))
      range = {0, count};
  return taps;
}

Planner::Planner(ConvolutionOpInterface op, const PlanOptions &options)
    : Planner(op, ConvolutionShape::get(op), options) {}

Planner::Planner(ConvolutionOpInterface op, const ConvolutionShape &whole,
                 const PlanOptions &options)
    : direction(op.getDirection()), layouts(op.getLayouts()),
      filter(whole.filter), live(selectTaps(op, whole, options)),
      shape(restrictTaps(whole, live)), padding(op.getPadding()),
      options(options), rank(shape.getRank()),
      elementBytes(getElementBytes(getOperandElementType(op))),
      mostRowBytes(getReducedRowBytes(op)),
      space(op.getContext(), options.mergedGroups,
            hasHaloTiles(op, whole) ? options.haloTile : ArrayRef<int64_t>()) {
  if (direction == Direction::BackwardData)
    shortenStrides();
  space.setSize('G', shape.groups / options.mergedGroups);
  space.setSize('N', shape.n);
  space.setSize('C', shape.c / shape.groups);
  space.setSize('K', shape.k / shape.groups);
  for (int64_t d = 0; d < rank; ++d) {
    space.setSize(letter(kInputLetters, d), shape.input[d]);
    setTaps(d, live[d]);
    space.setSize(letter(kOutputLetters, d), shape.output[d]);
  }
}

void Planner::setTaps(int64_t d, TapRange taps) {
  space.setSize(letter(kFilterLetters, d), taps.count);
  space.setFilterOrigin(letter(kFilterLetters, d), taps.first);
}

std::string Planner::select(StringRef order, StringRef letters,
                            char innermost) {
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
       .positions = haloTilePositions(kOutputLetters),
       .mergesReduction = true});
}

/// Without strides, input and output can swap roles: windows move over the
/// tensor that has too few channels for a vector access, so that the other one
/// need not be gathered.
bool Planner::hasOutputWindows() const {
  constexpr int64_t kFewChannels = 8;
  if (options.transposed)
    return shape.k > shape.c;
  return shape.groups == 1 && padding == PaddingMode::Zeros &&
         llvm::all_of(shape.strides, [](int64_t s) { return s == 1; }) &&
         ((shape.k < kFewChannels && shape.c >= kFewChannels) ||
          (layouts.getFilter().back() == 'K' &&
           llvm::product_of(shape.filter) == 1));
}

bool Planner::canHaveChannelRows() const {
  if (options.mergedGroups > 1 || !options.haloTile.empty())
    return false;
  switch (direction) {
  case Direction::Forward:
    return false;
  case Direction::BackwardData:
    return joinsPhases() && hasSeparatePhases();
  case Direction::BackwardWeight:
    // Other padding would load elements after the last channel.
    return padding == PaddingMode::Zeros && hasSeparateTaps();
  }
  llvm_unreachable("every direction has columns");
}

/// If the channels that windows see are innermost, a tensor copy loads a row of
/// them at each position. Otherwise it loads a row of positions for each
/// channel of a tap, of which a tile has eight swizzled ones at a time.
int64_t Planner::getChannelRow() const {
  bool onOutput = hasOutputWindows();
  bool areInnermost = onOutput ? layouts.getOutput().ends_with("K")
                               : layouts.getInput().ends_with("C");
  int64_t channels = (onOutput ? shape.k : shape.c) / shape.groups;
  return areInnermost
             ? PlanOptions::kRowSize
             : llvm::alignTo(channels, ::conv::WarpgroupTile::kSwizzledRows);
}

/// The filter's own order suffices if its channels are innermost and fill whole
/// channel rows, or if there is only one tap.
bool Planner::hasSeparateTaps() const {
  char channel = hasOutputWindows() ? 'K' : 'C';
  int64_t channels = (channel == 'K' ? shape.k : shape.c) / shape.groups;
  return layouts.getFilter().back() != channel ||
         (channels % getChannelRow() != 0 &&
          llvm::product_of(shape.filter) > 1);
}

void Planner::setBackwardWeightSpace() {
  bool onOutput = hasOutputWindows();
  char channel = onOutput ? 'K' : 'C';
  StringRef positions = onOutput ? kInputLetters : kOutputLetters;
  StringRef order = onOutput ? layouts.getInput() : layouts.getOutput();
  IndexSpace::Letters digits = {
      .rows = onOutput ? "C" : "K",
      .columns = select(layouts.getFilter(), letters(channel, kFilterLetters),
                        onOutput ? channel : 0),
      .reduction = select(order, letters('N', positions)),
      .positions = haloTilePositions(positions),
      .mergesReduction = false};
  if (layouts.getInput().ends_with(spatial(kInputLetters).back()) &&
      layouts.getOutput().ends_with(spatial(kOutputLetters).back()))
    digits.innermost = positions.back();
  digits.innermostRow = PlanOptions::kRowSize;
  if (layouts.getInput().ends_with("N") && layouts.getOutput().ends_with("N")) {
    digits.innermost = 'N';
    digits.innermostRow = ::conv::WarpgroupTile::kRowBytes / elementBytes;
  }
  digits.channelRow =
      space.hasHaloTiles() ? PlanOptions::kRowSize : getChannelRow();
  if (space.hasHaloTiles()) {
    // A tap row, whose taps share a halo tile, for each channel row.
    std::string lines = spatial(kFilterLetters);
    char tap = lines.back();
    lines.pop_back();
    digits.columns = lines + channel + tap;
    digits.channel = channel;
    // Transposed, rows are all taps that read the halo tile of a channel row.
    if (options.transposed) {
      digits.rows = channel + lines + tap;
      digits.columns = onOutput ? "C" : "K";
    }
  } else if (hasChannelRows()) {
    digits.columns = spatial(kFilterLetters) + channel;
    digits.channel = channel;
  }
  space.setDigits(digits);
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
  addGradient({TensorRole::Input, TensorRole::Output, layouts.getInput(),
               layouts.getOutput()});
}

void Planner::planBackwardWeight() {
  if (hasOutputWindows())
    return planOutputWindows();
  setBackwardWeightSpace();
  space.split(options.splits);
  setInputPositions();
  addGradient({TensorRole::Output, TensorRole::Input, layouts.getOutput(),
               layouts.getInput()});
}

void Planner::addGradient(const GradientOperands &operands) {
  auto [dense, windows, denseOrder, windowsOrder] = operands;
  MatrixProduct product =
      options.transposed
          ? MatrixProduct{windows, dense,
                          space.createLhs(windowsOrder, padding),
                          space.createRhs(denseOrder)}
          : MatrixProduct{dense, windows, space.createLhs(denseOrder),
                          space.createRhs(windowsOrder, padding)};
  PlanSubproblem subproblem{.product = product,
                            .target = space.createResult(layouts.getFilter())};
  splitProduct(subproblem);
  SmallVector<PlanSubproblem, 0> subproblems;
  subproblems.push_back(std::move(subproblem));
  addDeadTaps(subproblems);
  addProducts(std::move(subproblems));
}

void Planner::addDeadTaps(SmallVector<PlanSubproblem, 0> &subproblems) {
  for (int64_t d = 0; d < rank; ++d)
    setTaps(d, {0, filter[d]});
  // Boxes of dead taps of a dimension have live taps of those before it.
  for (int64_t d = 0; d < rank; ++d) {
    int64_t end = live[d].getEnd();
    for (TapRange dead :
         {TapRange{0, live[d].first}, TapRange{end, filter[d] - end}}) {
      if (dead.count == 0)
        continue;
      setTaps(d, dead);
      space.setDigits(
          {.rows = "K",
           .columns = select(layouts.getFilter(), letters('C', kFilterLetters)),
           .reduction = "",
           .positions = "",
           .mergesReduction = false});
      subproblems.push_back(
          {.target = space.createResult(layouts.getFilter())});
    }
    setTaps(d, live[d]);
  }
}

size_t Planner::addIntermediate(ArrayRef<int64_t> shape) {
  result.intermediates.push_back(llvm::to_vector(shape));
  return result.intermediates.size() - 1;
}

void Planner::addStep(SmallVector<PlanSubproblem, 0> subproblems,
                      std::optional<size_t> intermediate) {
  result.steps.push_back({std::move(subproblems), intermediate});
}

bool Planner::hasRowsInnermost() const {
  switch (direction) {
  case Direction::Forward:
    return !layouts.getOutput().ends_with("K");
  case Direction::BackwardData:
    return !layouts.getInput().ends_with("C");
  case Direction::BackwardWeight:
    return options.transposed; // Otherwise rows are one digit of the filter.
  }
  llvm_unreachable("every direction has a result");
}

/// They do if the result has, so that the kernel that adds slices up reads and
/// writes contiguous memory.
bool Planner::canTurnSlices() const {
  return options.splits > 1 && hasRowsInnermost();
}

void Planner::splitProduct(PlanSubproblem &subproblem) {
  if (space.getSplits() == 1 || !subproblem.product)
    return;
  if (options.hasChannelRows && canTurnSlices())
    space.turnParts();
  if (!sums)
    sums = addIntermediate({0, 0, 0});
  SmallVector<int64_t> &shape = result.intermediates[*sums];
  int64_t first = shape[0];
  SmallVector<int64_t> own = space.getPartsShape();
  shape = {first + own[0], std::max(shape[1], own[1]),
           std::max(shape[2], own[2])};
  for (int64_t split = 0; split < space.getSplits(); ++split)
    subproblem.terms.push_back({*sums, space.createSlice(split, first)});
  insertByWork({.product = std::exchange(subproblem.product, std::nullopt),
                .target = space.createSlices(first)},
               splitProducts);
}

void Planner::addProducts(SmallVector<PlanSubproblem, 0> subproblems) {
  if (sums)
    addStep(std::move(splitProducts), sums);
  addStep(std::move(subproblems), target);
}

void Planner::addProduct(PlanSubproblem subproblem) {
  splitProduct(subproblem);
  SmallVector<PlanSubproblem, 0> subproblems;
  subproblems.push_back(std::move(subproblem));
  addProducts(std::move(subproblems));
}

ConvolutionPlan Planner::plan() {
  if (options.transposed && direction != Direction::BackwardWeight) {
    planTransposed();
    return std::move(result);
  }
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

bool Planner::setOnlySpace() {
  switch (direction) {
  case Direction::Forward:
    setForwardSpace();
    return true;
  case Direction::BackwardData:
    padInput();
    if (!joinsPhases())
      return false;
    setJoinedSpace();
    return true;
  case Direction::BackwardWeight:
    setBackwardWeightSpace();
    return true;
  }
  llvm_unreachable("every direction has a plan");
}

bool Planner::canSplit() {
  auto can = [&](const IndexSpace &each) {
    return each.canSplit(options.splits);
  };
  return setOnlySpace() ? can(space) : getLeastOfPhases(can);
}

std::string Planner::findSplitObstacle() {
  if (canSplit())
    return "";
  auto get = [](const IndexSpace &each) { return each.getMostAlone(); };
  return llvm::formatv(
      "expects splits to be at most {0}, or the number of equal "
      "slices of several digits, but got {1}",
      setOnlySpace() ? get(space) : getLeastOfPhases(get), options.splits);
}

int64_t Planner::getSplittableSize() {
  auto get = [](const IndexSpace &each) { return each.getSplittableSize(); };
  return setOnlySpace() ? get(space) : getLeastOfPhases(get);
}

int64_t Planner::getSliceSize() {
  if (!setOnlySpace())
    return 0;
  space.split(options.splits);
  return space.getReductionSize();
}
