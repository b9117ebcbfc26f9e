//===- TmaEpilogue.cpp - tail and store through shared memory -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stmatrix takes the accumulators of 16 columns as they are and writes rows of
// 16 bytes, permuted as the copy expects them.
//
//===----------------------------------------------------------------------===//

#include "TmaEpilogue.h"

#include "../Tail.h"
#include "TmaCopies.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Columns that one stmatrix writes, and among which each lane has a pair.
static constexpr int64_t kColumnsPerStore = 16;
static constexpr int64_t kColumnsPerPair = 8;
static constexpr int64_t kWarpSize = 32;

TmaEpilogue::TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
                         const ::conv::TmaTile &tile, const TmaResult &form,
                         Value consumer, Value workItem, Value staging,
                         ColumnOrder order)
    : kernel(kernel), ptx(ptx), tile(tile), form(form), consumer(consumer),
      workItem(workItem), staging(staging),
      result(kernel.math, kernel.form.result),
      chunk(ptx, workItem, tile.chunkColumns() * Tile::kElementBytes),
      order(std::move(order)) {
  for (const MatrixOperand &operand : kernel.form.tailOperands)
    operands.emplace_back(kernel.math, operand);
  const IndexMath &math = ptx.math;
  isFirst = ptx.equal(workItem, 0);
  lane = math.rem(workItem, kWarpSize);
  warpRow = math.mul(math.div(workItem, kWarpSize), 16);
}

void TmaEpilogue::synchronize() const {
  ptx.barrier(ptx.math.add(consumer, 1), Tile::kWarpgroupSize);
}

TmaEpilogue::Column TmaEpilogue::getColumn(Place place, int64_t offset) const {
  Value column = ptx.math.add(place.column, offset);
  if (order)
    return order(column);
  int64_t columns = kernel.form.getColumns();
  return {column, columns % tile.columns == 0
                      ? kernel.math.yes()
                      : ptx.math.below(column, columns)};
}

int64_t TmaEpilogue::getWidth(const MatrixAccess &access) const {
  return order ? 1 : access.getVectorWidth(MatrixIndex::Column, 2);
}

MatrixAccess::Position TmaEpilogue::locate(const MatrixAccess &access,
                                           Place place, Column column) const {
  const IndexMath &math = kernel.math;
  MatrixAccess::Position ofMatrix =
      access.createPosition(MatrixIndex::Batch, math.cast(place.batch));
  MatrixAccess::Position ofRow =
      access.createPosition(MatrixIndex::Row, math.cast(place.row));
  return access.add(
      access.add(ofMatrix, ofRow),
      access.createPosition(MatrixIndex::Column, math.cast(column.number)));
}

/// Whether the result has the element; of one that is the same for all rows,
/// only the column counts.
Value TmaEpilogue::createGuard(const MatrixAccess &access, Place place,
                               Column column) const {
  int64_t rows = kernel.form.getRows();
  if (access.isBroadcast(MatrixIndex::Row) || rows % tile.rows == 0)
    return column.isUsed;
  return kernel.math.both(column.isUsed, ptx.math.below(place.row, rows));
}

Value TmaEpilogue::load(const MatrixAccess &access, Value buffer,
                        Place place) const {
  SmallVector<Value> elements;
  int64_t width = getWidth(access);
  for (int64_t i = 0; i < 2; i += width) {
    Column column = getColumn(place, i);
    MatrixAccess::Position position = locate(access, place, column);
    Value guard =
        access.createGuard(position, createGuard(access, place, column));
    Value loaded =
        kernel.load(buffer, access.createOffset(position), guard, width);
    if (width == 2)
      return loaded;
    elements.push_back(vector::ExtractOp::create(ptx.b, loaded, 0));
  }
  return vector::FromElementsOp::create(
      ptx.b, VectorType::get({2}, elements.front().getType()), elements);
}

void TmaEpilogue::store(Value pair, Place place) const {
  int64_t width = getWidth(result);
  for (int64_t i = 0; i < 2; i += width) {
    Column column = getColumn(place, i);
    MatrixAccess::Position position = locate(result, place, column);
    Value stored = vector::ExtractStridedSliceOp::create(
        ptx.b, pair, ArrayRef{i}, ArrayRef{width}, ArrayRef{int64_t(1)});
    kernel.store(
        stored, kernel.arguments.back(), result.createOffset(position),
        result.createGuard(position, createGuard(result, place, column)));
  }
}

Value TmaEpilogue::createPair(Place &place, Value sums, int64_t offset,
                              int64_t half) const {
  place.row = ptx.math.add(place.row, 8 * half);
  place.column = ptx.math.add(place.column, offset);
  SmallVector<Value> inputs;
  if (sums)
    inputs.push_back(WgmmaSums::getPair(ptx, sums, offset / 2 + 2 * half));
  for (auto [access, buffer] : llvm::zip(operands, kernel.tailArguments()))
    inputs.push_back(load(access, buffer, place));
  Value results = createTail(ptx.b, kernel.form.tail, inputs);
  if (!inputs.empty())
    return results;
  auto type = VectorType::get({2}, results.getType());
  return vector::BroadcastOp::create(ptx.b, type, results);
}

void TmaEpilogue::storeAtom(Place first, Value sums) const {
  for (int64_t half : {0, 1})
    for (int64_t c = 0; c < tile.columns; c += kColumnsPerPair) {
      Place place = first;
      Value pair = createPair(place, sums, c, half);
      store(pair, place);
    }
}

void TmaEpilogue::stageAtom(Place first, Value sums) const {
  for (int64_t c = 0; c < tile.columns; c += kColumnsPerStore) {
    SmallVector<Value> registers;
    for (int64_t eight : {0, 8})
      for (int64_t half : {0, 1}) {
        Place place = first;
        registers.push_back(
            LLVM::BitcastOp::create(ptx.b, ptx.b.getI32Type(),
                                    createPair(place, sums, c + eight, half)));
      }
    chunk.store(
        ptx.offset(staging, c / tile.chunkColumns() * tile.chunkBytes()),
        c % tile.chunkColumns() * Tile::kElementBytes, registers);
  }
}

void TmaEpilogue::copyRows(TileOrigin origin, Value row) const {
  bool isIm2col = form.form == TmaResult::Form::Positions;
  SmallVector<Value> coordinates = {origin.column};
  if (form.form != TmaResult::Form::Matrix)
    llvm::append_range(coordinates, createCorner(ptx, form.window, row));
  else
    coordinates.push_back(row);
  for (int64_t c = 0; c < tile.columns; c += tile.chunkColumns()) {
    coordinates.front() = ptx.math.add(origin.column, c);
    ptx.storeBox(
        kernel.arguments.back(),
        ptx.offset(staging, c / tile.chunkColumns() * tile.chunkBytes()),
        coordinates, isIm2col);
  }
  ptx.commitStores();
}

void TmaEpilogue::createAtom(TileOrigin origin, Value row, Value sums) const {
  const IndexMath &math = ptx.math;
  Place first{origin.batch, math.add(math.add(row, warpRow), math.div(lane, 4)),
              math.add(origin.column, math.mul(math.rem(lane, 4), 2))};
  if (!form.isCopied(tile))
    return storeAtom(first, sums);
  // What was stored before must have left shared memory.
  ptx.createIf(isFirst, [&] { ptx.waitForStores(); });
  synchronize();
  stageAtom(first, sums);
  ptx.fenceSharedForCopies();
  synchronize();
  ptx.createIf(isFirst, [&] { copyRows(origin, row); });
}

void TmaEpilogue::create(TileOrigin origin, ValueRange accumulators) const {
  const IndexMath &math = ptx.math;
  Value rows =
      math.add(origin.row, math.mul(consumer, tile.rows / tile.consumers));
  for (int64_t atom = 0; atom < tile.atomsPerConsumer(); ++atom)
    createAtom(origin, math.add(rows, atom * Tile::kAtomRows),
               accumulators.empty() ? Value() : accumulators[atom]);
}

void TmaEpilogue::finish(const PtxBuilder &ptx, Value workItem) {
  ptx.createIf(ptx.equal(workItem, 0), [&] { ptx.waitForStores(); });
}
