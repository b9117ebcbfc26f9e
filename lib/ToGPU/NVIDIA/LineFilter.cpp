//===- LineFilter.cpp - a filter that stays in shared memory ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is read once by each workgroup, element by element, since it may have any
// layout and its runs are not as long as groups.
//
//===----------------------------------------------------------------------===//

#include "LineFilter.h"

#include "LineOrder.h"

#include "../MatrixAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;
using Window = ::conv::LineWindow;

/// Groups of a row of 128 bytes.
static constexpr int64_t kGroupsPerRow =
    Tile::kRowElements / Window::kGroupElements;

/// Element `i` of a group of a column; zero if no tap has it.
static Value loadElement(const Kernel &kernel, const PtxBuilder &ptx,
                         const MatrixAccess &access, const Window &window,
                         Value column, Value group, int64_t i) {
  const IndexMath &math = ptx.math;
  LineElement element = createLineElement(ptx, window, group, math.constant(i));
  Value guard =
      math.both(element.isUsed, math.below(column, kernel.form.getColumns()));
  MatrixAccess::Position position = access.add(
      access.createPosition(MatrixIndex::Batch, kernel.math.constant(0)),
      access.createPosition(MatrixIndex::Row, kernel.math.cast(column)));
  position = access.add(
      position, access.createPosition(MatrixIndex::Column,
                                      kernel.math.cast(element.number)));
  Value loaded = kernel.load(kernel.arguments[1], access.createOffset(position),
                             access.createGuard(position, guard), 1);
  return vector::ExtractOp::create(ptx.b, loaded, 0);
}

void mlir::conv::createLineFilter(const Kernel &kernel, const PtxBuilder &ptx,
                                  const ::conv::LineTile &tile, Value memory) {
  const IndexMath &math = ptx.math;
  MatrixAccess access(kernel.math, kernel.form.rhs);
  int64_t groups = tile.window.countGroups();
  auto type =
      VectorType::get({Window::kGroupElements}, kernel.form.getOperandType());
  ptx.createFor(
      math.cast(kernel.workItem), math.constant(tile.tile.columns * groups),
      kernel.workItems, {}, [&](Value piece, ValueRange) {
        Value column = math.div(piece, groups);
        Value group = math.rem(piece, groups);
        SmallVector<Value> elements;
        for (int64_t i = 0; i < Window::kGroupElements; ++i)
          elements.push_back(
              loadElement(kernel, ptx, access, tile.window, column, group, i));
        Value row = math.add(
            math.mul(math.div(group, kGroupsPerRow), tile.tile.columns),
            column);
        Value inRow = math.bitXor(math.rem(group, kGroupsPerRow),
                                  math.rem(column, kGroupsPerRow));
        Value offset = math.add(math.mul(row, Tile::kRowBytes),
                                math.mul(inRow, kPieceBytes));
        LLVM::StoreOp::create(
            ptx.b, vector::FromElementsOp::create(ptx.b, type, elements),
            ptx.offset(memory, offset), kPieceBytes);
        return SmallVector<Value>();
      });
  ptx.fenceSharedForCopies();
}
