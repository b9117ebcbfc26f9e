//===- EpilogueColumns.cpp - stores of results with rows innermost --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp have eight neighbouring rows in their accumulators: 16
// bytes of a column of 16-bit elements. Stores of half a sector cost about six
// times as much as those of whole ones.
//
//===----------------------------------------------------------------------===//

#include "EpilogueColumns.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

bool EpilogueColumns::apply(const EpilogueTensors &tensors, const Tile &tile) {
  int64_t rows = tensors.getRowsOfVector();
  return Tile::canTranspose(tile.resultBytes) && rows > 0 &&
         (rows > 1 || tensors.hasIndependentRows());
}

Value EpilogueColumns::no(Value value) const {
  return arith::XOrIOp::create(ptx.b, value, ptx.math.yes());
}

Value EpilogueColumns::createDifference(Value lhs, Value rhs) const {
  return arith::SubIOp::create(ptx.b, lhs, rhs);
}

Value EpilogueColumns::isOne(Value value) const {
  Value one = arith::ConstantOp::create(
      ptx.b, ptx.b.getIntegerAttr(value.getType(), 1));
  return arith::CmpIOp::create(ptx.b, arith::CmpIPredicate::eq, value, one);
}

EpilogueColumns::EpilogueColumns(const EpilogueTensors &tensors,
                                 const PtxBuilder &ptx, const Tile &tile,
                                 Value workItem)
    : tensors(tensors), ptx(ptx), tile(tile),
      elementType(tensors.getElementType()), elementBytes(tile.resultBytes),
      rowsOfVector(tensors.getRowsOfVector()),
      atoms(tile.atomsStoredTogether()), workItem(workItem),
      staged(ptx, workItem, atoms * Tile::kAtomRows, elementBytes) {}

int64_t EpilogueColumns::getRowsOfLane() const {
  return hasOddRows() ? 2 : rowsOfVector;
}

Value EpilogueColumns::getRow(Value i) const {
  // Blocks of a halo tile that are side by side continue each other's lines.
  constexpr int64_t kBlock = Tile::kBlockSize;
  if (atoms == 1 || tensors.getRowsOfLine() != kBlock)
    return i;
  const IndexMath &math = ptx.math;
  Value line = math.div(i, kBlock * atoms),
        inLine = math.rem(i, kBlock * atoms);
  return math.add(math.add(math.mul(math.div(inLine, kBlock), Tile::kAtomRows),
                           math.mul(line, kBlock)),
                  math.rem(inLine, kBlock));
}

EpilogueColumns::Rows EpilogueColumns::createRows(const SubproblemTile &origin,
                                                  Value row) const {
  const IndexMath &math = ptx.math;
  int64_t rows = atoms * Tile::kAtomRows, ofLane = getRowsOfLane();
  Value number = math.mul(math.rem(workItem, rows / ofLane), ofLane);
  Rows result;
  result.staged = {getRow(number)};
  result.first = tensors.createRow(origin, math.add(row, result.staged[0]));
  if (!hasOddRows())
    return result;

  // The row after the last one of a warp is not used.
  result.staged.push_back(
      getRow(math.minimum(math.add(number, 2), math.constant(rows - 1))));
  auto getElement = [&](const EpilogueTensors::Row &row) {
    return tensors.getElement(row, {origin.column, 0});
  };
  EpilogueTensors::Element to[] = {
      getElement(result.first),
      getElement(tensors.createRow(origin,
                                   math.add(row, getRow(math.add(number, 1))))),
      getElement(tensors.createRow(origin, math.add(row, result.staged[1])))};
  Value distances[] = {createDifference(to[1].offset, to[0].offset),
                       createDifference(to[2].offset, to[1].offset)};
  auto follows = [&](int64_t i) {
    return math.both(isOne(distances[i]),
                     math.both(to[i].guard, to[i + 1].guard));
  };
  OddRows &odd = result.odd;
  odd.distance = distances[0];
  odd.isPair = follows(0);
  Value lane = math.rem(workItem, kWarpSize);
  odd.isLater = math.both(math.both(odd.isPair, follows(1)),
                          ptx.math.below(lane, kWarpSize - 1));
  Value isDone =
      math.both(ptx.fromPreviousLane(odd.isLater), no(ptx.equal(lane, 0)));
  Value first = to[0].guard, second = to[1].guard;
  odd.isAlone = {
      {{math.both(first, no(odd.isPair)), math.both(first, no(isDone))},
       {math.both(second, no(odd.isPair)),
        math.both(second, no(odd.isLater))}}};
  return result;
}

void EpilogueColumns::storeVector(const Rows &rows, const Column &column,
                                  Value staging) const {
  auto type = VectorType::get({rowsOfVector}, elementType);
  EpilogueTensors::Element to =
      tensors.getElement(rows.first, {column.number, 0});
  if (column.isStaged)
    to.guard = ptx.math.both(to.guard, column.isStaged);
  tensors.store(
      LLVM::LoadOp::create(
          ptx.b, type, staged.locate(staging, column.inTile, rows.staged[0])),
      to);
}

void EpilogueColumns::storeOddRows(const Rows &rows, const Column &column,
                                   Value staging) const {
  ImplicitLocOpBuilder &b = ptx.b;
  const IndexMath &math = ptx.math;
  const OddRows &odd = rows.odd;
  EpilogueTensors::Columns columns{column.number, 0};
  Value offset = tensors.getElement(rows.first, columns).offset;
  Value isUsed = tensors.isUsed(columns);
  if (column.isStaged)
    isUsed = math.both(isUsed, column.isStaged);
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), offset);
  auto choose = [&](Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, isOdd, yes, no);
  };

  auto pairType = VectorType::get({2}, elementType);
  auto load = [&](Type type, Value row) -> Value {
    return LLVM::LoadOp::create(b, type,
                                staged.locate(staging, column.inTile, row));
  };
  Value pair = load(pairType, rows.staged[0]);
  Value second = vector::ExtractOp::create(b, pair, 1);
  Value later = vector::FromElementsOp::create(
      b, pairType, ValueRange{second, load(elementType, rows.staged[1])});
  Value next = arith::AddIOp::create(b, offset, odd.distance);
  tensors.store(choose(later, pair),
                {choose(next, offset),
                 math.both(isUsed, choose(odd.isLater, odd.isPair))});
  for (auto [i, to] : llvm::enumerate(std::array<Value, 2>{offset, next})) {
    Value one = vector::ExtractStridedSliceOp::create(
        b, pair, ArrayRef{static_cast<int64_t>(i)}, ArrayRef{int64_t(1)},
        ArrayRef{int64_t(1)});
    auto [ifEven, ifOdd] = odd.isAlone[i];
    tensors.store(one, {to, math.both(isUsed, choose(ifOdd, ifEven))});
  }
}

void EpilogueColumns::store(const SubproblemTile &origin, Value row,
                            int64_t column, int64_t count,
                            Value staging) const {
  const IndexMath &math = ptx.math;
  Rows rows = createRows(origin, row);
  int64_t lanes = atoms * Tile::kAtomRows / getRowsOfLane();
  int64_t atOnce = Tile::kWarpgroupSize / lanes;
  int64_t rounds = llvm::divideCeil(count, atOnce);
  int64_t unrolled = std::gcd<int64_t>(rounds, 4);
  Value first = math.div(workItem, lanes);
  auto storeColumn = [&](Value round) {
    Column own;
    own.inTile = math.add(math.mul(round, atOnce), first);
    own.number = math.add(origin.column, math.add(own.inTile, column));
    if (count % atOnce)
      own.isStaged = math.below(own.inTile, count);
    hasOddRows() ? storeOddRows(rows, own, staging)
                 : storeVector(rows, own, staging);
  };
  ptx.createFor(math.constant(0), math.constant(rounds), unrolled, {},
                [&](Value round, ValueRange) {
                  for (int64_t i = 0; i < unrolled; ++i)
                    storeColumn(math.add(round, i));
                  return SmallVector<Value>();
                });
}
