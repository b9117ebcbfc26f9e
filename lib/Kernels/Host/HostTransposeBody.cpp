//===- HostTransposeBody.cpp - transforms that transpose tiles ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are contiguous in the source of a transform, and columns in its result.
// Squares of vectors are loaded along rows, transposed in registers, and stored
// along columns. The last square of a run starts within the one before it, so
// that all are whole. Runs that are shorter, and transforms whose rows are
// partly outside, are copied element by element.
//
//===----------------------------------------------------------------------===//

#include "../Parts/EpilogueOps.h"
#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/Host/HostTranspose.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class HostTransposedTile {
public:
  HostTransposedTile(const Kernel &kernel, const TileOrigin &origin,
                     const HostBlock &block)
      : kernel(kernel), math(kernel.math), code(kernel), origin(origin),
        block(block), sourceAccess(math, kernel.form.epilogueOperands.front()),
        resultAccess(math, kernel.form.result),
        source(code.flatten(kernel.epilogueArguments().front())),
        result(code.flatten(kernel.arguments.back())) {}

  /// The side of squares, or 0 without any.
  int64_t computeSide() const;
  void create(int64_t side) const;

private:
  /// Copies `count` neighbours along rows and columns.
  struct Area {
    Value row, rows, column, columns;
  };
  void createSquares(const Area &area, int64_t side) const;
  void createElements(const Area &area) const;
  void createSquare(Value row, Value column, int64_t side) const;
  MatrixAccess::Position locate(const MatrixAccess &access, Value row,
                                Value column) const;

  const Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  const TileOrigin &origin;
  const HostBlock &block;
  MatrixAccess sourceAccess, resultAccess;
  Value source, result;
};
} // namespace

int64_t HostTransposedTile::computeSide() const {
  if (!sourceAccess.hasLinearOffsets() || resultAccess.isChecked() ||
      !sourceAccess.isCheckedTogether(MatrixIndex::Row))
    return 0;
  int64_t most =
      std::min({code.lanes, sourceAccess.getInnermostSize(MatrixIndex::Row),
                resultAccess.getInnermostSize(MatrixIndex::Column),
                kernel.form.getTile()[1], kernel.form.getTile()[2]});
  return most < kHostLanes ? 0 : int64_t(llvm::bit_floor(uint64_t(most)));
}

MatrixAccess::Position HostTransposedTile::locate(const MatrixAccess &access,
                                                  Value row,
                                                  Value column) const {
  return access.add(
      access.createPosition(MatrixIndex::Batch, origin.batch),
      access.add(access.createPosition(MatrixIndex::Row, row),
                 access.createPosition(MatrixIndex::Column, column)));
}

void HostTransposedTile::createSquare(Value row, Value column,
                                      int64_t side) const {
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < side; ++i) {
    MatrixAccess::Position position =
        locate(sourceAccess, row, math.add(column, i));
    Value loaded =
        code.loadGuarded(source, sourceAccess.createOffset(position),
                         sourceAccess.createGuard(position, math.yes()), side);
    vectors.push_back(
        createEpilogueResults(code.b, kernel.form.epilogue, loaded).front());
  }
  for (auto [i, vector] : llvm::enumerate(transpose(code.b, vectors)))
    code.store(vector, result,
               resultAccess.createOffset(
                   locate(resultAccess, math.add(row, int64_t(i)), column)));
}

void HostTransposedTile::createSquares(const Area &area, int64_t side) const {
  auto clamp = [&](Value start, Value step, Value length) {
    return math.add(start,
                    math.minimum(step, code.sub(length, math.constant(side))));
  };
  Value zero = math.constant(0);
  code.forEach(zero, area.rows, side, [&](Value row) {
    code.forEach(zero, area.columns, side, [&](Value column) {
      createSquare(clamp(area.row, row, area.rows),
                   clamp(area.column, column, area.columns), side);
    });
  });
}

void HostTransposedTile::createElements(const Area &area) const {
  HostEpilogue epilogue(code, MatrixIndex::Column, kernel.form.getColumns());
  code.forEach(math.constant(0), area.rows, 1, [&](Value row) {
    epilogue.create({origin.batch, math.add(area.row, row), area.column},
                    area.columns, /*loadSums=*/nullptr);
  });
}

void HostTransposedTile::create(int64_t side) const {
  if (side == 0)
    return createElements(
        {origin.row, block.rows, origin.column, block.columns});
  auto createArea = [&](const Area &area) {
    auto isLong = [&](Value length) {
      return arith::CmpIOp::create(code.b, arith::CmpIPredicate::sge, length,
                                   math.constant(side));
    };
    scf::IfOp::create(
        code.b, math.both(isLong(area.rows), isLong(area.columns)),
        [&](OpBuilder &, Location) {
          createSquares(area, side);
          scf::YieldOp::create(code.b);
        },
        [&](OpBuilder &, Location) {
          createElements(area);
          scf::YieldOp::create(code.b);
        });
  };
  code.forEachRun(
      origin.row, block.rows, sourceAccess.getInnermostSize(MatrixIndex::Row),
      [&](Value row, Value rows) {
        code.forEachRun(origin.column, block.columns,
                        resultAccess.getInnermostSize(MatrixIndex::Column),
                        [&](Value column, Value columns) {
                          createArea({row, rows, column, columns});
                        });
      });
}

LogicalResult mlir::conv::createHostTransposeBody(Kernel &kernel,
                                                  gpu::GPUFuncOp) {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  HostBlock block = clipToResult(kernel, origin);
  HostTransposedTile tile(kernel, origin, block);
  tile.create(tile.computeSide());
  return success();
}
