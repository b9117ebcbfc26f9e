//===- TransposeBody.cpp - transforms that transpose tiles ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup loads a tile along its rows, which are contiguous in the source,
// or every second, third or fourth element of a line, and stores it along its
// columns, which are contiguous in the result. In
// between, the tile is in shared memory, column by column:
//
//            rows in vectors of 16 bytes
//          ┌────┬────┬────┬────
//   col 0  │ 0  │ 1  │ 2  │ ...     The vectors of a column are permuted by
//   ...    │    │    │    │         an exclusive-or with the number of its
//   col 8  │ 1  │ 0  │ 3  │ ...     vector of columns, so that lanes that read
//          └────┴────┴────┴────     one row of several find different banks.
//
// Elements of another type than the result's are converted on their way there.
//
//===----------------------------------------------------------------------===//

#include "../Parts/MatrixAccess.h"
#include "../Parts/SharedMemory.h"
#include "../Parts/TileScheduler.h"
#include "ElementwiseBody.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Whether it yields what it reads, at most converted.
static bool isCopy(linalg::GenericOp epilogue) {
  Value yielded = epilogue.getBody()->getTerminator()->getOperand(0);
  if (auto converted = yielded.getDefiningOp<arith::ExtFOp>())
    yielded = converted.getIn();
  return yielded == epilogue.getBody()->getArgument(0);
}

int64_t mlir::conv::getTurnedDistance(const TiledConvolution &form,
                                      const ::conv::ChipInfo &chip) {
  // Element-wise kernels have the same schedule, but compute something.
  if (!form.transformSchedule || form.epilogueOperands.size() != 1 ||
      !form.otherResults.empty() || !isCopy(form.epilogue))
    return 0;
  return getTurnedDistance(form.epilogueOperands.front().getViewed(),
                           form.result.getViewed(), chip);
}

namespace {
/// A digit of a view: how many values it has, and the distance of two
/// neighbours in memory.
struct Digit {
  int64_t size = 1, distance = 0;
};
} // namespace

/// The innermost digit of rows or columns that has more than one value.
/// `MatrixAccess` knows it where a kernel is built, but schedules ask before
/// that.
static Digit getInnermostDigit(const ViewedTensor &tensor, MatrixIndex index) {
  ViewAttr view = tensor.view;
  size_t batch = view.getBatch().size(), rows = view.getRows().size();
  bool areRows = index == MatrixIndex::Row;
  size_t first = areRows ? batch : batch + rows;
  size_t count = areRows ? rows : view.getColumns().size();
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<int64_t> distances = getDistances(tensor);
  for (size_t digit = first + count; digit-- > first;)
    if (sizes[digit] > 1)
      return {sizes[digit], distances[digit]};
  return {};
}

int64_t mlir::conv::getTurnedDistance(const ViewedTensor &source,
                                      const ViewedTensor &result,
                                      const ::conv::ChipInfo &chip) {
  Digit row = getInnermostDigit(source, MatrixIndex::Row);
  Digit column = getInnermostDigit(source, MatrixIndex::Column);
  const ::conv::TransformCalibration &fit = chip.calibration->transform;
  bool skips = row.distance > 1 && row.distance <= fit.mostTurnedDistance &&
               column.size >= fit.fewestSkippedColumns &&
               row.size >= fit.fewestSkippedRows;
  return (row.distance == 1 || skips) && column.distance != 1 &&
                 getInnermostDigit(result, MatrixIndex::Column).distance == 1
             ? row.distance
             : 0;
}

namespace {

class TransposedTile {
public:
  TransposedTile(const Kernel &kernel, Value buffer);
  void create() const;

private:
  /// One of both tensors, the index along which it is accessed, and the number
  /// of elements per access.
  struct Side {
    const MatrixOperand &operand;
    Value argument;
    MatrixAccess access;
    MatrixIndex along;
    int64_t width;
  };
  /// One access of a work-item.
  struct Unit {
    Value row, column;
  };

  Side createSide(const MatrixOperand &operand, Value argument,
                  MatrixIndex along) const;
  int64_t countUnits(const Side &side) const {
    return llvm::divideCeil(rows * columns / side.width, kernel.workItems);
  }
  Unit locate(const Side &side, int64_t number) const;
  /// Whether the tile has the unit: small tiles have fewer than work-items.
  Value isInTile(const Side &side, const Unit &unit) const;
  Value isInMatrix(const Unit &unit) const;
  MatrixAccess::Position getPosition(const Side &side, const Unit &unit) const;
  /// The index of an element in shared memory.
  Value getPlace(Value row, Value column) const;
  Value load(const Unit &unit) const;
  void writeShared(const Unit &unit, Value elements) const;
  Value readShared(const Unit &unit) const;
  void store(const Unit &unit, Value elements) const;

  const Kernel &kernel;
  const IndexMath &math;
  Value buffer;
  int64_t rows, columns; ///< Size of the tile.
  int64_t vector;        ///< Elements of 16 bytes, or of a short column.
  TileOrigin origin;
  Side source, result;
};

} // namespace

TransposedTile::Side TransposedTile::createSide(const MatrixOperand &operand,
                                                Value argument,
                                                MatrixIndex along) const {
  MatrixAccess access(math, operand);
  int64_t length = along == MatrixIndex::Row ? rows : columns;
  // Places in shared memory are permuted by vectors of results.
  int64_t most = kVectorBytes / getElementBytes(kernel.form.result.getType());
  return {operand, argument, access, along,
          access.getVectorWidth(along, std::min(length, most))};
}

TransposedTile::TransposedTile(const Kernel &kernel, Value buffer)
    : kernel(kernel), math(kernel.math), buffer(buffer),
      rows(kernel.form.getTile()[1]), columns(kernel.form.getTile()[2]),
      vector(std::min(rows, kVectorBytes /
                                getElementBytes(kernel.form.result.getType()))),
      origin(TileRaster(kernel.form).createOrigin(math, kernel.workgroup)),
      source(createSide(kernel.form.epilogueOperands.front(),
                        kernel.epilogueArguments().front(), MatrixIndex::Row)),
      result(createSide(kernel.form.result, kernel.arguments.back(),
                        MatrixIndex::Column)) {}

TransposedTile::Unit TransposedTile::locate(const Side &side,
                                            int64_t number) const {
  Value id = math.add(kernel.workItem, number * kernel.workItems);
  bool isAlongRows = side.along == MatrixIndex::Row;
  int64_t perLine = (isAlongRows ? rows : columns) / side.width;
  Value line = math.div(id, perLine);
  Value inLine = math.mul(math.rem(id, perLine), side.width);
  return isAlongRows ? Unit{inLine, line} : Unit{line, inLine};
}

Value TransposedTile::isInTile(const Side &side, const Unit &unit) const {
  if (rows * columns / side.width % kernel.workItems == 0)
    return math.yes();
  return side.along == MatrixIndex::Row ? math.below(unit.column, columns)
                                        : math.below(unit.row, rows);
}

Value TransposedTile::isInMatrix(const Unit &unit) const {
  return math.both(
      math.below(math.add(origin.row, unit.row), kernel.form.getRows()),
      math.below(math.add(origin.column, unit.column),
                 kernel.form.getColumns()));
}

MatrixAccess::Position TransposedTile::getPosition(const Side &side,
                                                   const Unit &unit) const {
  const MatrixAccess &access = side.access;
  return access.add(
      access.createPosition(MatrixIndex::Batch, origin.batch),
      access.add(access.createPosition(MatrixIndex::Row,
                                       math.add(origin.row, unit.row)),
                 access.createPosition(MatrixIndex::Column,
                                       math.add(origin.column, unit.column))));
}

Value TransposedTile::getPlace(Value row, Value column) const {
  int64_t vectors = rows / vector;
  Value twist = math.rem(math.div(column, vector), vectors);
  Value place = math.mul(math.bitXor(math.div(row, vector), twist), vector);
  Value inColumn = math.add(place, math.rem(row, vector));
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(),
                                    math.add(math.mul(column, rows), inColumn));
}

Value TransposedTile::load(const Unit &unit) const {
  MatrixAccess::Position position = getPosition(source, unit);
  Value guard = math.both(isInTile(source, unit), isInMatrix(unit));
  return kernel.load(source.argument, source.access.createOffset(position),
                     source.access.createGuard(position, guard), source.width);
}

void TransposedTile::writeShared(const Unit &unit, Value elements) const {
  auto type = cast<VectorType>(elements.getType());
  auto stored = VectorType::get(type.getShape(), kernel.form.getResultType());
  if (type != stored)
    elements = arith::ExtFOp::create(kernel.b, stored, elements);
  auto write = [&](OpBuilder &, Location) {
    vector::StoreOp::create(kernel.b, elements, buffer,
                            getPlace(unit.row, unit.column));
    scf::YieldOp::create(kernel.b);
  };
  scf::IfOp::create(kernel.b, isInTile(source, unit), write);
}

Value TransposedTile::readShared(const Unit &unit) const {
  Type element = kernel.form.getResultType();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < result.width; ++i)
    elements.push_back(memref::LoadOp::create(
        kernel.b, buffer, getPlace(unit.row, math.add(unit.column, i))));
  return vector::FromElementsOp::create(
      kernel.b, VectorType::get({result.width}, element), elements);
}

void TransposedTile::store(const Unit &unit, Value elements) const {
  MatrixAccess::Position position = getPosition(result, unit);
  kernel.store(elements, result.argument, result.access.createOffset(position),
               result.access.createGuard(position, isInMatrix(unit)));
}

void TransposedTile::create() const {
  // All loads are issued before the first one is waited for.
  SmallVector<std::pair<Unit, Value>> loaded;
  for (int64_t i = 0; i < countUnits(source); ++i) {
    Unit unit = locate(source, i);
    loaded.push_back({unit, load(unit)});
  }
  for (auto &[unit, elements] : loaded)
    writeShared(unit, elements);
  gpu::BarrierOp::create(kernel.b);
  for (int64_t i = 0; i < countUnits(result); ++i) {
    Unit unit = locate(result, i);
    auto write = [&](OpBuilder &, Location) {
      store(unit, readShared(unit));
      scf::YieldOp::create(kernel.b);
    };
    scf::IfOp::create(kernel.b, isInTile(result, unit), write);
  }
}

LogicalResult mlir::conv::createTransposeBody(Kernel &kernel,
                                              gpu::GPUFuncOp function) {
  auto [batch, rows, columns] = kernel.form.getTile();
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({rows * columns}, kernel.form.getResultType(),
                              AffineMap(), space);
  Value buffer = allocateShared(kernel, function, {type}).front();
  TransposedTile(kernel, buffer).create();
  return success();
}
