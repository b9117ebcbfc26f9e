//===- DirectBandedStep.cpp - products of banded matrices -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of 16 bytes are runs of one channel (`ChannelRows`). Transposed loads of
// such rows give fragments of atoms that reduce runs (`BandedGradient`). At
// the end, the lanes of a subgroup add up the diagonals of its sums.
//
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "ChannelFragments.h"
#include "ChannelRows.h"
#include "DirectStep.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;

namespace {
class BandedStep final : public DirectStep {
public:
  BandedStep(const Kernel &kernel, const DirectOperands &operands);

  SmallVector<Value> createZeros() const override;
  SmallVector<Value> create(ValueRange sums) const override;
  SmallVector<Value> getElements(ValueRange sums) const override;
  Place locate(Value unit, Value element) const override;

private:
  /// The channels whose sums a subgroup has: from `first` on, in a vector.
  struct Share {
    SmallVector<Value> batch; ///< First matrix of the vector.
    Value vector;             ///< Number of the vector in its place.
    Value first;
  };
  /// The place of a block of positions, and its number in its line.
  struct Run {
    Value place, block;
  };
  /// The lane's places in the runs of an atom. A mask selects the 16-bit halves
  /// that belong to existing runs.
  struct Runs {
    Run left, right;
    SmallVector<Value> masks;
  };
  Share getShare(Value number) const;
  Run getRun(const TensorBox &box, const Share &share, Value number,
             Value further) const;
  Runs getRuns(const Share &share, Value unit) const;
  SmallVector<Value> createMasks(Value unit) const;
  Value getPlace(const SharedBox &box, const Run &run, const Share &share,
                 int64_t channel, int64_t step, int64_t remainder) const;
  SmallVector<Value> createUnit(const Share &share, const Runs &place,
                                ValueRange sums) const;
  Value sumDiagonals(Value sum) const;

  const Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectTiling &tiling;
  const BandedGradient &banded;
  ChannelRows channelRows;
  Type element;
  SmallVector<int64_t> vectors; ///< Channel vectors, by batch digit.
  SmallVector<int64_t> runs;    ///< Runs of a step, by reduction digit.
  int64_t leftLine;             ///< Distance between lines in the left box.
};
} // namespace

BandedStep::BandedStep(const Kernel &kernel, const DirectOperands &operands)
    : DirectStep(operands.tiling.countShares() * kernel.chip.subgroupSize,
                 kernel.workItem),
      kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      tiling(operands.tiling), banded(*tiling.banded),
      channelRows(kernel, banded), element(kernel.form.lhs.getElementType()),
      leftLine(tiling.getLineDistance(tiling.lhs)) {
  for (size_t d = 0; d < tiling.batch.getRank(); ++d)
    vectors.push_back(tiling.batch.countRuns(d));
  size_t position = tiling.getPosition();
  runs = tiling.reduction.sizes;
  runs[position] = tiling.countLineRuns();
  if (position > 0)
    runs[position - 1] /= tiling.lines;
}

SmallVector<Value> BandedStep::createZeros() const {
  auto type = VectorType::get({BandedGradient::kSums}, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return SmallVector<Value>(tiling.channels * banded.countAtoms(), zero);
}

BandedStep::Share BandedStep::getShare(Value number) const {
  int64_t perVector = BandedGradient::kVector / tiling.channels;
  Share share{math.split(math.div(number, perVector), vectors), Value(),
              math.mul(math.rem(number, perVector), tiling.channels)};
  Value &matrix = share.batch[tiling.batch.innermost];
  share.vector = matrix;
  matrix = math.mul(matrix, BandedGradient::kVector);
  return share;
}

/// The lane's place in an operand's runs for one atom: `further` blocks after
/// run `number`.
BandedStep::Run BandedStep::getRun(const TensorBox &box, const Share &share,
                                   Value number, Value further) const {
  size_t position = tiling.getPosition();
  SmallVector<Value> digits = math.split(
      math.minimum(number, math.constant(tiling.countRuns() - 1)), runs);
  int64_t ofLine = tiling.reduction.getPadded(position) / tiling.reduction.run;
  Value block = digits[position];
  if (ofLine < runs[position])
    block = math.minimum(block, math.constant(ofLine - 1));
  block = math.add(block, further);
  digits[position] = math.constant(0);
  if (position > 0)
    digits[position - 1] = math.mul(digits[position - 1], tiling.lines);

  // Vectors of the batch are adjacent in a place.
  SmallVector<Value> batch = share.batch;
  batch[tiling.batch.innermost] = math.constant(0);
  Value place =
      math.add(math.constant(box.first), math.mul(block, box.blocks.distance));
  ArrayRef<int64_t> distances = box.distances;
  for (auto [all, from] :
       {std::pair(&batch, distances),
        std::pair(&digits, distances.take_back(digits.size()))})
    for (auto [digit, distance] : llvm::zip(*all, from))
      place = math.add(place, math.mul(digit, distance));
  return {place, block};
}

/// Each lane gives the address of a run that it loads. In the left operand, the
/// first eight lanes have the first runs. In the right operand, the next eight
/// have the next blocks, as fragments have rows before the reduction.
BandedStep::Runs BandedStep::getRuns(const Share &share, Value unit) const {
  constexpr int64_t kRuns = BandedGradient::kRuns, kHalf = kRuns / 2;
  Value first = math.mul(unit, kRuns);
  Value inHalf = math.rem(kernel.lane, kHalf);
  Value half = math.div(kernel.lane, kHalf);
  // With a single diagonal, lines need no other block after the last run.
  Value further =
      banded.getLastDiagonal() > 0 ? math.rem(half, 2) : math.constant(0);
  Runs result;
  result.left = getRun(
      tiling.lhs, share,
      math.add(first, math.add(inHalf, math.mul(math.rem(half, 2), kHalf))),
      math.constant(0));
  result.right = getRun(
      tiling.rhs, share,
      math.add(first, math.add(inHalf, math.mul(math.div(half, 2), kHalf))),
      further);
  result.masks = createMasks(unit);
  return result;
}

/// Empty if all runs of all atoms exist.
SmallVector<Value> BandedStep::createMasks(Value unit) const {
  constexpr int64_t kRuns = BandedGradient::kRuns,
                    kPair = BandedGradient::kPair;
  size_t position = tiling.getPosition();
  int64_t count = tiling.countRuns();
  int64_t ofLine = tiling.reduction.getPadded(position) / tiling.reduction.run;
  if (count % kRuns == 0 && ofLine == runs[position])
    return {};
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value firstRun =
      math.add(math.mul(unit, kRuns),
               math.mul(math.rem(kernel.lane, kernel.atom.groupsOfK()), kPair));
  SmallVector<Value> masks;
  for (int64_t half = 0; half < 2; ++half) {
    Value mask = zero;
    for (int64_t i = 0; i < kPair; ++i) {
      Value run = math.add(firstRun, half * kRuns / 2 + i);
      Value isThere =
          math.both(math.below(run, count),
                    math.below(math.rem(run, runs[position]), ofLine));
      Value bits =
          arith::ConstantOp::create(b, b.getI32IntegerAttr(0xffff << 16 * i));
      mask = b.createOrFold<arith::OrIOp>(
          mask, b.createOrFold<arith::SelectOp>(isThere, bits, zero));
    }
    masks.push_back(mask);
  }
  return masks;
}

/// The place of a channel's run, for the positions of a class.
Value BandedStep::getPlace(const SharedBox &box, const Run &run,
                           const Share &share, int64_t channel, int64_t step,
                           int64_t remainder) const {
  Value row = channelRows.getRow(math.add(share.first, channel), run.block);
  return math.add(run.place,
                  box.getBlockOffset(math.add(math.mul(row, step), remainder),
                                     share.vector));
}

/// Adds the products of the runs of one atom on all lines: each input window is
/// loaded once and multiplied for all lines and atoms that use it.
SmallVector<Value> BandedStep::createUnit(const Share &share, const Runs &place,
                                          ValueRange sums) const {
  int64_t atoms = banded.countAtoms();
  // For each class and distance, the lines and atoms that read this window.
  std::map<std::pair<int64_t, int64_t>,
           SmallVector<std::pair<int64_t, int64_t>>>
      windows;
  for (int64_t line = 0; line < tiling.lines; ++line)
    for (int64_t atom = 0; atom < atoms; ++atom) {
      int64_t distance =
          line * tiling.getLineDistance(tiling.rhs) +
          tiling.getColumnDistance(atom % banded.lines, banded.tap);
      windows[{atom / banded.lines, distance}].emplace_back(line, atom);
    }
  SmallVector<Value> results(sums);
  for (int64_t channel = 0; channel < tiling.channels; ++channel) {
    Value leftPlace = getPlace(operands.lhs, place.left, share, channel,
                               /*step=*/1, /*remainder=*/0);
    SmallVector<Value> left;
    for (int64_t line = 0; line < tiling.lines; ++line) {
      SmallVector<Value> words = channelRows.load(
          operands.lhs, math.add(leftPlace, line * leftLine), /*count=*/2);
      for (auto [word, mask] : llvm::zip(words, place.masks))
        word = b.createOrFold<arith::AndIOp>(word, mask);
      left.push_back(createFragment(b, words, element));
    }
    SmallVector<Value> rightPlaces;
    for (int64_t i = 0; i < banded.countClasses(); ++i)
      rightPlaces.push_back(getPlace(operands.rhs, place.right, share, channel,
                                     banded.step, banded.getRemainder(i)));
    for (const auto &[at, products] : windows) {
      SmallVector<Value> words = channelRows.load(
          operands.rhs, math.add(rightPlaces[at.first], at.second),
          /*count=*/4);
      std::swap(words[1], words[2]);
      Value window = createFragment(b, words, element);
      for (auto [line, atom] : products) {
        Value &sum = results[channel * atoms + atom];
        sum = MmaOp::create(b, sum.getType(), kernel.form.schedule.getAtom(),
                            window, left[line], sum);
      }
    }
  }
  return results;
}

SmallVector<Value> BandedStep::create(ValueRange sums) const {
  channelRows.transpose(operands.lhs, /*step=*/1, /*classes=*/1);
  channelRows.transpose(operands.rhs, banded.step, banded.countClasses());
  gpu::BarrierOp::create(b);
  int64_t shares = tiling.countShares();
  Share share = getShare(math.rem(kernel.subgroup, shares));
  auto loop = scf::ForOp::create(
      b, math.div(kernel.subgroup, shares), math.constant(tiling.countUnits()),
      math.constant(kernel.workItems / numUnits), sums,
      [&](OpBuilder &, Location, Value unit, ValueRange carried) {
        scf::YieldOp::create(b,
                             createUnit(share, getRuns(share, unit), carried));
      });
  disableUnrolling(loop);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Of an atom's sums, a lane has two columns of one row and of the row eight
/// further (`MatrixAtom`). The lane returns the sum of the diagonal that starts
/// in its row: it takes its own two columns from the lanes that hold the
/// diagonal's rows there, and the lanes next to it take the other columns.
Value BandedStep::sumDiagonals(Value sum) const {
  constexpr int64_t kRows = 8, kPair = BandedGradient::kPair;
  int64_t perRow = kernel.atom.groupsOfK();
  IndexMath words(b, b.getI32Type());
  Value lane = words.cast(kernel.lane);
  Value own = words.rem(lane, perRow);
  Value width = words.constant(kernel.chip.subgroupSize);
  auto shuffle = [&](Value value, Value where, gpu::ShuffleMode mode) {
    return gpu::ShuffleOp::create(b, value, where, width, mode)
        .getShuffleResult();
  };
  Value total;
  for (int64_t i = 0; i < kPair; ++i) {
    Value row =
        words.add(words.div(lane, perRow), words.add(words.mul(own, kPair), i));
    Value source = words.add(words.mul(words.rem(row, kRows), perRow), own);
    std::array<Value, 2> halves;
    for (auto [half, value] : llvm::enumerate(halves))
      value =
          shuffle(vector::ExtractOp::create(b, sum, int64_t(half) * kPair + i),
                  source, gpu::ShuffleMode::IDX);
    Value each = arith::SelectOp::create(b, words.below(row, kRows), halves[0],
                                         halves[1]);
    total = total ? arith::AddFOp::create(b, total, each) : each;
  }
  for (int64_t distance = 1; distance < perRow; distance *= 2)
    total = arith::AddFOp::create(
        b, total,
        shuffle(total, words.constant(distance), gpu::ShuffleMode::XOR));
  return total;
}

SmallVector<Value> BandedStep::getElements(ValueRange sums) const {
  return llvm::map_to_vector(sums,
                             [&](Value sum) { return sumDiagonals(sum); });
}

/// An element is one diagonal of an atom, which starts in the lane's row.
DirectStep::Place BandedStep::locate(Value unit, Value number) const {
  int64_t lanes = kernel.chip.subgroupSize, perRow = kernel.atom.groupsOfK();
  Share share = getShare(math.div(unit, lanes));
  Value lane = math.rem(unit, lanes);
  Value channel = math.div(number, banded.countAtoms());
  Value atom = math.rem(number, banded.countAtoms());
  Value index = math.div(atom, banded.lines); // Number of the class.

  Place place{share.batch, math.below(math.rem(lane, perRow), 1)};
  Value &matrix = place.digits[tiling.batch.innermost];
  matrix = math.add(matrix, math.add(share.first, channel));
  place.digits.append(tiling.rows.getRank(), math.constant(0));
  SmallVector<int64_t> sizes = tiling.columns.digits;
  if (banded.tap)
    sizes[*banded.tap] = 1;
  SmallVector<Value> taps = math.split(math.rem(atom, banded.lines), sizes);
  // The diagonal relative to the first one of the class, and its tap.
  Value first = math.div(math.mul(index, banded.dilation), banded.step);
  Value row = math.div(lane, perRow);
  Value after = b.createOrFold<arith::SubIOp>(row, first);
  int64_t step = banded.getDiagonalStep();
  Value turn = math.div(after, step);
  Value tap = math.add(index, math.mul(turn, banded.countClasses()));
  for (Value condition :
       {math.below(after, BandedGradient::kRun),
        math.below(math.rem(after, step), 1), math.below(tap, banded.taps)})
    place.guard = math.both(place.guard, condition);
  if (banded.tap)
    taps[*banded.tap] = tap;
  llvm::append_range(place.digits, taps);
  return place;
}

std::unique_ptr<DirectStep>
mlir::conv::createBandedStep(const Kernel &kernel,
                             const DirectOperands &operands) {
  return std::make_unique<BandedStep>(kernel, operands);
}
