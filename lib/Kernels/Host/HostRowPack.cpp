//===- HostRowPack.cpp - rows of an operand into scratch --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the left operand's part of a block, widened to f32. With the reduction
// innermost, it copies runs: the elements of a row until an outer digit of the
// column changes. Most runs are contiguous, and either inside or outside the
// tensor as a whole.
//
//===----------------------------------------------------------------------===//

#include "HostPack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class RowPack : HostPack {
public:
  RowPack(const Kernel &kernel, const HostBlock &block, Value scratch)
      : HostPack(kernel, block, kernel.form.lhs, kernel.arguments[0], scratch) {
  }

  using HostPack::packVectors;
  /// Packs a row of the matrix as row `inTile` of the tile.
  void packRow(Value row, Value inTile) const;

private:
  void copyElement(const MatrixAccess::Position &position, Value target) const;
  void copyRun(const MatrixAccess::Position &start, Value length,
               Value target) const;
};
} // namespace

void RowPack::copyElement(const MatrixAccess::Position &position,
                          Value target) const {
  Value element = code.loadGuarded(source, access.createOffset(position),
                                   access.createGuard(position, math.yes()),
                                   /*elements=*/1);
  code.store(code.widen(element), scratch, target);
}

void RowPack::copyRun(const MatrixAccess::Position &start, Value length,
                      Value target) const {
  int64_t distance = access.getInnermostDistance(MatrixIndex::Column);
  Value first = access.createOffset(start);
  auto copy = [&](Value step, int64_t elements) {
    Value offset = math.add(first, math.mul(step, distance));
    code.store(code.loadWide(source, offset, elements), scratch,
               math.add(target, step));
  };
  auto copyAll = [&](OpBuilder &, Location) {
    if (distance == 1)
      code.forEachVector(math.constant(0), length, copy);
    else
      code.forEach(math.constant(0), length, 1,
                   [&](Value step) { copy(step, 1); });
    scf::YieldOp::create(code.b);
  };
  auto clear = [&](OpBuilder &, Location) {
    code.forEachVector(
        math.constant(0), length, [&](Value step, int64_t elements) {
          code.storeZeros(elements, scratch, math.add(target, step));
        });
    scf::YieldOp::create(code.b);
  };
  if (access.isCheckedTogether(MatrixIndex::Column))
    scf::IfOp::create(code.b, access.createGuard(start, math.yes()), copyAll,
                      clear);
  else
    code.forEach(math.constant(0), length, 1, [&](Value step) {
      copyElement(access.advance(start, MatrixIndex::Column, step),
                  math.add(target, step));
    });
}

void RowPack::packRow(Value row, Value inTile) const {
  MatrixAccess::Position start = startOf(row);
  Value tileRow = math.mul(inTile, kernel.gemmK());
  code.forEachRun(block, access.getInnermostSize(MatrixIndex::Column),
                  [&](Value column, Value length) {
                    Value target = math.add(tileRow, code.sub(column, block.k));
                    copyRun(access.add(start, access.createPosition(
                                                  MatrixIndex::Column, column)),
                            length, target);
                  });
}

void mlir::conv::packHostRows(const Kernel &kernel, const HostBlock &block,
                              Value origin, Value scratch) {
  HostCode code(kernel);
  const IndexMath &math = kernel.math;
  RowPack pack(kernel, block, scratch);
  HostRowLayout layout = HostRowLayout::get(kernel);
  Value last = math.constant(kernel.form.getRows() - 1);
  auto clamp = [&](Value row) {
    return math.minimum(math.add(origin, row), last);
  };
  if (layout.isReductionOutermost())
    return code.forEach(
        math.constant(0), block.rows, kHostLanes, [&](Value row) {
          SmallVector<Value> group;
          for (int64_t i = 0; i < kHostLanes; ++i)
            group.push_back(clamp(math.add(row, i)));
          pack.packVectors(group, row, layout.reductionDistance);
        });
  Value rows =
      math.mul(math.div(math.add(block.rows, kernel.atom.n - 1), kernel.atom.n),
               kernel.atom.n);
  code.forEach(math.constant(0), rows, 1,
               [&](Value row) { pack.packRow(clamp(row), row); });
}
