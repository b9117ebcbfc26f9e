//===- MatrixCopies.cpp - copies of plain matrices ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of both operands are boxes of tensors, whose dimensions are rows, steps
// of the reduction, or a batch.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TensorMaps.h"
#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Operands are plain matrices: a step is one row of elements of a segment.
class MatrixCopies final : public TmaCopies {
public:
  using TmaCopies::TmaCopies;

  TensorMapAttr createLeftMap(MLIRContext *context) const override {
    return createMatrixMap(context, geometry, *geometry.leftMatrix, tile.rows,
                           rows);
  }
  TensorMapAttr createRightMap(MLIRContext *context) const override {
    return createMatrixMap(context, geometry, *geometry.rightMatrix,
                           tile.columns, rows);
  }
  SmallVector<Value> createTile(TileOrigin) const override { return {}; }
  void createStep(TileOrigin origin, ArrayRef<Value> common, const Step &step,
                  Value leftMap, Value rightMap) const override;

private:
  /// Copies the tile of an operand: `count` rows from `row` on.
  void createOperand(TileOrigin origin, const Step &step, Value map,
                     const TmaMatrix &matrix, Value row, int64_t count,
                     Value destination, Value barrier) const;
};

} // namespace

void MatrixCopies::createOperand(TileOrigin origin, const Step &step, Value map,
                                 const TmaMatrix &matrix, Value row,
                                 int64_t count, Value destination,
                                 Value barrier) const {
  using Digit = TmaMatrix::Digit;
  const IndexMath &math = ptx.math;
  auto createBox = [&](Value destination, Value row) {
    SmallVector<Value> coordinates;
    for (const TmaMatrix::Dimension &d : llvm::reverse(matrix.dimensions)) {
      Value index = d.digit == Digit::Row     ? row
                    : d.digit == Digit::Inner ? step.inner
                    : d.digit == Digit::Outer ? step.outer
                                              : createGroup(origin);
      if (d.partStep != 0) {
        Value slice =
            math.split(createPart(origin), geometry.partCounts)[d.part];
        index = math.add(index, math.mul(slice, d.partStep));
      }
      coordinates.push_back(index);
    }
    ptx.loadBox(destination, map, barrier, coordinates);
  };
  if (!matrix.isTransposed())
    return createBox(destination, row);
  // Rows in shared memory are then elements of the reduction.
  for (int64_t i = 0; i < count / rows.elements(); ++i)
    createBox(ptx.offset(destination, i * getBoxBytes()),
              math.add(row, i * rows.elements()));
}

void MatrixCopies::createStep(TileOrigin origin, ArrayRef<Value>,
                              const Step &step, Value leftMap,
                              Value rightMap) const {
  createLeft(step, [&](Value left, Value barrier) {
    createOperand(origin, step, leftMap, *geometry.leftMatrix, origin.row,
                  tile.rows, left, barrier);
  });
  createRight(step, [&](Value right, Value barrier) {
    createOperand(origin, step, rightMap, *geometry.rightMatrix, origin.column,
                  tile.rightColumns(), right, barrier);
  });
}

std::unique_ptr<TmaCopies>
mlir::conv::createMatrixCopies(const PtxBuilder &ptx,
                               const TmaGeometry &geometry,
                               const ::conv::TmaTile &tile) {
  return std::make_unique<MatrixCopies>(ptx, geometry, tile);
}
