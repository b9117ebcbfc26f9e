//===- EpilogueTensors.cpp - what an epilogue reads and writes ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that depends on a row is computed once per row, in a switch over
// the subproblems; columns are the same in all of them.
//
//===----------------------------------------------------------------------===//

#include "EpilogueTensors.h"

#include "TmaCopies.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OperationSupport.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// The lanes of a warp have this many columns side by side.
static constexpr int64_t kColumnsOfLanes = 8;

/// The accesses of lanes: those to the operands of the epilogue, then the
/// result's.
static std::vector<MatrixAccess> getAccesses(const Kernel &kernel) {
  std::vector<MatrixAccess> accesses;
  for (const MatrixOperand &operand : kernel.form.epilogueOperands)
    accesses.emplace_back(kernel.math, operand);
  accesses.emplace_back(kernel.math, kernel.form.result);
  return accesses;
}

EpilogueTensors::EpilogueTensors(const PtxBuilder &ptx,
                                 const ::conv::WarpgroupTile &tile,
                                 ArrayRef<Subproblem> subproblems,
                                 ColumnOrder order)
    : ptx(ptx), tile(tile), order(std::move(order)) {
  for (const Subproblem &each : subproblems)
    all.push_back({each, getAccesses(each.kernel)});
}

bool EpilogueTensors::areAlike(const ::conv::WarpgroupTile &tile,
                               const Subproblem &lhs, const Subproblem &rhs,
                               std::optional<size_t> copied) {
  const TiledConvolution &left = lhs.kernel.form, &right = rhs.kernel.form;
  const TmaResult &to = lhs.result, &other = rhs.result;
  bool isCopied = to.isCopied(tile);
  if (left.getColumns() != right.getColumns() ||
      lhs.kernel.math.getType() != rhs.kernel.math.getType() ||
      to.form != other.form || to.columns != other.columns ||
      to.groups != other.groups || isCopied != other.isCopied(tile) ||
      left.epilogueOperands.size() != right.epilogueOperands.size() ||
      !OperationEquivalence::isRegionEquivalentTo(
          &left.epilogue->getRegion(0), &right.epilogue->getRegion(0),
          OperationEquivalence::IgnoreLocations))
    return false;
  ArrayRef<Value> arguments = lhs.kernel.arguments;
  size_t operands = left.epilogueOperands.size();
  ArrayRef<Value> mine = arguments.take_back(operands + 1);
  ArrayRef<Value> others =
      ArrayRef(rhs.kernel.arguments).take_back(operands + 1);
  for (auto [i, access, of] :
       llvm::enumerate(getAccesses(lhs.kernel), getAccesses(rhs.kernel)))
    if (i < operands ? i != copied : !isCopied)
      if (mine[i] != others[i] || !access.differsOnlyInRows(of))
        return false;
  return true;
}

EpilogueTensors::Column EpilogueTensors::getColumn(const Columns &columns,
                                                   int64_t i) const {
  Value number = ptx.math.add(columns.lane, columns.inTile + i);
  if (order)
    return order(number);
  const Kernel &kernel = getKernel();
  int64_t count = kernel.form.getColumns();
  return {number, count % kernel.workgroupTile()[1] == 0
                      ? kernel.math.yes()
                      : ptx.math.below(number, count)};
}

int64_t EpilogueTensors::getWidth(size_t access) const {
  int64_t width = order ? 1 : 2;
  for (const Tensors &tensors : all)
    width = tensors.accesses[access].getVectorWidth(MatrixIndex::Column, width);
  return width;
}

int64_t EpilogueTensors::getColumnsOfStore() const {
  bool areAdjacent = !order && llvm::all_of(all, [&](const Tensors &tensors) {
    return tensors.accesses[getResult()].getInnermostDistance(
               MatrixIndex::Column) == 1;
  });
  return areAdjacent &&
                 getAccess(getResult()).getInnermostSize(MatrixIndex::Column) >=
                     getKernel().form.getColumns()
             ? getWidth(getResult())
             : 0;
}

int64_t EpilogueTensors::getRowsOfVector() const {
  int64_t width = ::conv::WarpgroupTile::kAccessBytes /
                  getElementBytes(getKernel().form.result.getElementType());
  for (const Tensors &tensors : all) {
    const MatrixAccess &access = tensors.accesses[getResult()];
    if (order || access.getInnermostDistance(MatrixIndex::Row) != 1)
      return 0;
    width = access.getVectorWidth(MatrixIndex::Row, width);
  }
  return width;
}

int64_t EpilogueTensors::getRowsOfLine() const {
  return getAccess(getResult()).getInnermostSize(MatrixIndex::Row);
}

bool EpilogueTensors::hasIndependentRows() const {
  return llvm::all_of(all, [&](const Tensors &tensors) {
    const MatrixAccess &access = tensors.accesses[getResult()];
    return access.hasLinearOffsets() &&
           access.isCheckedTogether(MatrixIndex::Column) &&
           access.getInnermostSize(MatrixIndex::Column) >=
               getKernel().form.getColumns();
  });
}

EpilogueTensors::Row EpilogueTensors::createRow(const SubproblemTile &origin,
                                                Value row) const {
  bool areAllUsed = llvm::all_of(all, [&](const Tensors &tensors) {
    return tensors.of.kernel.form.getRows() % tile.rows == 0;
  });
  // The values of a row as a list; all subproblems have as many coordinates.
  auto createValues = [&](const Tensors &tensors) {
    const IndexMath &math = tensors.of.kernel.math;
    SmallVector<Value> values;
    for (const MatrixAccess &access : tensors.accesses) {
      MatrixAccess::Position position = access.add(
          access.createPosition(MatrixIndex::Batch, math.cast(origin.batch)),
          access.createPosition(MatrixIndex::Row, math.cast(row)));
      values.push_back(position.offset);
      llvm::append_range(values, position.coordinates);
    }
    if (!areAllUsed)
      values.push_back(ptx.math.below(row, tensors.of.kernel.form.getRows()));
    return values;
  };
  SmallVector<Value> values =
      ptx.createSwitch(origin.subproblem, all.size(),
                       [&](int64_t i) { return createValues(all[i]); });
  Row result;
  ValueRange rest = values;
  for (const MatrixAccess &access : all.front().accesses) {
    size_t coordinates = access.countChecked();
    result.positions.push_back(
        {rest.front(), llvm::to_vector_of<Value, 3>(
                           rest.drop_front().take_front(coordinates))});
    rest = rest.drop_front(1 + coordinates);
  }
  if (!areAllUsed)
    result.isUsed = rest.front();
  return result;
}

MatrixAccess::Position EpilogueTensors::locate(size_t access, const Row &row,
                                               const Columns &columns,
                                               int64_t i, Value number) const {
  const MatrixAccess &of = getAccess(access);
  const IndexMath &math = getKernel().math;
  auto createColumn = [&](Value column) {
    return of.createPosition(MatrixIndex::Column, math.cast(column));
  };
  // Joined dgrad phases are outer digits of columns. All columns up to the next
  // multiple of `run` have the same ones, which are therefore split off once.
  int64_t innermost = of.getInnermostSize(MatrixIndex::Column);
  int64_t run = std::gcd(innermost, tile.columns);
  if (order || innermost >= getKernel().form.getColumns() ||
      run % kColumnsOfLanes != 0)
    return of.add(row.positions[access], createColumn(number));
  int64_t inRun = columns.inTile % run;
  MatrixAccess::Position first =
      createColumn(ptx.math.add(columns.lane, columns.inTile - inRun));
  return of.add(row.positions[access], of.advance(first, MatrixIndex::Column,
                                                  math.constant(inRun + i)));
}

Value EpilogueTensors::createGuard(const Row &row, Column column) const {
  return row.isUsed ? getKernel().math.both(column.isUsed, row.isUsed)
                    : column.isUsed;
}

Value EpilogueTensors::load(size_t operand, const Row &row,
                            const Columns &columns) const {
  const Kernel &kernel = getKernel();
  const MatrixAccess &access = getAccess(operand);
  // If all rows share an operand, only the column needs a guard.
  bool haveRows = !llvm::all_of(all, [&](const Tensors &tensors) {
    return tensors.accesses[operand].isBroadcast(MatrixIndex::Row);
  });
  SmallVector<Value> elements;
  int64_t width = getWidth(operand);
  for (int64_t i = 0; i < 2; i += width) {
    Column own = getColumn(columns, i);
    MatrixAccess::Position position =
        locate(operand, row, columns, i, own.number);
    Value guard = access.createGuard(position, haveRows ? createGuard(row, own)
                                                        : own.isUsed);
    Value loaded = kernel.load(kernel.epilogueArguments()[operand],
                               access.createOffset(position), guard, width);
    if (width == 2)
      return loaded;
    elements.push_back(vector::ExtractOp::create(ptx.b, loaded, 0));
  }
  return vector::FromElementsOp::create(
      ptx.b, VectorType::get({2}, elements.front().getType()), elements);
}

EpilogueTensors::Element EpilogueTensors::getElement(const Row &row,
                                                     const Columns &columns,
                                                     Column own,
                                                     int64_t i) const {
  const MatrixAccess &access = getAccess(getResult());
  MatrixAccess::Position position =
      locate(getResult(), row, columns, i, own.number);
  return {access.createOffset(position),
          access.createGuard(position, createGuard(row, own))};
}

void EpilogueTensors::store(Value elements, const Element &first) const {
  const Kernel &kernel = getKernel();
  kernel.store(elements, kernel.arguments.back(), first.offset, first.guard);
}

void EpilogueTensors::store(Value pair, const Row &row,
                            const Columns &columns) const {
  int64_t width = getWidth(getResult());
  for (int64_t i = 0; i < 2; i += width) {
    Element first = getElement(row, columns, getColumn(columns, i), i);
    store(vector::ExtractStridedSliceOp::create(
              ptx.b, pair, ArrayRef{i}, ArrayRef{width}, ArrayRef{int64_t(1)}),
          first);
  }
}

/// Whether boxes of both results start at the same places but for a constant
/// distance, as those of dgrad phases of equal size do.
static bool areMoved(const TmaResult &lhs, const TmaResult &rhs) {
  auto getStride = [](const TmaWindow::Dimension &d) { return d.stride; };
  return lhs.form == TmaResult::Form::Positions &&
         lhs.window.getPositions() == rhs.window.getPositions() &&
         llvm::equal(llvm::map_range(lhs.window.dimensions, getStride),
                     llvm::map_range(rhs.window.dimensions, getStride));
}

/// The distance from a box of one result to the same box of the other, for each
/// coordinate of a corner.
static SmallVector<Value> createDistance(const IndexMath &math,
                                         const TmaResult &from,
                                         const TmaResult &to) {
  SmallVector<Value> distance = {math.constant(0)}; // Columns.
  for (auto [start, end] :
       llvm::reverse(llvm::zip(from.window.dimensions, to.window.dimensions)))
    distance.push_back(math.constant(start.low - end.low));
  distance.push_back(math.constant(0)); // Images.
  return distance;
}

EpilogueTensors::Box
EpilogueTensors::createBox(const SubproblemTile &origin) const {
  const TmaResult &first = all.front().of.result;
  // Digits of positions are then computed once, and selecting constants needs
  // no branches.
  bool areAllMoved =
      all.size() > 1 && llvm::all_of(all, [&](const Tensors &tensors) {
        return areMoved(first, tensors.of.result);
      });
  SmallVector<Value> values =
      ptx.createSwitch(origin.subproblem, all.size(), [&](int64_t i) {
        const auto &[kernel, result] = all[i].of;
        SmallVector<Value> values =
            areAllMoved ? createDistance(ptx.math, first, result)
                        : createResultCorner(ptx, result, origin);
        values.push_back(kernel.arguments.back());
        return values;
      });
  Value map = values.pop_back_val();
  if (areAllMoved)
    for (auto [value, start] :
         llvm::zip_equal(values, createResultCorner(ptx, first, origin)))
      value = ptx.math.add(start, value);
  return {map, std::move(values)};
}
