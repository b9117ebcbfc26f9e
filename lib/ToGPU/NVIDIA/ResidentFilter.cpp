//===- ResidentFilter.cpp - the filter of a workgroup -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item loads eight elements of a column, and stores them as one piece of
// 16 bytes; then those of another column. The swizzle permutes the pieces of a
// row by its number.
//
//===----------------------------------------------------------------------===//

#include "ResidentFilter.h"

#include "../MatrixAccess.h"

#include "conv/Support/IntegerMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

static constexpr int64_t kPiecesPerRow = ::conv::FilterTile::kPiecesPerRow;
/// The named barrier of all consumers; those of each are in front of it.
static constexpr int64_t kConsumersBarrier = 4;
/// Columns whose loads a work-item has under way.
static constexpr int64_t kColumnsTogether = 8;

namespace {
/// What one load of a piece is along the reduction, whatever its column.
struct ReductionPart {
  MatrixAccess::Position position;
  Value isUsed;
};

class FilterLoader {
public:
  FilterLoader(const Kernel &kernel, const PtxBuilder &ptx,
               const FilterOrder &order)
      : kernel(kernel), ptx(ptx), order(order),
        access(kernel.math, kernel.form.rhs),
        width(order.run > 1
                  ? access.getVectorWidth(MatrixIndex::Column, order.run)
                  : 1) {}

  SmallVector<ReductionPart> locate(Value piece) const;
  /// The elements of a piece; zeros for those that the filter has not got.
  Value load(ArrayRef<ReductionPart> parts, Value column) const;

private:
  const Kernel &kernel;
  const PtxBuilder &ptx;
  const FilterOrder &order;
  MatrixAccess access;
  int64_t width; ///< Elements of a load.
};
} // namespace

SmallVector<ReductionPart> FilterLoader::locate(Value piece) const {
  MatrixAccess::Position batch =
      access.createPosition(MatrixIndex::Batch, kernel.math.constant(0));
  SmallVector<ReductionPart> parts;
  for (int64_t first = 0; first < Tile::kGranule; first += width) {
    ReductionElement element =
        order.getElement(piece, ptx.math.constant(first));
    MatrixAccess::Position position = access.createPosition(
        MatrixIndex::Column, kernel.math.cast(element.number));
    parts.push_back({access.add(batch, position), element.isUsed});
  }
  return parts;
}

Value FilterLoader::load(ArrayRef<ReductionPart> parts, Value column) const {
  const IndexMath &math = ptx.math;
  Value isColumn = math.below(column, kernel.form.getColumns());
  MatrixAccess::Position row =
      access.createPosition(MatrixIndex::Row, kernel.math.cast(column));
  SmallVector<Value> elements;
  for (const ReductionPart &part : parts) {
    MatrixAccess::Position position = access.add(part.position, row);
    Value guard = math.both(part.isUsed, isColumn);
    Value loaded =
        kernel.load(kernel.arguments[1], access.createOffset(position),
                    access.createGuard(position, guard), width);
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(vector::ExtractOp::create(ptx.b, loaded, i));
  }
  auto type = VectorType::get({Tile::kGranule}, kernel.form.getOperandType());
  return vector::FromElementsOp::create(ptx.b, type, elements);
}

/// Where a piece of a column is in the filter's shared memory, in bytes.
static Value createPlace(const IndexMath &math, const Tile &tile, Value column,
                         Value piece) {
  Value row =
      math.add(math.mul(math.div(piece, kPiecesPerRow), tile.columns), column);
  Value inRow = math.bitXor(math.rem(piece, kPiecesPerRow),
                            math.rem(column, kPiecesPerRow));
  return math.add(math.mul(row, Tile::kRowBytes), math.mul(inRow, kPieceBytes));
}

void mlir::conv::createFilter(const Kernel &kernel, const PtxBuilder &ptx,
                              const ::conv::FilterTile &tile,
                              const FilterOrder &order, Value consumer,
                              Value workItem, Value memory) {
  const IndexMath &math = ptx.math;
  int64_t columns = tile.tile.columns;
  int64_t workItems = tile.tile.consumers * Tile::kWarpgroupSize;
  Value number = math.add(math.mul(consumer, Tile::kWarpgroupSize), workItem);
  // Neighbours have pieces of the same column, and a work-item always the same
  // one: where that is in the reduction is computed once.
  int64_t across = std::min(order.pieces, workItems);
  int64_t down = workItems / across;
  int64_t together = std::min(::conv::ceilDiv(columns, down), kColumnsTogether);
  Value first = math.div(number, across);
  if (workItems % across != 0)
    first = ptx.b.createOrFold<arith::SelectOp>(math.below(first, down), first,
                                                math.constant(columns));
  FilterLoader loader(kernel, ptx, order);
  auto copy = [&](Value piece) {
    SmallVector<ReductionPart> parts = loader.locate(piece);
    ptx.createFor(
        first, math.constant(columns), down * together, {},
        [&](Value column, ValueRange) {
          SmallVector<std::pair<Value, Value>> loaded;
          for (int64_t i = 0; i < together; ++i) {
            Value next = math.add(column, i * down);
            loaded.push_back({next, loader.load(parts, next)});
          }
          for (auto [column, elements] : loaded)
            ptx.createIf(math.below(column, columns), [&] {
              Value place = createPlace(math, tile.tile, column, piece);
              LLVM::StoreOp::create(ptx.b, elements, ptx.offset(memory, place),
                                    kPieceBytes);
            });
          return SmallVector<Value>();
        });
  };
  ptx.createFor(math.rem(number, across), math.constant(order.pieces), across,
                {}, [&](Value piece, ValueRange) {
                  copy(piece);
                  return SmallVector<Value>();
                });
  ptx.fenceSharedForCopies();
  ptx.barrier(math.constant(kConsumersBarrier), workItems);
}
