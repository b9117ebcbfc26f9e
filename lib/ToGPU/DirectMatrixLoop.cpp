//===- DirectMatrixLoop.cpp - small groups, as bands --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup copies the boxes of both operands that its tile reads. Then each
// subgroup takes one vector of channels, holds its filters as bands in
// registers, and multiplies them with the windows of one unit after the other
// (`DirectBand`): 16 runs of positions, on several lines whose windows overlap.
// Units of all subgroups are stored together, line by line.
//
//===----------------------------------------------------------------------===//

#include "DirectBands.h"
#include "DirectEpilogue.h"
#include "DirectExchange.h"
#include "KernelBody.h"
#include "TileScheduler.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  Digits getRun(Value number) const;
  void createUnits(Value unit, const BandFilter &filter) const;
  SmallVector<Value> createSums(const BandFilter &filter,
                                BandWindows &windows) const;
  void writeSums(int64_t start, ValueRange sums) const;
  void createElements(Value unit, int64_t firstLine,
                      const DirectExchange::Item &item, ValueRange sums) const;

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  const DirectOperands &operands;
  const DirectExchange &exchange;
  const DirectTiling &tiling;
  const DirectBand &band;
  SmallVector<int64_t> vectors; ///< In a tile, by digit of the batch.
  SmallVector<int64_t> runs;    ///< By digit of the rows.
  ElementBox elements;          ///< A vector of channels.
  Digits firstBatch, firstRows; ///< Of the tile.
  Digits batch;                 ///< Of the subgroup, from there.
};
} // namespace

DirectMatrixLoop::DirectMatrixLoop(Kernel &kernel,
                                   const DirectOperands &operands,
                                   const DirectExchange &exchange)
    : kernel(kernel), math(kernel.math), b(kernel.b), operands(operands),
      exchange(exchange), tiling(operands.tiling), band(*tiling.band) {
  for (size_t d = 0; d < tiling.batch.getRank(); ++d) {
    int64_t run = tiling.batch.getRun(d);
    elements.digits.push_back({run, run, tiling.batch.mayExceed(d)});
    vectors.push_back(tiling.batch.getPadded(d) / run);
  }
  for (size_t d = 0; d < tiling.rows.getRank(); ++d) {
    elements.digits.push_back({1, 1, tiling.rows.mayExceed(d)});
    int64_t lines = d + 1 == band.position ? tiling.lines : 1;
    runs.push_back(tiling.rows.getPadded(d) / tiling.rows.getRun(d) / lines);
  }
  for (int64_t size : tiling.columns.digits)
    elements.digits.push_back({size, 0, false});
}

/// The first matrix of a vector of channels, from the start of the tile.
DirectMatrixLoop::Digits DirectMatrixLoop::getVector(Value number) const {
  Digits digits = math.split(number, vectors);
  Value &matrix = digits[tiling.batch.innermost];
  matrix = math.mul(matrix, band.getMatrices());
  return digits;
}

/// The first digits of a run on the first of its lines, from the start of the
/// tile. Runs beyond the last one repeat it.
DirectMatrixLoop::Digits DirectMatrixLoop::getRun(Value number) const {
  Digits digits = math.split(
      math.minimum(number, math.constant(tiling.countRuns() - 1)), runs);
  digits[band.position] = math.mul(digits[band.position], band.getRun());
  if (band.position > 0)
    digits[band.position - 1] =
        math.mul(digits[band.position - 1], tiling.lines);
  return digits;
}

/// The sums of all blocks, line by line.
SmallVector<Value> DirectMatrixLoop::createSums(const BandFilter &filter,
                                                BandWindows &windows) const {
  const ::conv::MatrixAtom &atom = kernel.atom;
  auto type = VectorType::get({atom.m * atom.n / kernel.chip.subgroupSize},
                              b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> sums(tiling.lines * band.getBlocks(), zero);
  SmallVector<BandTerm> terms = enumerateTerms(tiling);
  AtomAttr kind = kernel.form.schedule.getAtom();
  for (int64_t i = 0; i < filter.countAtoms(); ++i) {
    auto taken = ArrayRef(terms).drop_front(2 * i);
    taken = taken.take_front(std::min<size_t>(2, taken.size()));
    for (auto [j, sum] : llvm::enumerate(sums)) {
      int64_t line = j / band.getBlocks(), block = j % band.getBlocks();
      sum = MmaOp::create(b, type, kind,
                          windows.createFragment(block, line, taken),
                          filter.getFragment(block, i), sum);
    }
  }
  return sums;
}

/// Exchanges the sums of one line of a unit, the first one of which is at
/// `start`: two columns of each block and half.
void DirectMatrixLoop::writeSums(int64_t start, ValueRange sums) const {
  Value column = math.mul(getWindowLane(kernel), DirectBand::kPair);
  Value inRun = math.div(column, band.getBlock());
  Value pair = math.div(math.rem(column, band.getBlock()), DirectBand::kPair);
  for (int64_t half = 0; half < 2; ++half) {
    Value run = math.add(getRunLane(kernel), half * DirectBand::kRuns / 2);
    Value position =
        math.add(math.add(math.mul(run, band.getRun()), inRun), start);
    for (auto [block, sum] : llvm::enumerate(sums))
      exchange.write(position, math.add(pair, int64_t(block) * band.getPairs()),
                     vector::ExtractStridedSliceOp::create(
                         b, sum, ArrayRef<int64_t>{half * DirectBand::kPair},
                         ArrayRef<int64_t>{DirectBand::kPair},
                         ArrayRef<int64_t>{1}));
  }
}

/// Stores a vector of channels of the lines from `firstLine` on, of the units
/// from `unit` on.
void DirectMatrixLoop::createElements(Value unit, int64_t firstLine,
                                      const DirectExchange::Item &item,
                                      ValueRange sums) const {
  SmallVector<Value> place =
      math.split(item.position, {tiling.countExchangedLines(),
                                 DirectBand::kRuns, band.getRun()});
  Value number = math.add(
      math.mul(math.add(unit, item.slice), DirectBand::kRuns), place[1]);
  scf::IfOp::create(
      b, math.below(number, tiling.countRuns()), [&](OpBuilder &, Location) {
        Digits digits;
        for (auto [start, digit] :
             llvm::zip_equal(firstBatch, getVector(item.vector)))
          digits.push_back(math.add(start, digit));
        Digits run = getRun(number);
        run[band.position] = math.add(run[band.position], place[2]);
        if (band.position > 0)
          run[band.position - 1] =
              math.add(run[band.position - 1], math.add(place[0], firstLine));
        for (auto [start, digit] : llvm::zip_equal(firstRows, run))
          digits.push_back(math.add(start, digit));
        llvm::append_range(digits, operands.createZeros(tiling.columns));
        createDirectEpilogue(kernel, elements, digits, sums);
        scf::YieldOp::create(b);
      });
}

/// One unit of each slice, from `unit` on.
void DirectMatrixLoop::createUnits(Value unit, const BandFilter &filter) const {
  Value mine = math.add(unit, math.div(kernel.subgroup, tiling.countVectors()));
  SmallVector<Digits> halves;
  for (int64_t half = 0; half < 2; ++half)
    halves.push_back(getRun(
        math.add(math.mul(mine, DirectBand::kRuns),
                 math.add(getRunLane(kernel), half * DirectBand::kRuns / 2))));
  BandWindows windows(kernel, operands, batch, {halves[0], halves[1]});
  SmallVector<Value> sums = createSums(filter, windows);
  int64_t together = tiling.countExchangedLines();
  for (int64_t first = 0; first < tiling.lines; first += together) {
    for (int64_t i = 0; i < together; ++i)
      writeSums(i * DirectBand::kRuns * band.getRun(),
                ArrayRef(sums).slice((first + i) * band.getBlocks(),
                                     band.getBlocks()));
    gpu::BarrierOp::create(b);
    exchange.read([&](const DirectExchange::Item &item, ValueRange results) {
      createElements(unit, first, item, results);
    });
    gpu::BarrierOp::create(b);
  }
}

void DirectMatrixLoop::create() {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  firstBatch = math.split(origin.batch, tiling.batch.digits);
  firstRows = math.split(origin.row, tiling.rows.digits);
  operands.copy(firstBatch, firstRows, operands.createZeros(tiling.reduction));
  gpu::BarrierOp::create(b);

  int64_t vectors = tiling.countVectors();
  batch = getVector(math.rem(kernel.subgroup, vectors));
  BandFilter filter(kernel, operands, batch);
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
