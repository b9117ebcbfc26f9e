//===- ResidentFilter.cpp - the filter of a workgroup -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item loads eight elements of one column, and stores them as one piece
// of 16 bytes. The swizzle permutes the pieces of a row by its number.
//
//===----------------------------------------------------------------------===//

#include "ResidentFilter.h"

#include "../MatrixAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

static constexpr int64_t kPiecesPerRow = ::conv::FilterTile::kPiecesPerRow;

namespace {
class FilterLoader {
public:
  FilterLoader(const Kernel &kernel, const PtxBuilder &ptx,
               const FilterOrder &order)
      : kernel(kernel), ptx(ptx), order(order),
        access(kernel.math, kernel.form.rhs),
        width(order.run > 1
                  ? access.getVectorWidth(MatrixIndex::Column, order.run)
                  : 1) {}

  /// The elements of a piece; zeros for those that the filter has not got.
  Value load(Value column, Value piece) const;

private:
  Value loadElements(Value column, Value piece, int64_t first) const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const FilterOrder &order;
  MatrixAccess access;
  int64_t width; ///< Elements of a load.
};
} // namespace

Value FilterLoader::loadElements(Value column, Value piece,
                                 int64_t first) const {
  const IndexMath &math = ptx.math;
  ReductionElement element = order.getElement(piece, math.constant(first));
  Value guard =
      math.both(element.isUsed, math.below(column, kernel.form.getColumns()));
  MatrixAccess::Position position = access.add(
      access.createPosition(MatrixIndex::Batch, kernel.math.constant(0)),
      access.createPosition(MatrixIndex::Row, kernel.math.cast(column)));
  position = access.add(
      position, access.createPosition(MatrixIndex::Column,
                                      kernel.math.cast(element.number)));
  return kernel.load(kernel.arguments[1], access.createOffset(position),
                     access.createGuard(position, guard), width);
}

Value FilterLoader::load(Value column, Value piece) const {
  SmallVector<Value> elements;
  for (int64_t first = 0; first < Tile::kGranule; first += width) {
    Value loaded = loadElements(column, piece, first);
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(vector::ExtractOp::create(ptx.b, loaded, i));
  }
  auto type = VectorType::get({Tile::kGranule}, kernel.form.getOperandType());
  return vector::FromElementsOp::create(ptx.b, type, elements);
}

void mlir::conv::createFilter(const Kernel &kernel, const PtxBuilder &ptx,
                              const ::conv::FilterTile &tile,
                              const FilterOrder &order, Value workItem,
                              int64_t workItems, Value memory) {
  const IndexMath &math = ptx.math;
  int64_t columns = tile.tile.columns;
  FilterLoader loader(kernel, ptx, order);
  ptx.createFor(
      workItem, math.constant(columns * order.pieces), workItems, {},
      [&](Value number, ValueRange) {
        Value column = math.div(number, order.pieces);
        Value piece = math.rem(number, order.pieces);
        Value row =
            math.add(math.mul(math.div(piece, kPiecesPerRow), columns), column);
        Value inRow = math.bitXor(math.rem(piece, kPiecesPerRow),
                                  math.rem(column, kPiecesPerRow));
        Value offset = math.add(math.mul(row, Tile::kRowBytes),
                                math.mul(inRow, kPieceBytes));
        LLVM::StoreOp::create(ptx.b, loader.load(column, piece),
                              ptx.offset(memory, offset), kPieceBytes);
        return SmallVector<Value>();
      });
  ptx.fenceSharedForCopies();
}
