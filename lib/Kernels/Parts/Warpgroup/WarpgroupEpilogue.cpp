//===- WarpgroupEpilogue.cpp - epilogue and store through shared memory ---===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stmatrix takes the accumulators of 16 columns as they are and writes 16-byte
// vectors of rows, swizzled as the copy expects them.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupEpilogue.h"

#include "../EpilogueOps.h"

#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

WarpgroupEpilogue::WarpgroupEpilogue(ArrayRef<Subproblem> subproblems,
                                     const PtxBuilder &ptx,
                                     const ::conv::WarpgroupTile &tile,
                                     Value consumer, Value workItem,
                                     Value staging, ColumnOrder order)
    : form(subproblems.front().kernel.form), result(subproblems.front().result),
      tensors(ptx, tile, subproblems, std::move(order)), ptx(ptx), tile(tile),
      consumer(consumer), workItem(workItem), staging(staging),
      chunk(ptx, workItem, tile.chunkRowBytes(), tile.resultBytes) {
  const IndexMath &math = ptx.math;
  isFirst = ptx.equal(workItem, 0);
  lane = math.rem(workItem, kWarpSize);
  warpRow = math.mul(math.div(workItem, kWarpSize), 16);
  if (result.form == TmaResult::Form::Lanes && staging && tile.isStaged &&
      tile.hasChunks() && EpilogueColumns::apply(tensors, tile))
    columns.emplace(tensors, ptx, tile, workItem);
}

void WarpgroupEpilogue::synchronize() const {
  ptx.barrier(ptx.math.add(consumer, 1), Tile::kWarpgroupSize);
}

int64_t WarpgroupEpilogue::getColumnsAtOnce() const {
  // A lane has one value per two columns, which takes about three registers.
  // Operands of this subtile and of the next one take more.
  int64_t registers = 3;
  for (const MatrixOperand &operand : form.epilogueOperands)
    registers += llvm::divideCeil(
        2 * operand.getElementType().getIntOrFloatBitWidth(), 32);
  int64_t free = tile.consumerRegisters() - tile.accumulators();
  // At least the columns of one store, however few registers there are.
  int64_t least = isStaged() ? chunk.getColumns() : kColumnsPerPair;
  int64_t most = tile.chunkColumns();
  if (columns)
    most = std::min(most, columns->getMostColumns());
  return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(2 * free / registers),
                             std::min(least, most), most);
}

int64_t WarpgroupEpilogue::getStagedColumns() const {
  if (!columns)
    return tile.stagedColumns();
  int64_t most = columns->getMostColumns();
  return most - most % getColumnsAtOnce();
}

int64_t WarpgroupEpilogue::countSubtiles() const {
  return llvm::divideCeil(tile.columns, getColumnsAtOnce());
}

int64_t WarpgroupEpilogue::Subtile::countPairs() const {
  return 2 * columns / kColumnsPerPair;
}

bool WarpgroupEpilogue::movesByLanes() const {
  return !result.isCopied(tile) ||
         form.epilogueOperands.size() > (replaced.chunks ? 1 : 0);
}

bool WarpgroupEpilogue::storesRows() const {
  Type element = form.result.getElementType();
  int64_t columns = tensors.getColumnsOfStore();
  bool isWorth =
      columns == 2 ||
      (columns == 1 && form.getColumns() >= ::conv::kFewestOddColumns);
  return result.form == TmaResult::Form::Lanes && staging && tile.isStaged &&
         tile.hasChunks() && element.getIntOrFloatBitWidth() == 16 && isWorth;
}

WarpgroupEpilogue::Subtile
WarpgroupEpilogue::getSubtile(const SubproblemTile &origin,
                              int64_t number) const {
  const IndexMath &math = ptx.math;
  // Atoms that are staged together come one after the other.
  int64_t together = getStagedAtoms();
  int64_t atom =
      number / (countSubtiles() * together) * together + number % together;
  int64_t column = number / together % countSubtiles() * getColumnsAtOnce();
  Subtile subtile{};
  subtile.atom = atom;
  subtile.column = column;
  subtile.columns = std::min(getColumnsAtOnce(), tile.columns - column);
  subtile.row = math.add(
      math.add(origin.row, math.mul(consumer, tile.rows / tile.consumers)),
      atom * Tile::kAtomRows);
  if (origin.subproblem && result.isCopied(tile))
    subtile.box = getBox(origin, subtile.row);
  Value row = math.add(math.add(subtile.row, warpRow), math.div(lane, 4));
  if (movesByLanes())
    subtile.rows = {tensors.createRow(origin, row),
                    tensors.createRow(origin, math.add(row, 8))};
  subtile.laneColumn = math.add(origin.column, math.mul(math.rem(lane, 4), 2));
  return subtile;
}

EpilogueTensors::Box WarpgroupEpilogue::getBox(const SubproblemTile &origin,
                                               Value row) const {
  return tensors.createBox(
      {{origin.batch, row, origin.column}, origin.subproblem});
}

WarpgroupEpilogue::Place WarpgroupEpilogue::getPlace(const Subtile &subtile,
                                                     int64_t i) const {
  return {subtile.rows[i % 2],
          {subtile.laneColumn, subtile.column + i / 2 * kColumnsPerPair}};
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

WarpgroupEpilogue::Loaded
WarpgroupEpilogue::load(const Subtile &subtile) const {
  auto loadPairs = [&](size_t operand) {
    return join(ptx.b, subtile.countPairs(), [&](int64_t i) {
      Place place = getPlace(subtile, i);
      return tensors.load(operand, place.row, place.columns);
    });
  };
  Loaded loaded;
  for (size_t i = 0; i < form.epilogueOperands.size(); ++i)
    loaded.push_back(replaced.chunks && i == replaced.operand ? Value()
                                                              : loadPairs(i));
  return loaded;
}

Value WarpgroupEpilogue::loadStaged(const Subtile &subtile) const {
  const MatrixOperand &operand = form.epilogueOperands[replaced.operand];
  auto type = VectorType::get({2}, operand.getElementType());
  SmallVector<Value> pairs;
  for (int64_t c = 0; c < subtile.columns; c += chunk.getColumns()) {
    int64_t column = subtile.column + c;
    int64_t columns = std::min(subtile.columns - c, chunk.getColumns());
    for (Value pair :
         chunk.load(getStaged(subtile, column), column % tile.chunkColumns(),
                    2 * columns / kColumnsPerPair))
      pairs.push_back(ptx.b.createOrFold<arith::BitcastOp>(
          type, LLVM::BitcastOp::create(ptx.b, getStoredType(type), pair)));
  }
  return join(ptx.b, subtile.countPairs(), [&](int64_t i) { return pairs[i]; });
}

SmallVector<Value> WarpgroupEpilogue::createPairs(const Subtile &subtile,
                                                  Value sums,
                                                  Loaded loaded) const {
  SmallVector<Value> inputs;
  if (sums)
    inputs.push_back(join(ptx.b, subtile.countPairs(), [&](int64_t i) {
      return WgmmaSums::getPair(ptx, sums, subtile.column / 2 + 2 * i);
    }));
  for (Value operand : loaded)
    inputs.push_back(operand ? operand : loadStaged(subtile));
  Value results = createEpilogueOps(ptx.b, form.epilogue, inputs);
  if (inputs.empty())
    results = vector::BroadcastOp::create(
        ptx.b, VectorType::get({2 * subtile.countPairs()}, results.getType()),
        results);
  return llvm::map_to_vector(llvm::seq(subtile.countPairs()),
                             [&](int64_t i) -> Value {
                               return vector::ExtractStridedSliceOp::create(
                                   ptx.b, results, ArrayRef{2 * i},
                                   ArrayRef{int64_t(2)}, ArrayRef{int64_t(1)});
                             });
}

void WarpgroupEpilogue::store(const Subtile &subtile, ValueRange pairs) const {
  for (auto [i, pair] : llvm::enumerate(pairs)) {
    Place place = getPlace(subtile, i);
    tensors.store(pair, place.row, place.columns);
  }
}

void WarpgroupEpilogue::stage(const Subtile &subtile, ValueRange pairs) const {
  int64_t perStore = 2 * chunk.getColumns() / kColumnsPerPair;
  auto storeAll = [&](ValueRange all, auto &&store) {
    for (int64_t i = 0; i < subtile.countPairs(); i += perStore)
      store(subtile.column + i / 2 * kColumnsPerPair,
            all.slice(i, std::min(perStore, subtile.countPairs() - i)));
  };
  if (columns)
    return storeAll(pairs, [&](int64_t column, ValueRange some) {
      columns->stage(staging, subtile.atom % getStagedAtoms(),
                     column % getStagedColumns(), some);
    });
  auto registers = llvm::map_to_vector(pairs, [&](Value pair) -> Value {
    Value stored = ptx.b.createOrFold<arith::BitcastOp>(
        getStoredType(cast<VectorType>(pair.getType())), pair);
    return LLVM::BitcastOp::create(ptx.b, chunk.getPairType(), stored);
  });
  storeAll(registers, [&](int64_t column, ValueRange some) {
    chunk.store(getStaged(subtile, column), column % tile.chunkColumns(), some);
  });
}

int64_t WarpgroupEpilogue::getChunk(const Subtile &subtile,
                                    int64_t column) const {
  // Columns of one atom at a time share the staging space, unless an operand's
  // chunks already occupy their own places.
  int64_t staged = replaced.chunks ? subtile.atom * tile.columns + column
                                   : column % tile.stagedColumns();
  return staged / tile.chunkColumns();
}

Value WarpgroupEpilogue::getStaged(const Subtile &subtile,
                                   int64_t column) const {
  return ptx.offset(staging, getChunk(subtile, column) * tile.chunkBytes());
}

void WarpgroupEpilogue::copyRows(const SubproblemTile &origin,
                                 const Subtile &last) const {
  auto [map, coordinates] = last.box ? *last.box : getBox(origin, last.row);
  Value first = coordinates.front();
  for (int64_t c = last.column - last.column % tile.stagedColumns();
       c <= last.column; c += tile.chunkColumns()) {
    coordinates.front() = ptx.math.add(first, c);
    auto copyChunk = [&, &map = map, &coordinates = coordinates] {
      ptx.storeBox(map, getStaged(last, c), coordinates, result.isIm2col());
    };
    // If groups are clipped, chunks are of one group and need no guard.
    if (result.clipsGroups())
      copyChunk();
    else
      ptx.createIf(
          ptx.math.below(ptx.math.add(origin.column, c), result.columns),
          copyChunk);
  }
  ptx.commitStores();
}

void WarpgroupEpilogue::storeRows(const SubproblemTile &origin,
                                  const Subtile &last) const {
  const IndexMath &math = ptx.math;
  constexpr int64_t kRows = 16;
  int64_t width = tensors.getColumnsOfStore();
  auto type = VectorType::get({width}, form.result.getElementType());
  int64_t ofRow = tile.chunkColumns() / width;
  int64_t rounds = kRows * ofRow / kWarpSize;
  int64_t atOnce = std::gcd<int64_t>(rounds, 4);
  // Consecutive lanes store consecutive columns, of one row after the other.
  auto storeSome = [&](Value round, int64_t column) {
    Value number = math.add(math.mul(round, kWarpSize), lane);
    Value inWarp = math.div(number, ofRow);
    Value inRow = math.mul(math.rem(number, ofRow), width);
    Value row = math.add(warpRow, inWarp);
    Value stored = LLVM::LoadOp::create(
        ptx.b, type, chunk.locate(getStaged(last, column), row, inRow));
    tensors.storeRow(stored, tensors.createRow(origin, math.add(last.row, row)),
                     {math.add(origin.column, inRow), column});
  };
  for (int64_t c = last.column - last.column % tile.stagedColumns();
       c <= last.column; c += tile.chunkColumns())
    ptx.createFor(math.constant(0), math.constant(rounds / atOnce), 1, {},
                  [&](Value step, ValueRange) {
                    for (int64_t i = 0; i < atOnce; ++i)
                      storeSome(math.add(math.mul(step, atOnce), i), c);
                    return SmallVector<Value>();
                  });
}

void WarpgroupEpilogue::storeColumns(const SubproblemTile &origin,
                                     const Subtile &last) const {
  int64_t first = last.column - last.column % getStagedColumns();
  int64_t above = last.atom % getStagedAtoms() * Tile::kAtomRows;
  columns->store(origin, ptx.math.sub(last.row, above), first,
                 last.column + last.columns - first, staging);
}

void WarpgroupEpilogue::beginColumns() const {
  if (columns)
    return synchronize();
  if (storesRows())
    return ptx.synchronizeWarp();
  // Earlier stores must have finished reading shared memory.
  ptx.createIf(isFirst, [&] { ptx.waitForStores(); });
  synchronize();
}

void WarpgroupEpilogue::copyColumns(const SubproblemTile &origin,
                                    const Subtile &last) const {
  if (columns) {
    synchronize();
    return storeColumns(origin, last);
  }
  if (storesRows()) {
    ptx.synchronizeWarp();
    return storeRows(origin, last);
  }
  ptx.fenceSharedForCopies();
  synchronize();
  ptx.createIf(isFirst, [&] { copyRows(origin, last); });
}

void WarpgroupEpilogue::beginSubtile(const Subtile &subtile,
                                     Value phase) const {
  if (!replaced.chunks) {
    if (subtile.column % getStagedColumns() == 0 &&
        subtile.atom % getStagedAtoms() == 0)
      beginColumns();
  } else if (subtile.column % tile.chunkColumns() == 0) {
    replaced.chunks->wait(getChunk(subtile, subtile.column), phase);
  }
}

void WarpgroupEpilogue::endSubtile(const Subtile &subtile,
                                   const SubproblemTile &origin) const {
  int64_t end = subtile.column + subtile.columns;
  if (!replaced.chunks) {
    bool isWhole = end == tile.columns || end % getStagedColumns() == 0;
    if (isWhole && (subtile.atom + 1) % getStagedAtoms() == 0)
      copyColumns(origin, subtile);
  } else if (end % tile.chunkColumns() == 0) {
    replaced.chunks->release(getChunk(subtile, subtile.column),
                             ptx.equal(lane, 0));
  }
}

void WarpgroupEpilogue::create(const SubproblemTile &origin,
                               ValueRange accumulators, Loaded loaded,
                               Value phase) const {
  bool isStaged = this->isStaged();
  int64_t count = tile.atomsPerConsumer() * countSubtiles();
  Subtile next = getSubtile(origin, 0);
  for (int64_t i = 0; i < count; ++i) {
    Subtile subtile = std::move(next);
    Loaded ofNext;
    if (i + 1 < count) {
      next = getSubtile(origin, i + 1);
      ofNext = load(next);
    }
    if (isStaged)
      beginSubtile(subtile, phase);
    Value sums = accumulators.empty() ? Value() : accumulators[subtile.atom];
    SmallVector<Value> pairs = createPairs(subtile, sums, std::move(loaded));
    if (isStaged) {
      stage(subtile, pairs);
      endSubtile(subtile, origin);
    } else {
      store(subtile, pairs);
    }
    loaded = std::move(ofNext);
  }
}

void WarpgroupEpilogue::finish(const PtxBuilder &ptx, Value workItem) {
  ptx.createIf(ptx.equal(workItem, 0), [&] { ptx.waitForStores(); });
}
