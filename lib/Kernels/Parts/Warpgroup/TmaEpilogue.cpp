//===- TmaEpilogue.cpp - epilogue and store through shared memory ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stmatrix takes the accumulators of 16 columns as they are and writes 16-byte
// pieces of rows, swizzled as the copy expects them.
//
//===----------------------------------------------------------------------===//

#include "TmaEpilogue.h"

#include "../EpilogueOps.h"
#include "TmaCopies.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// For so many columns, a lane has a pair in its row and one 8 rows below.
static constexpr int64_t kColumnsPerPair = 8;
static constexpr int64_t kWarpSize = 32;

TmaEpilogue::TmaEpilogue(const Kernel &kernel, const PtxBuilder &ptx,
                         const ::conv::TmaTile &tile, const TmaResult &form,
                         Value consumer, Value workItem, Value staging,
                         ColumnOrder order)
    : kernel(kernel), ptx(ptx), tile(tile), form(form), consumer(consumer),
      workItem(workItem), staging(staging),
      result(kernel.math, kernel.form.result),
      chunk(ptx, workItem, tile.chunkRowBytes(), tile.resultBytes),
      order(std::move(order)) {
  for (const MatrixOperand &operand : kernel.form.epilogueOperands)
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
  return {column, columns % kernel.workgroupTile()[1] == 0
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

Value TmaEpilogue::createGuard(Place place, Column column) const {
  int64_t rows = kernel.form.getRows();
  if (rows % tile.rows == 0)
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
    // If all rows share an operand, only the column needs a guard.
    Value isElement = access.isBroadcast(MatrixIndex::Row)
                          ? column.isUsed
                          : createGuard(place, column);
    Value guard = access.createGuard(position, isElement);
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
    kernel.store(stored, kernel.arguments.back(), result.createOffset(position),
                 result.createGuard(position, createGuard(place, column)));
  }
}

int64_t TmaEpilogue::getColumnsAtOnce() const {
  // A lane has one value per two columns, which takes about three registers.
  // Operands of this subtile and of the next one take more.
  int64_t registers = 3;
  for (const MatrixOperand &operand : kernel.form.epilogueOperands)
    registers += llvm::divideCeil(
        2 * operand.getElementType().getIntOrFloatBitWidth(), 32);
  int64_t free = tile.consumerRegisters() - tile.accumulators();
  // At least the columns of one store, however few registers there are.
  int64_t least = form.isCopied(tile) ? chunk.getColumns() : kColumnsPerPair;
  return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(2 * free / registers),
                             std::min(least, tile.chunkColumns()),
                             tile.chunkColumns());
}

int64_t TmaEpilogue::countParts() const {
  return llvm::divideCeil(tile.columns, getColumnsAtOnce());
}

int64_t TmaEpilogue::Part::countPairs() const {
  return 2 * columns / kColumnsPerPair;
}

TmaEpilogue::Part TmaEpilogue::getPart(TileOrigin origin,
                                       int64_t number) const {
  const IndexMath &math = ptx.math;
  int64_t atom = number / countParts();
  int64_t column = number % countParts() * getColumnsAtOnce();
  int64_t columns = std::min(getColumnsAtOnce(), tile.columns - column);
  Value row = math.add(
      math.add(origin.row, math.mul(consumer, tile.rows / tile.consumers)),
      atom * Tile::kAtomRows);
  Place first{origin.batch, math.add(math.add(row, warpRow), math.div(lane, 4)),
              math.add(math.add(origin.column, math.mul(math.rem(lane, 4), 2)),
                       column)};
  return {atom, column, columns, row, first};
}

TmaEpilogue::Place TmaEpilogue::getPlace(const Part &part, int64_t i) const {
  const IndexMath &math = ptx.math;
  const auto &[batch, row, column] = part.first;
  return {batch, math.add(row, 8 * (i % 2)),
          math.add(column, i / 2 * kColumnsPerPair)};
}

/// Concatenates the vectors that `getVector` returns.
static Value join(ImplicitLocOpBuilder &b, int64_t count,
                  function_ref<Value(int64_t)> getVector) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(
        elements, vector::ToElementsOp::create(b, getVector(i))->getResults());
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

/// The LLVM dialect has no 8-bit floats, so their bits are stored as bytes.
static VectorType getStoredType(VectorType type) {
  Type element = type.getElementType();
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8
             ? type.clone(IntegerType::get(type.getContext(), 8))
             : type;
}

TmaEpilogue::Loaded TmaEpilogue::load(const Part &part) const {
  Loaded loaded;
  for (auto [number, access, buffer] :
       llvm::enumerate(operands, kernel.epilogueArguments()))
    loaded.push_back(
        replaced.chunks && number == replaced.operand
            ? Value()
            : join(ptx.b, part.countPairs(),
                   [&, &access = access, buffer = buffer](int64_t i) {
                     return load(access, buffer, getPlace(part, i));
                   }));
  return loaded;
}

Value TmaEpilogue::loadStaged(const Part &part) const {
  const MatrixOperand &operand = kernel.form.epilogueOperands[replaced.operand];
  auto type = VectorType::get({2}, operand.getElementType());
  SmallVector<Value> pairs;
  for (int64_t c = 0; c < part.columns; c += chunk.getColumns()) {
    int64_t column = part.column + c;
    int64_t columns = std::min(part.columns - c, chunk.getColumns());
    for (Value pair :
         chunk.load(getStaged(part, column), column % tile.chunkColumns(),
                    2 * columns / kColumnsPerPair))
      pairs.push_back(ptx.b.createOrFold<arith::BitcastOp>(
          type, LLVM::BitcastOp::create(ptx.b, getStoredType(type), pair)));
  }
  return join(ptx.b, part.countPairs(), [&](int64_t i) { return pairs[i]; });
}

SmallVector<Value> TmaEpilogue::createPairs(const Part &part, Value sums,
                                            Loaded loaded) const {
  SmallVector<Value> inputs;
  if (sums)
    inputs.push_back(join(ptx.b, part.countPairs(), [&](int64_t i) {
      return WgmmaSums::getPair(ptx, sums, part.column / 2 + 2 * i);
    }));
  for (Value operand : loaded)
    inputs.push_back(operand ? operand : loadStaged(part));
  Value results = createEpilogueOps(ptx.b, kernel.form.epilogue, inputs);
  if (inputs.empty())
    results = vector::BroadcastOp::create(
        ptx.b, VectorType::get({2 * part.countPairs()}, results.getType()),
        results);
  return llvm::map_to_vector(llvm::seq(part.countPairs()),
                             [&](int64_t i) -> Value {
                               return vector::ExtractStridedSliceOp::create(
                                   ptx.b, results, ArrayRef{2 * i},
                                   ArrayRef{int64_t(2)}, ArrayRef{int64_t(1)});
                             });
}

void TmaEpilogue::store(const Part &part, ValueRange pairs) const {
  for (auto [i, pair] : llvm::enumerate(pairs))
    store(pair, getPlace(part, i));
}

void TmaEpilogue::stage(const Part &part, ValueRange pairs) const {
  auto registers = llvm::map_to_vector(pairs, [&](Value pair) -> Value {
    Value stored = ptx.b.createOrFold<arith::BitcastOp>(
        getStoredType(cast<VectorType>(pair.getType())), pair);
    return LLVM::BitcastOp::create(ptx.b, chunk.getPairType(), stored);
  });
  int64_t perStore = 2 * chunk.getColumns() / kColumnsPerPair;
  for (int64_t i = 0; i < part.countPairs(); i += perStore) {
    int64_t column = part.column + i / 2 * kColumnsPerPair;
    chunk.store(getStaged(part, column), column % tile.chunkColumns(),
                ArrayRef(registers).slice(
                    i, std::min(perStore, part.countPairs() - i)));
  }
}

int64_t TmaEpilogue::getChunk(const Part &part, int64_t column) const {
  // Columns of one atom at a time share the staging space, unless an operand's
  // chunks already occupy their own places.
  int64_t staged = replaced.chunks ? part.atom * tile.columns + column
                                   : column % tile.stagedColumns();
  return staged / tile.chunkColumns();
}

Value TmaEpilogue::getStaged(const Part &part, int64_t column) const {
  return ptx.offset(staging, getChunk(part, column) * tile.chunkBytes());
}

void TmaEpilogue::copyRows(TileOrigin origin, const Part &last) const {
  SmallVector<Value> coordinates =
      createResultCorner(ptx, form, {origin.batch, last.row, origin.column});
  Value first = coordinates.front();
  for (int64_t c = last.column - last.column % tile.stagedColumns();
       c <= last.column; c += tile.chunkColumns()) {
    coordinates.front() = ptx.math.add(first, c);
    auto copyChunk = [&] {
      ptx.storeBox(kernel.arguments.back(), getStaged(last, c), coordinates,
                   form.isIm2col());
    };
    // If groups are clipped, chunks are of one group and need no guard.
    if (form.clipsGroups())
      copyChunk();
    else
      ptx.createIf(ptx.math.below(ptx.math.add(origin.column, c), form.columns),
                   copyChunk);
  }
  ptx.commitStores();
}

void TmaEpilogue::beginColumns() const {
  // Earlier stores must have finished reading shared memory.
  ptx.createIf(isFirst, [&] { ptx.waitForStores(); });
  synchronize();
}

void TmaEpilogue::copyColumns(TileOrigin origin, const Part &last) const {
  ptx.fenceSharedForCopies();
  synchronize();
  ptx.createIf(isFirst, [&] { copyRows(origin, last); });
}

void TmaEpilogue::beginPart(const Part &part, Value phase) const {
  if (!replaced.chunks) {
    if (part.column % tile.stagedColumns() == 0)
      beginColumns();
  } else if (part.column % tile.chunkColumns() == 0) {
    replaced.chunks->wait(getChunk(part, part.column), phase);
  }
}

void TmaEpilogue::endPart(const Part &part, TileOrigin origin) const {
  int64_t end = part.column + part.columns;
  if (!replaced.chunks) {
    if (end == tile.columns || end % tile.stagedColumns() == 0)
      copyColumns(origin, part);
  } else if (end % tile.chunkColumns() == 0) {
    replaced.chunks->release(getChunk(part, part.column), ptx.equal(lane, 0));
  }
}

void TmaEpilogue::create(TileOrigin origin, ValueRange accumulators,
                         Loaded loaded, Value phase) const {
  bool isCopied = form.isCopied(tile);
  int64_t count = tile.atomsPerConsumer() * countParts();
  for (int64_t i = 0; i < count; ++i) {
    Part part = getPart(origin, i);
    Loaded next;
    if (i + 1 < count)
      next = load(getPart(origin, i + 1));
    if (isCopied)
      beginPart(part, phase);
    Value sums = accumulators.empty() ? Value() : accumulators[part.atom];
    SmallVector<Value> pairs = createPairs(part, sums, std::move(loaded));
    if (isCopied) {
      stage(part, pairs);
      endPart(part, origin);
    } else {
      store(part, pairs);
    }
    loaded = std::move(next);
  }
}

void TmaEpilogue::finish(const PtxBuilder &ptx, Value workItem) {
  ptx.createIf(ptx.equal(workItem, 0), [&] { ptx.waitForStores(); });
}
