//===- MatrixCopies.cpp - copies of matrices ------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of both operands are boxes of tensors. The numbers of a matrix, of rows
// and of a step are split into the digits that say where a box starts.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TensorMaps.h"
#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// Operands are matrices: a step is one row of elements of a segment.
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
  const IndexMath &math = ptx.math;
  auto createBox = [&](Value destination, Value row) {
    SmallVector<Value> digits = math.split(origin.batch, matrix.batch);
    llvm::append_range(digits, math.split(row, matrix.rows));
    llvm::append_range(digits, math.split(step.outer, geometry.segmentDigits));
    digits.push_back(step.inner);
    SmallVector<Value> coordinates;
    for (const TmaMatrix::Dimension &d : llvm::reverse(matrix.dimensions)) {
      Value coordinate = math.constant(d.start);
      for (auto [digit, one] : llvm::zip_equal(digits, d.steps))
        if (one != 0)
          coordinate = math.add(coordinate, math.mul(digit, one));
      coordinates.push_back(coordinate);
    }
    ptx.loadBox(destination, map, barrier, coordinates);
  };
  // Rows in shared memory are elements of the reduction if rows are innermost.
  bool isTransposed = matrix.isTransposed();
  int64_t boxRows = isTransposed ? rows.elements() : matrix.countBoxRows(count);
  int64_t boxBytes = isTransposed ? getBoxBytes() : boxRows * rows.bytes;
  for (int64_t i = 0; i < count / boxRows; ++i)
    createBox(ptx.offset(destination, i * boxBytes),
              math.add(row, i * boxRows));
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
                               const ::conv::WarpgroupTile &tile) {
  return std::make_unique<MatrixCopies>(ptx, geometry, tile);
}
