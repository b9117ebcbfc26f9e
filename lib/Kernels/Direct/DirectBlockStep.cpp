//===- DirectBlockStep.cpp - sums of blocks of channels ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atoms reduce positions, so a lane holds two positions of one channel for each
// run of 8 (`DirectBlocks`). The windows of neighbouring lines overlap: each of
// their elements is loaded once for all lines of a unit of work.
//
//===----------------------------------------------------------------------===//

#include "../Parts/LoopUnrolling.h"
#include "ChannelFragments.h"
#include "DirectStep.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace mlir::conv;

namespace {
class BlockStep final : public DirectStep {
public:
  BlockStep(const Kernel &kernel, const DirectOperands &operands);

  SmallVector<Value> createZeros() const override;
  SmallVector<Value> create(ValueRange sums) const override;
  SmallVector<Value> getElements(ValueRange sums) const override;
  Place locate(Value unit, Value element) const override;

private:
  /// The lane's place in the runs of one unit of work.
  struct Runs {
    Value left, right; ///< The lane's elements in shared memory.
    Value isThere;     ///< Whether the second run exists.
  };
  struct Vector {
    SmallVector<Value> batch; ///< The first matrix.
    Value row;                ///< Number of the vector in it.
  };
  Vector getVector(Value number) const;
  Runs getRuns(const Vector &vector, Value unit) const;
  SmallVector<Value> createUnit(const Runs &runs, ValueRange sums) const;
  BlockWords load(const SharedBox &box, Value place) const {
    return loadBlocks(kernel, box, place, PairOf::Positions);
  }
  int64_t getBlockDistance(int64_t block) const;

  const Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectTiling &tiling;
  const DirectBlocks &blocks;
  SmallVector<int64_t> vectors; ///< Row vectors of a tile, by batch digit.
  SmallVector<int64_t> runs;    ///< Runs of a step, by reduction digit.
  int64_t leftLine, rightLine;  ///< Distance between lines, in both boxes.
};
} // namespace

static int64_t countUnits(const Kernel &kernel, const DirectTiling &tiling) {
  return tiling.countVectors() * kernel.chip.subgroupSize;
}

BlockStep::BlockStep(const Kernel &kernel, const DirectOperands &operands)
    : DirectStep(countUnits(kernel, operands.tiling), kernel.workItem),
      kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      tiling(operands.tiling), blocks(*tiling.blocks),
      leftLine(tiling.getLineDistance(tiling.lhs)),
      rightLine(tiling.getLineDistance(tiling.rhs)) {
  for (size_t d = 0; d < tiling.batch.getRank(); ++d)
    vectors.push_back(tiling.batch.countRuns(d));
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d)
    runs.push_back(tiling.reduction.countRuns(d));
  if (size_t position = tiling.getPosition(); position > 0)
    runs[position - 1] /= tiling.lines;
}

SmallVector<Value> BlockStep::createZeros() const {
  auto type = VectorType::get(
      {kernel.atom.m * kernel.atom.n / kernel.chip.subgroupSize},
      b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return SmallVector<Value>(blocks.countAtoms(), zero);
}

SmallVector<Value> BlockStep::getElements(ValueRange sums) const {
  SmallVector<Value> elements;
  for (Value sum : sums)
    llvm::append_range(elements,
                       vector::ToElementsOp::create(b, sum).getElements());
  return elements;
}

/// The row vector with this number in the tile.
BlockStep::Vector BlockStep::getVector(Value number) const {
  Vector vector{math.split(math.div(number, blocks.rowVectors), vectors),
                math.rem(number, blocks.rowVectors)};
  Value &matrix = vector.batch[tiling.batch.innermost];
  matrix = math.mul(matrix, blocks.matrices);
  return vector;
}

/// Each lane gives the address of a row that it loads: the first eight lanes
/// for the first run, the next eight for the second run, and so on alternately.
BlockStep::Runs BlockStep::getRuns(const Vector &vector, Value unit) const {
  constexpr int64_t kRun = DirectBlocks::kRun, kRuns = DirectBlocks::kRuns;
  int64_t count = tiling.countRuns();
  Value number = math.add(math.mul(unit, kRuns),
                          math.rem(math.div(kernel.lane, kRun), kRuns));
  Value last = math.add(math.mul(unit, kRuns), kRuns - 1);
  SmallVector<Value> positions =
      math.split(math.minimum(number, math.constant(count - 1)), runs);
  size_t position = tiling.getPosition();
  positions[position] = math.add(math.mul(positions[position], kRun),
                                 math.rem(kernel.lane, kRun));
  if (position > 0)
    positions[position - 1] = math.mul(positions[position - 1], tiling.lines);

  auto locate = [&](const TensorBox &box) {
    Value place = math.constant(box.first);
    ArrayRef<int64_t> distances = box.distances;
    for (auto [digit, distance] : llvm::zip(vector.batch, distances))
      place = math.add(place, math.mul(digit, distance));
    for (auto [digit, distance] :
         llvm::zip(positions, distances.take_back(positions.size())))
      place = math.add(place, math.mul(digit, distance));
    return place;
  };
  Value row = math.mul(vector.row, DirectBlocks::kVector);
  return {math.add(locate(tiling.lhs), row), locate(tiling.rhs),
          count % kRuns == 0 ? math.yes() : math.below(last, count)};
}

/// Distance from the first column vector at the first tap to a block's vector.
int64_t BlockStep::getBlockDistance(int64_t block) const {
  return block / blocks.taps * DirectBlocks::kVector +
         tiling.getColumnDistance(block % blocks.taps, blocks.column);
}

/// Adds the products of two runs on all lines, in the order of column vectors
/// and then lines, so that consecutive atoms do not depend on each other.
SmallVector<Value> BlockStep::createUnit(const Runs &place,
                                         ValueRange sums) const {
  Type element = kernel.form.lhs.getElementType();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(b.getI32Type()));
  SmallVector<Value> left;
  for (int64_t line = 0; line < tiling.lines; ++line) {
    BlockWords words =
        load(operands.lhs, math.add(place.left, line * leftLine));
    words.back() =
        b.createOrFold<arith::SelectOp>(place.isThere, words.back(), zero);
    left.push_back(createFragment(b, words, element));
  }
  std::map<int64_t, BlockWords> windows;
  auto append = [&](int64_t block, int64_t line, SmallVector<Value> &words) {
    if (block == blocks.countBlocks())
      return words.append(DirectBlocks::kRuns, zero);
    int64_t distance = getBlockDistance(block) + line * rightLine;
    auto [window, isNew] = windows.try_emplace(distance);
    if (isNew)
      window->second = load(operands.rhs, math.add(place.right, distance));
    llvm::append_range(words, window->second);
  };
  SmallVector<Value> results(sums);
  AtomAttr kind = kernel.form.schedule.getAtom();
  for (int64_t vector = 0; vector < blocks.columnVectors; ++vector)
    for (int64_t line = 0; line < tiling.lines; ++line)
      for (auto [atom, sum] : llvm::enumerate(results)) {
        int64_t first = int64_t(atom) * DirectBlocks::kBlocks;
        if (first / blocks.taps != vector)
          continue;
        SmallVector<Value> words;
        for (int64_t i = 0; i < DirectBlocks::kBlocks; ++i)
          append(first + i, line, words);
        sum = MmaOp::create(b, sum.getType(), kind,
                            createFragment(b, words, element), left[line], sum);
      }
  return results;
}

SmallVector<Value> BlockStep::create(ValueRange sums) const {
  int64_t count = tiling.countVectors();
  Vector vector = getVector(math.rem(kernel.subgroup, count));
  auto loop = scf::ForOp::create(
      b, math.div(kernel.subgroup, count), math.constant(tiling.countUnits()),
      math.constant(kernel.workItems / numUnits), sums,
      [&](OpBuilder &, Location, Value unit, ValueRange carried) {
        scf::YieldOp::create(b, createUnit(getRuns(vector, unit), carried));
      });
  disableUnrolling(loop);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Of each atom, a lane has two blocks. Of each block, it has one channel of
/// the columns and two neighbouring channels of the rows (`MatrixAtom`).
DirectStep::Place BlockStep::locate(Value unit, Value element) const {
  constexpr int64_t kPair = DirectBlocks::kPair;
  int64_t lanes = kernel.chip.subgroupSize;
  Vector vector = getVector(math.div(unit, lanes));
  Value lane = math.rem(unit, lanes);
  int64_t perRow = DirectBlocks::kVector / kPair;
  Value column = math.div(lane, perRow);
  Value row = math.add(math.mul(math.rem(lane, perRow), kPair),
                       math.rem(element, kPair));
  Value block = math.div(element, kPair);

  Place place{vector.batch, math.below(block, blocks.countBlocks())};
  if (blocks.matrices > 1) {
    int64_t channels = DirectBlocks::kVector / blocks.matrices;
    Value matrix = math.div(row, channels);
    Value isOwn =
        math.below(math.bitXor(matrix, math.div(column, channels)), 1);
    place.guard = math.both(place.guard, isOwn);
    Value &first = place.digits[tiling.batch.innermost];
    first = math.add(first, matrix);
    row = math.rem(row, channels);
    column = math.rem(column, channels);
  }
  for (size_t d = 0; d < tiling.rows.getRank(); ++d)
    place.digits.push_back(
        d == blocks.row
            ? math.add(math.mul(vector.row, DirectBlocks::kVector), row)
            : math.constant(0));
  SmallVector<int64_t> sizes = tiling.columns.digits;
  if (blocks.column)
    sizes[*blocks.column] = 1;
  SmallVector<Value> taps = math.split(math.rem(block, blocks.taps), sizes);
  if (blocks.column)
    taps[*blocks.column] = math.add(
        math.mul(math.div(block, blocks.taps), DirectBlocks::kVector), column);
  llvm::append_range(place.digits, taps);
  return place;
}

std::unique_ptr<DirectStep>
mlir::conv::createBlockStep(const Kernel &kernel,
                            const DirectOperands &operands) {
  return std::make_unique<BlockStep>(kernel, operands);
}
