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

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Columns that one stmatrix writes, and among which each lane has a pair.
static constexpr int64_t kColumnsPerStore = 16;
static constexpr int64_t kColumnsPerPair = 8;
static constexpr int64_t kWarpSize = 32;

TmaEpilogue::TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
                         const ::conv::TmaTile &tile, bool isResultCopied,
                         Value consumer, Value workItem, Value staging)
    : kernel(kernel), ptx(ptx), tile(tile), isResultCopied(isResultCopied),
      consumer(consumer), workItem(workItem), staging(staging),
      result(kernel.math, kernel.form.result),
      chunk(ptx, workItem, tile.chunkColumns() * Tile::kElementBytes) {
  for (const MatrixOperand &operand : kernel.form.tailOperands)
    operands.emplace_back(kernel.math, operand);
  const IndexMath &math = ptx.math;
  isFirst = ptx.equal(workItem, 0);
  lane = math.rem(workItem, kWarpSize);
  warpRow = math.mul(math.div(workItem, kWarpSize), 16);
}

TmaEpilogue::TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
                         const ::conv::TmaTile &tile, Value consumer,
                         Value workItem, ColumnOrder order)
    : TmaEpilogue(kernel, ptx, tile, /*isResultCopied=*/false, consumer,
                  workItem, /*staging=*/Value()) {
  this->order = std::move(order);
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

Value TmaEpilogue::createPair(const WgmmaSums &matrix, Place &place, Value sums,
                              int64_t offset, int64_t half) const {
  place.row = ptx.math.add(place.row, 8 * half);
  place.column = ptx.math.add(place.column, offset);
  SmallVector<Value> inputs = {matrix.getPair(sums, offset / 2 + 2 * half)};
  for (auto [i, access] : llvm::enumerate(operands))
    inputs.push_back(load(access, kernel.arguments[2 + i], place));
  return createTail(ptx.b, kernel.form.tail, inputs);
}

void TmaEpilogue::storeAtom(const WgmmaSums &matrix, Place first,
                            Value sums) const {
  for (int64_t half : {0, 1})
    for (int64_t c = 0; c < tile.columns; c += kColumnsPerPair) {
      Place place = first;
      Value pair = createPair(matrix, place, sums, c, half);
      store(pair, place);
    }
}

void TmaEpilogue::copyAtom(const WgmmaSums &matrix, Place first,
                           Value sums) const {
  for (int64_t c = 0; c < tile.columns; c += kColumnsPerStore) {
    SmallVector<Value> registers;
    for (int64_t eight : {0, 8})
      for (int64_t half : {0, 1}) {
        Place place = first;
        registers.push_back(LLVM::BitcastOp::create(
            ptx.b, ptx.b.getI32Type(),
            createPair(matrix, place, sums, c + eight, half)));
      }
    chunk.store(
        ptx.offset(staging, c / tile.chunkColumns() * tile.chunkBytes()),
        c % tile.chunkColumns() * Tile::kElementBytes, registers);
  }
}

void TmaEpilogue::create(const WgmmaSums &matrix, TileOrigin origin,
                         ValueRange accumulators) const {
  const IndexMath &math = ptx.math;
  Value rows =
      math.add(origin.row, math.mul(consumer, tile.rows / tile.consumers));
  for (auto [atom, sums] : llvm::enumerate(accumulators)) {
    Value row = math.add(rows, int64_t(atom) * Tile::kAtomRows);
    Place first{origin.batch,
                math.add(math.add(row, warpRow), math.div(lane, 4)),
                math.add(origin.column, math.mul(math.rem(lane, 4), 2))};
    if (!isResultCopied) {
      storeAtom(matrix, first, sums);
      continue;
    }
    // What was stored before must have left shared memory.
    ptx.createIf(isFirst, [&] { ptx.waitForStores(/*onlyReads=*/true); });
    synchronize();
    copyAtom(matrix, first, sums);
    ptx.fenceSharedForCopies();
    synchronize();
    ptx.createIf(isFirst, [&] {
      int64_t chunks = tile.columns / tile.chunkColumns();
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        ptx.storeBox(
            kernel.arguments.back(),
            ptx.offset(staging, chunk * tile.chunkBytes()),
            {math.add(origin.column, chunk * tile.chunkColumns()), row});
      ptx.commitStores();
    });
  }
}

void TmaEpilogue::finish() const {
  if (isResultCopied)
    ptx.createIf(isFirst, [&] { ptx.waitForStores(/*onlyReads=*/false); });
}
