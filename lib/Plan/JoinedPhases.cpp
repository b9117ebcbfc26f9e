//===- JoinedPhases.cpp - dgrad phases as columns of one product ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dgrad phases of a data gradient differ in their filter elements only, so
// they can be columns of one product, whose rows are as many positions as each
// phase has. Elements that some phases do not have are multiplied as zeros.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// The most subproblems of a kernel, which are separate code if it is short: as
/// many as stride 3 has dgrad phases in two dimensions. More dgrad phases are
/// always joined. More than `kFewPhases`, as many as stride 2 has, are joined
/// if that increases the multiplications by at most a quarter: no chip is
/// asked, so a convolution has the same subproblems on each.
static constexpr int64_t kMaxPhases = 9, kFewPhases = 4;

namespace {
/// All dgrad phases of one dimension: position `stride * i + dilation * phase +
/// gap + first` meets filter element `period * j + phase - skipped` in the
/// output position `offset + i - distance * j`, if `gap` is 0.
/// Positions with another gap, which exist if stride and dilation have a common
/// divisor, meet no filter element.
struct JoinedPhases {
  int64_t period, gaps;        ///< Dgrad phases are 0 to `period - 1`.
  int64_t elements, positions; ///< Values of `j` and of `i`.
  int64_t first, last;         ///< The first and last numbered position.
  int64_t offset, distance;
  int64_t skipped; ///< Dgrad phases that do not meet the first values of `j`.

  JoinedPhases(const ConvolutionShape &shape, int64_t d);

private:
  JoinedPhases(const ConvolutionShape &shape, int64_t d, int64_t skipped);
};
} // namespace

JoinedPhases::JoinedPhases(const ConvolutionShape &shape, int64_t d,
                           int64_t skipped)
    : skipped(skipped) {
  int64_t stride = shape.strides[d], dilation = shape.dilations[d];
  gaps = std::gcd(stride, dilation);
  period = stride / gaps;
  distance = dilation / gaps;
  elements = llvm::divideCeil(shape.filter[d] + skipped, period);
  int64_t low = shape.low[d] + dilation * skipped;
  int64_t span = dilation * (period - 1) + gaps - 1;
  offset = llvm::divideCeilSigned(low - span, stride);
  first = stride * offset - low;
  positions = (shape.input[d] - 1 - first) / stride + 1;
  last = stride * (positions - 1) + span + first;
}

/// Starts with the filter element from which on the numbered positions are the
/// fewest, as long as there are no more values of `j`. With padding 1, stride 2
/// and three elements, positions start at 0 then instead of -1, so that tiles
/// divide them as they divide the output, and rows of a result are whole
/// vectors.
JoinedPhases::JoinedPhases(const ConvolutionShape &shape, int64_t d)
    : JoinedPhases(shape, d, 0) {
  for (int64_t other = 1; other < period; ++other)
    if (JoinedPhases shifted(shape, d, other);
        shifted.elements == elements && shifted.positions < positions)
      *this = shifted;
}

bool Planner::joinsPhases() const {
  int64_t phases = 1;
  double elements = 1, joinedElements = 1;
  bool isDilated = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t stride = shape.strides[d];
    phases *= stride;
    elements *= double(shape.filter[d]);
    joinedElements *= double(stride * JoinedPhases(shape, d).elements);
    isDilated |= stride > 1 && shape.dilations[d] > 1;
  }
  if (options.joinsPhases)
    return phases > 1 && !isDilated && options.mergedGroups == 1;
  bool addsLittle = joinedElements - elements <= elements / 4;
  return phases > kMaxPhases || (phases > kFewPhases && addsLittle);
}

/// If the filter is as long as the stride, its dgrad phases are contiguous in
/// memory, as its elements are. Otherwise each one is addressed separately.
bool Planner::hasSeparatePhases() const {
  int64_t columns = shape.c / shape.groups, outer = rank;
  for (; outer > 0 && filter[outer - 1] == shape.strides[outer - 1]; --outer)
    columns *= filter[outer - 1];
  return columns % PlanOptions::kRowSize != 0 &&
         llvm::any_of(ArrayRef(shape.strides).take_front(outer),
                      [](int64_t stride) { return stride > 1; });
}

void Planner::setJoinedSpace() {
  std::string gaps, phases;
  for (int64_t d = 0; d < rank; ++d) {
    JoinedPhases joined(shape, d);
    char gap = letter(kGapLetters, d), phase = letter(kPhaseLetters, d);
    if (joined.gaps > 1)
      gaps += gap;
    if (joined.period > 1)
      phases += phase;
    char position = kInputPositions.take_back(rank)[d];
    space.setDigit(gap, {position, DigitPart::Gap}, joined.gaps);
    space.setDigit(phase, {position, DigitPart::Phase}, joined.period);
    space.setSize(letter(kInputLetters, d), joined.positions);
    space.setSize(letter(kFilterLetters, d), joined.elements);
  }
  bool channelsInnermost = layouts.getOutput().back() == 'K';
  space.setDigits(
      {.rows = select(layouts.getInput(), letters('N', kInputLetters)),
       .columns = gaps + phases + "C",
       .reduction = select(layouts.getFilter(), letters('K', kFilterLetters),
                           channelsInnermost ? 'K' : 0),
       .positions = haloTilePositions(kInputLetters),
       .channel = hasChannelRows() ? 'C' : char(0),
       .channelRow = PlanOptions::kRowSize,
       .mergesReduction = true});
}

void Planner::planJoinedPhases() {
  setJoinedSpace();
  space.split(options.splits);
  // A digit of size 1 has no letter.
  auto getDigit = [&](char letter, int64_t size) {
    return size > 1 ? space.getIndex(letter)
                    : getAffineConstantExpr(0, layouts.getContext());
  };
  for (int64_t d = 0; d < rank; ++d) {
    JoinedPhases joined(shape, d);
    AffineExpr position = space.getIndex(letter(kInputLetters, d));
    AffineExpr element = space.getIndex(letter(kFilterLetters, d));
    AffineExpr phase = getDigit(letter(kPhaseLetters, d), joined.period);
    AffineExpr gap = getDigit(letter(kGapLetters, d), joined.gaps);
    space.setIndex(letter(kInputLetters, d), position * shape.strides[d] +
                                                 phase * shape.dilations[d] +
                                                 gap + joined.first);
    // With another gap, filter elements are out of bounds and read zero.
    space.setIndex(letter(kFilterLetters, d),
                   element * joined.period + phase - joined.skipped +
                       gap * (filter[d] + joined.skipped));
    space.setIndex(letter(kOutputLetters, d),
                   position + joined.offset - element * joined.distance);
  }
  PlanSubproblem subproblem;
  subproblem.product = MatrixProduct{TensorRole::Output, TensorRole::Filter,
                                     space.createLhs(layouts.getOutput()),
                                     space.createRhs(layouts.getFilter())};
  subproblem.channels = space.createVector('C');
  // The conditions on the reduction's digits do not apply to the result.
  space.clearConditions();
  // Do not write positions before the first one or after the last one, nor
  // channels after the last one of a row.
  for (int64_t d = 0; d < rank; ++d)
    if (JoinedPhases joined(shape, d); !options.haloTile.empty() ||
                                       joined.first < 0 ||
                                       joined.last >= shape.input[d])
      space.addCondition(space.getIndex(letter(kInputLetters, d)),
                         shape.input[d]);
  if (hasChannelRows())
    space.addCondition(space.getIndex('C'), shape.c / shape.groups);
  subproblem.target = space.createLhsOfResult(layouts.getInput());
  space.clearConditions();
  addProduct(std::move(subproblem));
}
