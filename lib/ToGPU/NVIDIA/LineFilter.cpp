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

#include "../MatrixAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;
using Window = ::conv::LineWindow;

/// Groups of a row of 128 bytes.
static constexpr int64_t kGroupsPerRow =
    Tile::kRowElements / Window::kGroupElements;

namespace {
/// One group of one column.
class FilterGroup {
public:
  FilterGroup(const Kernel &kernel, const PtxBuilder &ptx, const Window &window,
              Value column, Value group)
      : kernel(kernel), ptx(ptx), window(window), column(column),
        run(ptx.math.div(group, window.groupsPerRun())),
        first(ptx.math.sub(
            ptx.math.mul(ptx.math.rem(group, window.groupsPerRun()),
                         Window::kGroupElements),
            window.lead())) {}

  /// Element `i` of the group; zero if no tap has it.
  Value load(const MatrixAccess &access, int64_t i) const;

private:
  Value getTap(const Window::Dimension &dimension, Value number) const;

  const Kernel &kernel;
  const PtxBuilder &ptx;
  const Window &window;
  Value column, run;
  Value first; ///< Its first element's number in the run.
};
} // namespace

/// The digit of the tap with a number in memory.
Value FilterGroup::getTap(const Window::Dimension &dimension,
                          Value number) const {
  if (!dimension.isReversed)
    return number;
  return ptx.math.add(ptx.math.mul(number, -1), dimension.taps - 1);
}

Value FilterGroup::load(const MatrixAccess &access, int64_t i) const {
  const IndexMath &math = ptx.math;
  Value element = math.add(first, i);
  Value line = math.div(run, window.runsPerLine());
  Value tap = math.add(math.rem(run, window.runsPerLine()),
                       math.div(element, window.channels));
  Value number =
      math.add(math.mul(getTap(window.vertical, line), window.horizontal.taps),
               getTap(window.horizontal, tap));
  Value k = math.add(math.mul(number, window.channels),
                     math.rem(element, window.channels));
  Value guard = math.both(math.below(run, window.countRuns()),
                          math.below(element, window.runElements()));
  guard = math.both(guard, math.below(column, kernel.form.getColumns()));

  MatrixAccess::Position position = access.add(
      access.createPosition(MatrixIndex::Batch, kernel.math.constant(0)),
      access.createPosition(MatrixIndex::Row, kernel.math.cast(column)));
  position = access.add(position, access.createPosition(MatrixIndex::Column,
                                                        kernel.math.cast(k)));
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
        FilterGroup loader(kernel, ptx, tile.window, column, group);
        SmallVector<Value> elements;
        for (int64_t i = 0; i < Window::kGroupElements; ++i)
          elements.push_back(loader.load(access, i));
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
