//===- DirectHostReduction.cpp - weight gradients on a thread -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread copies one step of the reduction after the other, with the boxes of
// both operands, and adds its products to the sums of all elements of its
// matrices. Vectors are neighbouring matrices if these are adjacent in memory.
// Otherwise they are neighbours of the reduction, and the elements of each
// vector of sums are added up at the end, always in the same order.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/LoopUnrolling.h"
#include "../Parts/MultiplyAdd.h"
#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "DirectOperands.h"
#include "HostBox.h"
#include "HostReductionTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectHostReduction {
public:
  DirectHostReduction(Kernel &kernel, gpu::GPUFuncOp function,
                      const DirectTiling &tiling);
  void create();

private:
  using Digits = SmallVector<Value>;
  /// The places of a register tile, or of an index of the reduction, in both
  /// operands and in the sums.
  struct Place {
    Value lhs, rhs, sums;
  };

  /// The first place of a register tile, given the digits of its matrices and
  /// its row, and the outer ones of its columns.
  Place locate(ArrayRef<Value> digits) const;
  /// Loops over register tiles: over matrices, rows, and outer columns.
  void createTiles();
  void createColumns(const Place &place);
  void createTile(int64_t firstColumn, int64_t count, const Place &place);
  SmallVector<Value> createLine(const Place &place, ArrayRef<int64_t> columns,
                                ValueRange sums) const;
  SmallVector<Value> createNeighbours(const Place &place,
                                      ArrayRef<int64_t> columns, int64_t count,
                                      int64_t used, ValueRange sums) const;
  Value createMask(int64_t used) const;
  void createSteps();
  void addUpLanes();
  void createResults();

  size_t batchRank() const { return tiling.batch.getRank(); }
  size_t rowRank() const { return tiling.rows.getRank(); }
  size_t columnRank() const { return tiling.columns.getRank(); }
  /// The distances of a box along the digits of the reduction.
  ArrayRef<int64_t> ofReduction(const TensorBox &box) const {
    return ArrayRef(box.distances).take_back(tiling.reduction.getRank());
  }
  int64_t countColumns() const {
    return llvm::product_of(tiling.columns.digits);
  }

  Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  const DirectTiling &tiling;
  HostReductionTile tile;
  /// Distances in the sums: of matrices by digit, of rows by digit, of columns.
  SmallVector<int64_t> batchSums, rowSums;
  int64_t columnSums, numSums;
  Digits first; ///< The batch digits of the tile.
  TileOrigin origin;
  std::optional<HostBox> lhs, rhs;
  Value sums;
};
} // namespace

DirectHostReduction::DirectHostReduction(Kernel &kernel,
                                         gpu::GPUFuncOp function,
                                         const DirectTiling &tiling)
    : kernel(kernel), math(kernel.math), code(kernel, /*isRolled=*/true),
      tiling(tiling), tile(HostReductionTile::get(tiling, kernel.chip)) {
  // Along the batch, matrices are innermost, and else the elements of a vector.
  int64_t distance = tiling.isAlongBatch ? 1 : tile.lanes;
  batchSums.resize(batchRank());
  rowSums.resize(rowRank());
  auto placeBatch = [&] {
    for (size_t d = batchRank(); d-- > 0;) {
      batchSums[d] = distance;
      distance *= tiling.batch.getPadded(d);
    }
  };
  if (tiling.isAlongBatch)
    placeBatch();
  columnSums = distance;
  distance *= countColumns();
  for (size_t d = rowRank(); d-- > 0;) {
    rowSums[d] = distance;
    distance *= tiling.rows.digits[d];
  }
  if (!tiling.isAlongBatch)
    placeBatch();
  numSums = distance;
  auto createBox = [&](size_t index, const MatrixOperand &operand,
                       const TensorBox &box) {
    // The last vector of a line may go beyond it.
    int64_t step = ofReduction(box)[tiling.reduction.innermost];
    int64_t beyond = code.lanes * std::max<int64_t>(1, step);
    Value scratch = code.createScratch(function, index, code.getSumType(),
                                       box.numElements + beyond);
    return HostBox(code, operand, box, kernel.arguments[index], scratch);
  };
  lhs.emplace(createBox(0, kernel.form.lhs, tiling.lhs));
  rhs.emplace(createBox(1, kernel.form.rhs, tiling.rhs));
  // The last vector of results may go beyond the sums.
  sums = code.createScratch(function, 2, code.getSumType(),
                            numSums + code.lanes * columnSums);
}

DirectHostReduction::Place
DirectHostReduction::locate(ArrayRef<Value> digits) const {
  Place place = {math.constant(tiling.lhs.first),
                 math.constant(tiling.rhs.first), math.constant(0)};
  auto move = [&](Value &from, Value value, int64_t distance) {
    from = math.add(from, math.mul(value, distance));
  };
  ArrayRef<int64_t> columns = tiling.columns.digits;
  for (auto [d, value] : llvm::enumerate(digits)) {
    if (d < batchRank()) {
      move(place.lhs, value, tiling.lhs.distances[d]);
      move(place.rhs, value, tiling.rhs.distances[d]);
      move(place.sums, value, batchSums[d]);
      continue;
    }
    size_t digit = d - batchRank();
    if (digit < rowRank()) {
      move(place.lhs, value, tiling.lhs.distances[d]);
      move(place.sums, value, rowSums[digit]);
      continue;
    }
    digit -= rowRank();
    move(place.rhs, value, tiling.rhs.distances[batchRank() + digit]);
    move(place.sums, value,
         columnSums * llvm::product_of(columns.drop_front(digit + 1)));
  }
  return place;
}

void DirectHostReduction::createTiles() {
  SmallVector<HostCode::DigitLoop> loops;
  for (size_t d = 0; d < batchRank(); ++d)
    loops.push_back(
        {math.constant(tiling.batch.getPadded(d)), tiling.batch.getRun(d)});
  auto add = [&](ArrayRef<int64_t> digits) {
    for (int64_t size : digits)
      loops.push_back({math.constant(size)});
  };
  add(tiling.rows.digits);
  loops[batchRank() + tiling.rows.innermost].step = tile.rows;
  add(ArrayRef(tiling.columns.digits).take_front(tile.firstColumn));
  code.forEachDigit(
      loops, [&](ArrayRef<Value> digits) { createColumns(locate(digits)); });
}

/// If there are more columns than registers hold, they belong to one digit. A
/// loop then computes whole register tiles, and the rest follows.
void DirectHostReduction::createColumns(const Place &place) {
  int64_t whole = tile.columns / tile.run * tile.run;
  if (whole == tile.run) {
    createTile(0, whole, place);
  } else {
    int64_t distance = 0;
    for (size_t d = tile.firstColumn; d < columnRank(); ++d)
      if (tiling.columns.digits[d] > 1)
        distance = tiling.rhs.distances[batchRank() + d];
    code.forEach(
        math.constant(0), math.constant(whole), tile.run, [&](Value column) {
          Place first = place;
          first.rhs = math.add(first.rhs, math.mul(column, distance));
          first.sums = math.add(first.sums, math.mul(column, columnSums));
          createTile(0, tile.run, first);
        });
  }
  if (whole < tile.columns)
    createTile(whole, tile.columns - whole, place);
}

/// A mask of the first `used` elements of a vector.
Value DirectHostReduction::createMask(int64_t used) const {
  SmallVector<bool> isUsed(tile.lanes, false);
  std::fill_n(isUsed.begin(), used, true);
  auto type = VectorType::get({tile.lanes}, code.b.getI1Type());
  return arith::ConstantOp::create(code.b,
                                   DenseElementsAttr::get(type, isUsed));
}

/// Adds the products of `count` neighbours of the reduction, or vectors of
/// them, the last of which has `used` elements. They share what their windows
/// have in common.
SmallVector<Value>
DirectHostReduction::createNeighbours(const Place &place,
                                      ArrayRef<int64_t> columns, int64_t count,
                                      int64_t used, ValueRange initial) const {
  size_t innermost = tiling.reduction.innermost;
  int64_t lhsStep = ofReduction(tiling.lhs)[innermost];
  int64_t rhsStep = ofReduction(tiling.rhs)[innermost];
  bool isAlong = tiling.isAlongBatch;
  int64_t lhsBatch =
      isAlong ? tiling.lhs.distances[tiling.batch.innermost] : lhsStep;
  int64_t rhsBatch =
      isAlong ? tiling.rhs.distances[tiling.batch.innermost] : rhsStep;
  int64_t step = isAlong ? 1 : tile.lanes;
  // Elements after the end of a line change no sum, whatever their values are.
  // If the others are a half of a vector, a quarter and so on, their load
  // leaves zeros there; else a masked addition leaves the sums there as they
  // are.
  Value mask = used < tile.lanes ? createMask(used) : Value();
  bool hasZeros = mask && llvm::isPowerOf2_64(used);
  DenseMap<int64_t, Value> left, right;
  auto loadOnce = [&](const HostBox &box, DenseMap<int64_t, Value> &loaded,
                      Value base, int64_t offset, int64_t distance) {
    Value &elements = loaded[offset];
    if (elements)
      return elements;
    elements = box.load(math.add(base, offset), distance, tile.lanes);
    if (hasZeros) {
      ImplicitLocOpBuilder &b = code.b;
      Value zeros =
          arith::ConstantOp::create(b, b.getZeroAttr(elements.getType()));
      elements = arith::SelectOp::create(b, mask, elements, zeros);
    }
    return elements;
  };
  SmallVector<Value> results(initial);
  // The rows, columns and vectors of a register tile, in the order of its sums.
  SmallVector<std::array<int64_t, 3>> places;
  int64_t rowStep = tiling.lhs.distances[batchRank() + tiling.rows.innermost];
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t column : columns)
      for (int64_t vector = 0; vector < tile.vectors; ++vector)
        places.push_back({row * rowStep, column, vector * tile.lanes});
  for (int64_t i = 0; i < count; ++i)
    for (auto [sum, offsets] : llvm::zip_equal(results, places)) {
      auto [row, column, lane] = offsets;
      Value added = code.multiplyAdd(
          loadOnce(*lhs, left, place.lhs,
                   i * step * lhsStep + row + lane * lhsBatch, lhsBatch),
          loadOnce(*rhs, right, place.rhs,
                   i * step * rhsStep + column + lane * rhsBatch, rhsBatch),
          sum);
      sum = mask && !hasZeros
                ? arith::SelectOp::create(code.b, mask, added, sum)
                : added;
    }
  return results;
}

/// Adds the products of a line of the step.
SmallVector<Value> DirectHostReduction::createLine(const Place &place,
                                                   ArrayRef<int64_t> columns,
                                                   ValueRange initial) const {
  size_t innermost = tiling.reduction.innermost;
  int64_t line = HostReductionTile::countInLine(tiling);
  int64_t step = tile.neighbours * (tiling.isAlongBatch ? 1 : tile.lanes);
  int64_t whole = line / step * step;
  auto at = [&](Value value) {
    return Place{math.add(place.lhs,
                          math.mul(value, ofReduction(tiling.lhs)[innermost])),
                 math.add(place.rhs,
                          math.mul(value, ofReduction(tiling.rhs)[innermost])),
                 place.sums};
  };
  SmallVector<Value> results(initial);
  if (whole > 0) {
    auto loop = scf::ForOp::create(
        code.b, math.constant(0), math.constant(whole), math.constant(step),
        results, [&](OpBuilder &, Location, Value value, ValueRange carried) {
          scf::YieldOp::create(code.b, createNeighbours(at(value), columns,
                                                        tile.neighbours,
                                                        tile.lanes, carried));
        });
    disableUnrolling(loop);
    results = llvm::to_vector_of<Value>(loop.getResults());
  }
  int64_t rest = line - whole;
  if (rest == 0)
    return results;
  Place last = at(math.constant(whole));
  if (tiling.isAlongBatch)
    return createNeighbours(last, columns, rest, tile.lanes, results);
  return createNeighbours(last, columns, 1, rest, results);
}

/// Adds the products of the step to the sums of one register tile.
void DirectHostReduction::createTile(int64_t firstColumn, int64_t count,
                                     const Place &place) {
  // What columns add to the place in the right operand.
  SmallVector<int64_t> columns;
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = firstColumn + i, offset = 0;
    for (size_t d = columnRank(); d-- > tile.firstColumn;) {
      int64_t size = tiling.columns.digits[d];
      offset += number % size * tiling.rhs.distances[batchRank() + d];
      number /= size;
    }
    columns.push_back(offset);
  }
  SmallVector<Value> initial, places;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t vector = 0; vector < tile.vectors; ++vector) {
        int64_t offset = row * rowSums[tiling.rows.innermost] +
                         (firstColumn + i) * columnSums + vector * tile.lanes;
        places.push_back(math.add(place.sums, offset));
        initial.push_back(code.load(sums, places.back(), tile.lanes));
      }
  const DigitBox &reduction = tiling.reduction;
  SmallVector<int64_t> outer(reduction.sizes);
  outer[reduction.innermost] = 1;
  int64_t lines = llvm::product_of(outer);
  auto createLines = [&](Value number, ValueRange carried) {
    Place line = place;
    for (auto [value, left, right] :
         llvm::zip_equal(math.split(number, outer), ofReduction(tiling.lhs),
                         ofReduction(tiling.rhs))) {
      line.lhs = math.add(line.lhs, math.mul(value, left));
      line.rhs = math.add(line.rhs, math.mul(value, right));
    }
    return createLine(line, columns, carried);
  };
  SmallVector<Value> results;
  if (lines == 1) {
    results = createLines(math.constant(0), initial);
  } else {
    auto loop = scf::ForOp::create(
        code.b, math.constant(0), math.constant(lines), math.constant(1),
        initial, [&](OpBuilder &, Location, Value number, ValueRange carried) {
          scf::YieldOp::create(code.b, createLines(number, carried));
        });
    disableUnrolling(loop);
    results = llvm::to_vector_of<Value>(loop.getResults());
  }
  for (auto [sum, at] : llvm::zip_equal(results, places))
    code.store(sum, sums, at);
}

void DirectHostReduction::createSteps() {
  const DigitBox &reduction = tiling.reduction;
  SmallVector<int64_t> tiles;
  for (size_t d = 0; d < reduction.getRank(); ++d)
    tiles.push_back(reduction.getTiles(d));
  Digits rows(rowRank(), math.constant(0));
  Digits columns(columnRank(), math.constant(0));
  code.forEach(
      math.constant(0), math.constant(llvm::product_of(tiles)), 1,
      [&](Value step) {
        Digits start = math.split(step, tiles);
        for (auto [digit, size] : llvm::zip_equal(start, reduction.sizes))
          digit = math.mul(digit, size);
        lhs->copy(llvm::to_vector(llvm::concat<Value>(first, rows, start)));
        rhs->copy(llvm::to_vector(llvm::concat<Value>(first, columns, start)));
        createTiles();
      });
}

/// Replaces the first element of each vector of sums by the sum of all, halves
/// first.
void DirectHostReduction::addUpLanes() {
  ImplicitLocOpBuilder &b = code.b;
  code.forEach(
      math.constant(0), math.constant(numSums), tile.lanes, [&](Value place) {
        Value sum = code.load(sums, place, tile.lanes);
        for (int64_t half = tile.lanes / 2; half > 0; half /= 2) {
          auto take = [&](int64_t start) {
            return vector::ExtractStridedSliceOp::create(
                b, sum, ArrayRef(start), ArrayRef(half), ArrayRef<int64_t>(1));
          };
          Value low = take(0), high = take(half);
          sum = addSums(b, b.getLoc(), low, high);
        }
        code.store(sum, sums, place);
      });
}

/// Loops over matrices and rows; the columns of each are a run of results.
void DirectHostReduction::createResults() {
  SmallVector<HostCode::DigitLoop> loops;
  for (size_t d = 0; d < batchRank(); ++d)
    loops.push_back({math.minimum(
        math.constant(tiling.batch.sizes[d]),
        math.sub(math.constant(tiling.batch.digits[d]), first[d]))});
  for (int64_t size : tiling.rows.digits)
    loops.push_back({math.constant(size)});
  HostEpilogue epilogue(code, MatrixIndex::Column, countColumns());
  code.forEachDigit(loops, [&](ArrayRef<Value> local) {
    TileOrigin element = origin;
    auto add = [&](Value &index, ArrayRef<Value> values,
                   ArrayRef<int64_t> sizes) {
      int64_t inner = 1;
      for (size_t d = sizes.size(); d-- > 0; inner *= sizes[d])
        index = math.add(index, math.mul(values[d], inner));
    };
    add(element.batch, local.take_front(batchRank()), tiling.batch.digits);
    add(element.row, local.take_back(rowRank()), tiling.rows.digits);
    Value place = math.constant(0);
    for (auto [value, distance] : llvm::zip_equal(
             local, llvm::concat<const int64_t>(batchSums, rowSums)))
      place = math.add(place, math.mul(value, distance));
    epilogue.create(element, math.constant(countColumns()),
                    [&](Value step, int64_t elements) {
                      SmallVector<Value> offsets;
                      for (int64_t i = 0; i < elements; ++i)
                        offsets.push_back(math.add(
                            place, math.mul(math.add(step, i), columnSums)));
                      return code.loadEach(sums, offsets);
                    });
  });
}

void DirectHostReduction::create() {
  origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  first = math.split(origin.batch, tiling.batch.digits);
  code.forEach(math.constant(0), math.constant(numSums), tile.lanes,
               [&](Value i) { code.storeZeros(tile.lanes, sums, i); });
  createSteps();
  if (!tiling.isAlongBatch)
    addUpLanes();
  createResults();
}

LogicalResult
mlir::conv::createDirectHostReductionBody(Kernel &kernel,
                                          gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  DirectHostReduction(kernel, function, *tiling).create();
  return success();
}
