//===- RegisterCopies.cpp - tiles that lanes load -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address is the sum of a row's part, which does not change from step to
// step, and a reduced element's part, which is the same for all rows.
//
//===----------------------------------------------------------------------===//

#include "RegisterCopies.h"

#include "TF32Parts.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;
using ::conv::LoadedOperand;

RegisterCopies::RegisterCopies(const PtxBuilder &ptx,
                               const MatrixOperand &operand,
                               const LoadedOperand &loaded, Value buffer,
                               int64_t rows, Form form, Value lane)
    : ptx(ptx), loaded(loaded), source(ptx.getAddress(buffer)),
      element(operand.getElementType()), elementBytes(getElementBytes(element)),
      tileRows(rows),
      positions(ptx, operand,
                /*exceedsRows=*/operand.view.getShape()[1] % rows != 0 ||
                    rows % loaded.rowsAtOnce() != 0,
                /*exceedsReduction=*/operand.view.getShape()[2] %
                        (Tile::kRowBytes / elementBytes) !=
                    0),
      form(form) {
  const IndexMath &math = ptx.math;
  // The vectors of a warp whose lanes are rows are the same for all lanes.
  row = loaded.areLanesRows ? math.rem(lane, LoadedOperand::kWarpLanes)
                            : math.div(lane, LoadedOperand::kVectorsOfRow);
  inRow = loaded.areLanesRows
              ? ptx.uniform(math.div(lane, LoadedOperand::kWarpLanes))
              : math.rem(lane, LoadedOperand::kVectorsOfRow);
}

RegisterCopies::Rows RegisterCopies::createRows(Value batch,
                                                Value origin) const {
  const IndexMath &math = ptx.math;
  Position first = positions.access.createPosition(MatrixIndex::Batch, batch);
  Rows rows;
  for (int64_t i = 0; i < loaded.countPositions(tileRows); ++i)
    rows.push_back(positions.access.add(
        first,
        positions.create(MatrixIndex::Row, math.add(math.add(origin, row),
                                                    i * loaded.rowsAtOnce()))));
  return rows;
}

Value RegisterCopies::createVectorNumber(int64_t number) const {
  return ptx.math.add(inRow, number * Tile::kWarps);
}

/// If a step is in one innermost digit, only `k` is decoded, which is the same
/// for all lanes.
RegisterCopies::Reduced RegisterCopies::createReduced(Value k, int64_t number,
                                                      Value stored) const {
  constexpr MatrixIndex kColumn = MatrixIndex::Column;
  const IndexMath &math = ptx.math;
  std::optional<Position> start;
  if (positions.access.getInnermostSize(kColumn) %
          (Tile::kRowBytes / elementBytes) ==
      0)
    start = positions.access.createPosition(kColumn, k);
  Value vector = createVectorNumber(number);
  Value first = math.mul(stored ? ptx.computeAfter(vector, stored) : vector,
                         Tile::kAccessBytes / elementBytes);
  Reduced reduced;
  for (int64_t i = 0; i < loaded.loadsOfVector(); ++i) {
    Value within = math.add(first, i * loaded.loadBytes / elementBytes);
    reduced.push_back(start ? positions.access.advance(*start, kColumn, within)
                            : positions.create(kColumn, math.add(k, within)));
  }
  return reduced;
}

SmallVector<Value> RegisterCopies::load(const Position &row,
                                        const Reduced &reduced,
                                        Value stored) const {
  Position here = row;
  if (stored)
    here.offset = ptx.computeAfter(row.offset, stored);
  SmallVector<Value> loads;
  for (const Position &ofElement : reduced) {
    Position position = positions.access.add(here, ofElement);
    // Up to 2^32 bytes: an offset in bytes may exceed 32 bits.
    Value address = LLVM::GEPOp::create(
        ptx.b, source.getType(), ptx.b.getIntegerType(8 * elementBytes), source,
        ArrayRef<LLVM::GEPArg>{positions.access.createOffset(position)});
    loads.push_back(
        ptx.load(address, loaded.loadBytes, positions.createGuard(position)));
  }
  return loads;
}

SmallVector<Value> RegisterCopies::createStored(ValueRange loads) const {
  ImplicitLocOpBuilder &b = ptx.b;
  // Elements are moved as integers: some vectors of bf16 and of 8-bit floats
  // have no instructions.
  bool isConverted = form.parts > 0;
  Type moved = isConverted ? element : b.getIntegerType(8 * elementBytes);
  SmallVector<Value> elements;
  for (Value load : loads) {
    int64_t count = loaded.loadBytes / elementBytes;
    Value cast = b.createOrFold<vector::BitCastOp>(
        VectorType::get({count}, moved), load);
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(vector::ExtractOp::create(b, cast, i));
  }
  auto join = [&](ArrayRef<Value> all) -> Value {
    auto type = VectorType::get({std::ssize(all)}, all.front().getType());
    Value joined = vector::FromElementsOp::create(b, type, all);
    auto words = VectorType::get({Tile::kAccessBytes / 4}, b.getI32Type());
    return b.createOrFold<vector::BitCastOp>(words, joined);
  };
  if (!isConverted)
    return {join(elements)};
  SmallVector<SmallVector<Value>> parts(form.parts);
  for (Value each : elements)
    for (auto [list, part] :
         llvm::zip_equal(parts, createTF32Parts(ptx, each, form.parts)))
      list.push_back(part);
  return llvm::map_to_vector(
      parts, [&](ArrayRef<Value> list) -> Value { return join(list); });
}

Value RegisterCopies::store(int64_t rowNumber, int64_t number, ValueRange loads,
                            Value destination) const {
  const IndexMath &math = ptx.math;
  int64_t firstRow = rowNumber * loaded.rowsAtOnce();
  // Rows that are stored at a time are a multiple of those that are swizzled.
  Value swizzled = math.bitXor(createVectorNumber(number),
                               math.rem(row, Tile::kSwizzledRows));
  Value place = ptx.offset(
      ptx.offset(destination, math.add(math.mul(row, Tile::kRowBytes),
                                       math.mul(swizzled, Tile::kAccessBytes))),
      firstRow * Tile::kRowBytes);
  SmallVector<Value> stored = createStored(loads);
  auto createStores = [&] {
    for (auto [part, value] : llvm::enumerate(stored))
      LLVM::StoreOp::create(
          ptx.b, value,
          ptx.offset(place, static_cast<int64_t>(part) * form.partBytes),
          Tile::kAccessBytes);
  };
  // Tiles of few columns end among the rows that lanes load at a time.
  if (firstRow + loaded.rowsAtOnce() <= tileRows)
    createStores();
  else
    ptx.createIf(math.below(row, tileRows - firstRow), createStores);
  return vector::ExtractOp::create(ptx.b, stored.front(), 0);
}

namespace {
/// A vector whose loads have started.
struct StartedVector {
  const LoadedTile *tile;
  int64_t row, number;
  SmallVector<Value> loads;

  Value store() const {
    return tile->copies.store(row, number, loads, tile->destination);
  }
};
} // namespace

void mlir::conv::createLoadedTiles(const PtxBuilder &ptx,
                                   ArrayRef<LoadedTile> tiles, Value k,
                                   function_ref<void()> waitForEmpty) {
  SmallVector<StartedVector> previous, round;
  bool isFirst = true;
  Value stored; ///< A word of the last round that was.
  auto finishRound = [&] {
    if (isFirst)
      waitForEmpty();
    isFirst = false;
    for (const StartedVector &vector : previous)
      stored = vector.store();
    previous = std::exchange(round, {});
  };
  int64_t loads = 0;
  for (const LoadedTile &tile : tiles)
    for (int64_t number = 0; number < tile.copies.vectorsOfLane(); ++number) {
      RegisterCopies::Reduced reduced =
          tile.copies.createReduced(k, number, stored);
      for (auto [row, position] : llvm::enumerate(tile.rows)) {
        round.push_back({&tile, static_cast<int64_t>(row), number,
                         tile.copies.load(position, reduced, stored)});
        loads += std::ssize(round.back().loads);
        if (loads < ::conv::LoadedOperands::kLoadsOfRound)
          continue;
        finishRound();
        loads = 0;
      }
    }
  finishRound();
  for (const StartedVector &vector : previous)
    vector.store();
}
