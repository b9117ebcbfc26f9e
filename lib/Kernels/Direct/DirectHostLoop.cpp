//===- DirectHostLoop.cpp - small groups on a thread of the host ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the values of a tile are in its boxes and among its sums, and the loops
// over register tiles and over runs of results.
//
//===----------------------------------------------------------------------===//

#include "DirectHostLoop.h"

#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "HostLines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

void DirectHostLoop::addDigits(const DigitBox &space, bool isLhs, bool isRhs) {
  size_t begin = digits.size();
  for (size_t d = 0; d < space.getRank(); ++d) {
    int64_t run = space.getRun(d);
    digits.push_back({space.digits[d], space.sizes[d], run,
                      space.getPadded(d) / run, /*sums=*/0, /*lhs=*/0,
                      /*rhs=*/0, /*index=*/1,
                      space.digits[d] % space.sizes[d] != 0});
  }
  for (size_t d = digits.size() - 1; d-- > begin;)
    digits[d].index = digits[d + 1].index * digits[d + 1].size;
  // The left operand lacks the columns, the right operand lacks the rows.
  for (size_t d = 0; d < space.getRank(); ++d) {
    if (isLhs)
      digits[begin + d].lhs = tiling.lhs.distances[begin + d];
    if (isRhs)
      digits[begin + d].rhs =
          tiling.rhs.distances[isLhs ? d : tiling.batch.getRank() + d];
  }
}

/// Sums of a vector are contiguous. If vectors are rows, the sums of a tile's
/// rows have no gaps: what a vector has beyond its line is overwritten by the
/// next line.
void DirectHostLoop::placeSums() {
  int64_t distance = 1;
  auto place = [&](size_t d, int64_t values) {
    digits[d].sums = distance;
    distance *= values;
  };
  size_t rowEnd = tiling.batch.getRank() + tiling.rows.getRank();
  size_t batchEnd = tiling.batch.getRank();
  auto placeAll = [&](size_t begin, size_t end, bool hasGaps) {
    for (size_t d = end; d-- > begin;)
      place(d, hasGaps ? digits[d].run * digits[d].count : digits[d].tile);
  };
  if (tiling.isAlongBatch) {
    placeAll(0, batchEnd, /*hasGaps=*/true);
    placeAll(batchEnd, rowEnd, /*hasGaps=*/true);
  } else {
    placeAll(batchEnd, rowEnd, /*hasGaps=*/false);
    distance += digits[along].run;
    placeAll(0, batchEnd, /*hasGaps=*/true);
  }
  placeAll(rowEnd, digits.size(), /*hasGaps=*/true);
  numSums = distance;
}

SmallVector<DirectHostLoop::Vector> DirectHostLoop::listVectors() const {
  SmallVector<Vector> all = {{0, 0, 0, 0, {}}};
  for (auto [d, digit] : llvm::enumerate(digits)) {
    int64_t step = d == along ? lanes : 1;
    SmallVector<Vector> next;
    for (const Vector &each : all)
      for (int64_t i = 0; i < digit.run; i += step) {
        Vector vector = {each.lhs + i * digit.lhs, each.rhs + i * digit.rhs,
                         each.sums + i * digit.sums,
                         each.along + (d == along ? i * digit.lhs : 0),
                         each.result};
        (d < tiling.batch.getRank() ? vector.result.batch
         : d < tiling.batch.getRank() + tiling.rows.getRank()
             ? vector.result.row
             : vector.result.column) += i * digit.index;
        next.push_back(vector);
      }
    all = std::move(next);
  }
  return all;
}

/// Lines of rows are one run if they are contiguous in the result: their sums
/// have no gaps.
void DirectHostLoop::joinLines() {
  int64_t contiguous =
      MatrixAccess(math, kernel.form.result).getInnermostSize(MatrixIndex::Row);
  while (firstOfRun > tiling.batch.getRank() &&
         digits[firstOfRun].tile == digits[firstOfRun].size &&
         runBlock * digits[firstOfRun - 1].size <= contiguous)
    runBlock *= digits[--firstOfRun].size;
}

DirectHostLoop::DirectHostLoop(Kernel &kernel, gpu::GPUFuncOp function,
                               const DirectTiling &tiling)
    : kernel(kernel), math(kernel.math), code(kernel, /*isRolled=*/true),
      tiling(tiling) {
  addDigits(tiling.batch, /*isLhs=*/true, /*isRhs=*/true);
  addDigits(tiling.rows, /*isLhs=*/true, /*isRhs=*/false);
  addDigits(tiling.columns, /*isLhs=*/false, /*isRhs=*/true);
  along = tiling.isAlongBatch ? tiling.batch.innermost
                              : tiling.batch.getRank() + tiling.rows.innermost;
  lanes = std::gcd(code.lanes, digits[along].run);
  lines = countHostLines(tiling, kernel.chip);
  if (lines > 1) {
    digits[along - 1].run = lines;
    digits[along - 1].count /= lines;
  }
  placeSums();
  vectors = listVectors();
  firstOfRun = along;
  runBlock = digits[along].size;
  if (!tiling.isAlongBatch)
    joinLines();
  auto createBox = [&](size_t index, const MatrixOperand &operand,
                       const TensorBox &box) {
    Value scratch = code.createScratch(function, index, code.getSumType(),
                                       box.numElements + code.lanes);
    return HostBox(code, operand, box, kernel.arguments[index], scratch);
  };
  lhs.emplace(createBox(0, kernel.form.lhs, tiling.lhs));
  rhs.emplace(createBox(1, kernel.form.rhs, tiling.rhs));
  epilogue.emplace(code,
                   tiling.isAlongBatch ? MatrixIndex::Batch : MatrixIndex::Row,
                   runBlock);
  // The last vector of results may go beyond the sums.
  if (!canStoreTiles())
    sums = code.createScratch(function, 2, code.getSumType(),
                              numSums + code.lanes);
}

bool DirectHostLoop::canStoreTiles() const {
  return lines == 1 && epilogue->hasVectorsOf(lanes) &&
         hasWholeRegisterTiles(tiling);
}

Value DirectHostLoop::locate(ArrayRef<Value> values,
                             int64_t Digit::*distance) const {
  Value place = math.constant(0);
  for (auto [value, digit] : llvm::zip_equal(values, digits))
    place = math.add(place, math.mul(value, digit.*distance));
  return place;
}

/// Register tiles are whole, but the last tile may have fewer of them.
void DirectHostLoop::storeTile(ArrayRef<Value> local) {
  Value isThere = math.yes();
  for (auto [d, digit] : llvm::enumerate(digits))
    if (digit.isClipped)
      isThere = math.both(isThere,
                          math.below(math.add(first[d], local[d]), digit.size));
  auto create = [&] {
    TileOrigin start = getElement(local);
    for (auto [vector, sum] : llvm::zip_equal(vectors, createSums(local))) {
      TileOrigin element = start;
      element.batch = math.add(start.batch, vector.result.batch);
      element.row = math.add(start.row, vector.result.row);
      element.column = math.add(start.column, vector.result.column);
      epilogue->createVector(element, sum);
    }
  };
  if (matchPattern(isThere, m_One()))
    return create();
  scf::IfOp::create(code.b, isThere, [&](OpBuilder &, Location) {
    create();
    scf::YieldOp::create(code.b);
  });
}

void DirectHostLoop::createTile(ArrayRef<Value> local) {
  if (!sums)
    return storeTile(local);
  Value place = locate(local, &Digit::sums);
  for (auto [vector, sum] : llvm::zip_equal(vectors, createSums(local)))
    code.store(sum, sums, math.add(place, vector.sums));
}

void DirectHostLoop::createTiles() {
  // Vectors that are stored follow each other in memory.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, digits.size()));
  if (!sums)
    std::rotate(order.begin(), order.begin() + tiling.batch.getRank(),
                order.end());
  code.forEachDigit(
      llvm::map_to_vector(order,
                          [&](size_t d) {
                            return HostCode::DigitLoop{
                                math.constant(digits[d].count * digits[d].run),
                                digits[d].run};
                          }),
      [&](ArrayRef<Value> local) {
        SmallVector<Value> place(local);
        for (auto [d, value] : llvm::zip_equal(order, local))
          place[d] = value;
        // The next lines overwrite what vectors have beyond their line, so that
        // the ends of several lines come before their starts.
        if (lines > 1)
          place[along] = math.sub(
              math.constant((digits[along].count - 1) * digits[along].run),
              place[along]);
        createTile(place);
      });
}

/// Values of a digit that the tile has.
Value DirectHostLoop::countValues(size_t number) const {
  const Digit &digit = digits[number];
  Value tile = math.constant(digit.tile);
  return digit.isClipped
             ? math.minimum(tile,
                            math.sub(math.constant(digit.size), first[number]))
             : tile;
}

TileOrigin DirectHostLoop::getElement(ArrayRef<Value> local) const {
  TileOrigin element = origin;
  for (auto [d, value] : llvm::enumerate(local)) {
    Value &index = d < tiling.batch.getRank() ? element.batch
                   : d < tiling.batch.getRank() + tiling.rows.getRank()
                       ? element.row
                       : element.column;
    index = math.add(index, math.mul(value, digits[d].index));
  }
  return element;
}

void DirectHostLoop::createRuns(Value outermost) {
  SmallVector<HostCode::DigitLoop> runs;
  for (size_t d = 0; d < digits.size(); ++d) {
    bool isOfRun = d >= firstOfRun && d <= along;
    runs.push_back(
        {isOfRun || digits[d].tile == 1 ? math.constant(1) : countValues(d)});
  }
  code.forEachDigit(runs, [&](ArrayRef<Value> local) {
    // The outermost digit of a run may be clipped; the others are whole.
    Value count = outermost;
    for (size_t d = firstOfRun + 1; d <= along; ++d)
      count = math.mul(count, digits[d].tile);
    Value place = locate(local, &Digit::sums);
    epilogue->create(getElement(local), count,
                     [&](Value step, int64_t elements) {
                       return code.load(sums, math.add(place, step), elements);
                     });
  });
}

/// Runs of channels are shorter only in the last tile. Others have a constant
/// length, and take half the time.
void DirectHostLoop::createResults() {
  const Digit &digit = digits[firstOfRun];
  Value count = countValues(firstOfRun);
  if (!tiling.isAlongBatch || digit.size % digit.tile == 0)
    return createRuns(count);
  auto createFor = [&](Value outermost) {
    return [&, outermost](OpBuilder &, Location) {
      createRuns(outermost);
      scf::YieldOp::create(code.b);
    };
  };
  Value all = math.constant(digit.tile);
  Value isWhole =
      arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq, count, all);
  scf::IfOp::create(code.b, isWhole, createFor(all), createFor(count));
}

void DirectHostLoop::create() {
  origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  Digits batch = math.split(origin.batch, tiling.batch.digits);
  Digits rows = math.split(origin.row, tiling.rows.digits);
  Digits columns(tiling.columns.getRank(), math.constant(0));
  Digits reduction(tiling.reduction.getRank(), math.constant(0));
  first = llvm::to_vector(llvm::concat<Value>(batch, rows, columns));
  lhs->copy(llvm::to_vector(llvm::concat<Value>(batch, rows, reduction)));
  rhs->copy(llvm::to_vector(llvm::concat<Value>(batch, columns, reduction)));
  createTiles();
  if (sums)
    createResults();
}

LogicalResult mlir::conv::createDirectHostBody(Kernel &kernel,
                                               gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  DirectHostLoop(kernel, function, *tiling).create();
  return success();
}
