//===- DirectMatrixLoop.cpp - small groups, block by block ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup copies the boxes of both operands that its tile reads. Then each
// subgroup takes one vector of channels, holds the blocks of its filter in
// registers, and multiplies them with the windows of one unit of work after the
// other (`FilterBlocks`): 16 positions, on several lines whose windows overlap.
// All subgroups store their units together, some lines at a time.
//
//===----------------------------------------------------------------------===//

#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "DirectEpilogue.h"
#include "DirectExchange.h"
#include "DirectFragments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <queue>

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectMatrixLoop {
public:
  DirectMatrixLoop(Kernel &kernel, const DirectOperands &operands,
                   const DirectExchange &exchange);
  void create();

private:
  using Digits = SmallVector<Value>;
  Digits getVector(Value number) const;
  Digits getPosition(Value number) const;
  void createUnits(Value unit, const FilterFragments &filter) const;
  SmallVector<Value> createSums(const FilterFragments &filter,
                                WindowFragments &windows) const;
  void writeSums(int64_t start, Value sum) const;
  Value getNumber(Value unit, const DirectExchange::Item &item) const;
  Digits getDigits(Value number, int64_t firstLine,
                   const DirectExchange::Item &item) const;
  void forEachExchange(
      function_ref<void(int64_t firstLine, int64_t positions)> body) const;
  std::queue<DirectEpilogueInputs> loadEpilogues(Value unit) const;
  void createElements(Value unit, int64_t firstLine,
                      const DirectExchange::Item &item, ValueRange sums,
                      const DirectEpilogueInputs &epilogue) const;

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectExchange &exchange;
  const DirectTiling &tiling;
  SmallVector<int64_t> vectors; ///< Vectors of a tile, by batch digit.
  SmallVector<int64_t>
      positions;                ///< Positions of a line per unit, by row digit.
  ElementBox elements;          ///< A vector of channels.
  Digits firstBatch, firstRows; ///< Digits of the tile.
  Digits batch;                 ///< The subgroup's digits in the tile.
};
} // namespace

DirectMatrixLoop::DirectMatrixLoop(Kernel &kernel,
                                   const DirectOperands &operands,
                                   const DirectExchange &exchange)
    : kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      exchange(exchange), tiling(operands.tiling) {
  for (size_t d = 0; d < tiling.batch.getRank(); ++d) {
    int64_t run = tiling.batch.getRun(d);
    elements.digits.push_back({run, run, tiling.batch.mayExceed(d)});
    vectors.push_back(tiling.batch.getPadded(d) / run);
  }
  for (size_t d = 0; d < tiling.rows.getRank(); ++d) {
    elements.digits.push_back({1, 1, tiling.rows.mayExceed(d)});
    positions.push_back(tiling.rows.sizes[d]);
  }
  if (tiling.lines > 1)
    positions[tiling.rows.innermost - 1] /= tiling.lines;
  for (int64_t size : tiling.columns.digits)
    elements.digits.push_back({size, 0, false});
}

/// The first matrix of a vector of channels, relative to the tile.
DirectMatrixLoop::Digits DirectMatrixLoop::getVector(Value number) const {
  Digits digits = math.split(number, vectors);
  Value &matrix = digits[tiling.batch.innermost];
  matrix = math.mul(matrix, tiling.filter->getMatrices());
  return digits;
}

/// The digits of a position on the first of its lines, relative to the tile.
/// Positions after the last one repeat it.
DirectMatrixLoop::Digits DirectMatrixLoop::getPosition(Value number) const {
  Digits digits = math.split(
      math.minimum(number, math.constant(tiling.countRuns() - 1)), positions);
  if (tiling.lines > 1) {
    Value &line = digits[tiling.rows.innermost - 1];
    line = math.mul(line, tiling.lines);
  }
  return digits;
}

/// The sums of all lines. Each part of the windows is used by all lines that
/// share it before the next part is loaded.
SmallVector<Value>
DirectMatrixLoop::createSums(const FilterFragments &filter,
                             WindowFragments &windows) const {
  const ::conv::MatrixAtom &atom = kernel.atom;
  auto type = VectorType::get({atom.m * atom.n / kernel.chip.subgroupSize},
                              b.getF32Type());
  SmallVector<Value> sums(tiling.lines,
                          arith::ConstantOp::create(b, b.getZeroAttr(type)));
  SmallVector<TapPair> pairs = enumerateTapPairs(tiling);
  // Sorted by the place of the first read, then line, then number of the pair.
  SmallVector<std::tuple<int64_t, int64_t, size_t>> products;
  for (int64_t line = 0; line < tiling.lines; ++line)
    for (auto [i, pair] : llvm::enumerate(pairs))
      products.emplace_back(windows.getDistance(line, pair.taps.front()), line,
                            i);
  llvm::sort(products);
  for (auto [distance, line, i] : products)
    sums[line] = MmaOp::create(b, type, kernel.form.schedule.getAtom(),
                               windows.createFragment(line, pairs[i]),
                               filter.getFragment(i), sums[line]);
  return sums;
}

/// Writes the sums of one line of a unit, whose first position is `start`, to
/// the exchange: two columns for each half of the positions.
void DirectMatrixLoop::writeSums(int64_t start, Value sum) const {
  constexpr int64_t kHalf = FilterBlocks::kPositions / 2;
  for (int64_t half = 0; half < 2; ++half)
    exchange.write(
        math.add(getRowLane(kernel), start + half * kHalf), getPairLane(kernel),
        vector::ExtractStridedSliceOp::create(
            b, sum, ArrayRef<int64_t>{half * FilterBlocks::kPair},
            ArrayRef<int64_t>{FilterBlocks::kPair}, ArrayRef<int64_t>{1}));
}

/// The number of an item's position among the positions of one line, for the
/// units from `unit` on.
Value DirectMatrixLoop::getNumber(Value unit,
                                  const DirectExchange::Item &item) const {
  constexpr int64_t kPositions = FilterBlocks::kPositions;
  return math.add(math.mul(math.add(unit, item.slice), kPositions),
                  math.rem(item.position, kPositions));
}

/// The digits of an item's first channel, whose position has this number, on
/// one of the lines from `firstLine` on.
DirectMatrixLoop::Digits
DirectMatrixLoop::getDigits(Value number, int64_t firstLine,
                            const DirectExchange::Item &item) const {
  Digits digits;
  for (auto [start, digit] :
       llvm::zip_equal(firstBatch, getVector(item.vector)))
    digits.push_back(math.add(start, digit));
  Digits position = getPosition(number);
  if (tiling.lines > 1) {
    Value &line = position[tiling.rows.innermost - 1];
    line = math.add(
        line,
        math.add(math.div(item.position, FilterBlocks::kPositions), firstLine));
  }
  for (auto [start, digit] : llvm::zip_equal(firstRows, position))
    digits.push_back(math.add(start, digit));
  llvm::append_range(digits, operands.createZeros(tiling.columns));
  return digits;
}

/// Stores an item of the units from `unit` on.
void DirectMatrixLoop::createElements(
    Value unit, int64_t firstLine, const DirectExchange::Item &item,
    ValueRange sums, const DirectEpilogueInputs &epilogue) const {
  Value number = getNumber(unit, item);
  scf::IfOp::create(b, math.below(number, tiling.countRuns()),
                    [&](OpBuilder &, Location) {
                      createDirectEpilogue(kernel, elements,
                                           getDigits(number, firstLine, item),
                                           sums, epilogue);
                      scf::YieldOp::create(b);
                    });
}

/// Calls `body` for the lines of a unit whose sums are exchanged together, with
/// the first line and the number of their positions.
void DirectMatrixLoop::forEachExchange(
    function_ref<void(int64_t firstLine, int64_t positions)> body) const {
  int64_t together = tiling.countExchangedLines();
  for (int64_t first = 0; first < tiling.lines; first += together)
    body(first,
         std::min(together, tiling.lines - first) * FilterBlocks::kPositions);
}

/// Loads what the epilogue reads for all items of the units from `unit`
/// on, in the order of stores. The loads overlap with the products: the
/// subgroup barrier keeps the assembler from sinking them to their
/// uses.
std::queue<DirectEpilogueInputs>
DirectMatrixLoop::loadEpilogues(Value unit) const {
  std::queue<DirectEpilogueInputs> epilogues;
  forEachExchange([&](int64_t firstLine, int64_t positions) {
    exchange.forEachItem(
        positions, [&](const DirectExchange::Item &item, Value isThere) {
          Value number = getNumber(unit, item);
          epilogues.push(loadDirectEpilogueInputs(
              kernel, elements, getDigits(number, firstLine, item),
              math.both(isThere, math.below(number, tiling.countRuns()))));
        });
  });
  if (!kernel.form.epilogueOperands.empty())
    synchronizeSubgroup(kernel);
  return epilogues;
}

/// Computes one unit of each slice, from `unit` on.
void DirectMatrixLoop::createUnits(Value unit,
                                   const FilterFragments &filter) const {
  constexpr int64_t kPositions = FilterBlocks::kPositions;
  Value mine = math.add(unit, math.div(kernel.subgroup, tiling.countVectors()));
  WindowFragments windows(
      kernel, operands, batch,
      getPosition(math.add(math.mul(mine, kPositions),
                           math.rem(kernel.lane, kPositions))));
  std::queue<DirectEpilogueInputs> epilogues = loadEpilogues(unit);
  SmallVector<Value> sums = createSums(filter, windows);
  forEachExchange([&](int64_t firstLine, int64_t positions) {
    for (int64_t start = 0; start < positions; start += kPositions)
      writeSums(start, sums[firstLine + start / kPositions]);
    gpu::BarrierOp::create(b);
    exchange.read(
        positions, [&](const DirectExchange::Item &item, ValueRange results) {
          createElements(unit, firstLine, item, results, epilogues.front());
          epilogues.pop();
        });
    gpu::BarrierOp::create(b);
  });
}

void DirectMatrixLoop::create() {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  firstBatch = math.split(origin.batch, tiling.batch.digits);
  firstRows = math.split(origin.row, tiling.rows.digits);
  operands.copy(firstBatch, firstRows, operands.createZeros(tiling.reduction));
  gpu::BarrierOp::create(b);

  int64_t vectors = tiling.countVectors();
  batch = getVector(math.rem(kernel.subgroup, vectors));
  FilterFragments filter(kernel, operands, batch);
  int64_t slices = kernel.workItems / kernel.chip.subgroupSize / vectors;
  scf::ForOp::create(b, math.constant(0), math.constant(tiling.countUnits()),
                     math.constant(slices), ValueRange{},
                     [&](OpBuilder &, Location, Value unit, ValueRange) {
                       createUnits(unit, filter);
                       scf::YieldOp::create(b);
                     });
}

LogicalResult mlir::conv::createDirectMatrixBody(Kernel &kernel,
                                                 gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  DirectExchange exchange(kernel, *tiling);
  DirectOperands operands(kernel, function, *tiling, exchange.getType());
  exchange.setBuffer(operands.others.front());
  DirectMatrixLoop(kernel, operands, exchange).create();
  return success();
}
