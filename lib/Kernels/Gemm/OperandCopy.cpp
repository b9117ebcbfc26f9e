//===- OperandCopy.cpp - tiles from global to shared memory -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has the reduction innermost, whatever the layout of the operand
// is. If rows are innermost in memory, a work-item loads blocks of several
// rows, column by column, and transposes them in registers.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include "JoinBytes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

TileOrder OperandCopy::getTileOrder(const Kernel &kernel,
                                    const MatrixAccess &access) {
  bool isTransposed =
      cast<StagedGemmAttr>(kernel.form.schedule.getKernel()).isAsync() &&
      kernel.chip.getLaneCopies() && areRowsNeighbours(access);
  return isTransposed ? TileOrder::AlongRows : TileOrder::AlongReduction;
}

OperandCopy::OperandCopy(const Kernel &kernel, const SharedTile &tile,
                         const Source &source)
    : kernel(kernel), tile(tile), access(source.access), buffer(source.buffer),
      rowCount(source.rows),
      shape(kernel, tile, access, cast<MemRefType>(buffer.getType()),
            source.rowRun) {
  vectors.resize(tile.getRows() * tile.getVectorsPerRow() / kernel.workItems);
  if (shape.async && kernel.chip.getLaneCopies())
    assignInLaneOrder();
  else if (shape.sharesElements)
    assignSharedElements();
  else if (areRowsNeighbours(access) || areRowsNearer(kernel, access))
    assignAlongColumn(source);
  else
    assignAlongRow();
  locate(source);
}

bool OperandCopy::isComplete() const {
  bool isAlongRows = tile.getOrder() == TileOrder::AlongRows;
  MatrixIndex index = isAlongRows ? MatrixIndex::Row : MatrixIndex::Column;
  bool isInOrder = shape.async && kernel.chip.getLaneCopies();
  return !isInOrder || (access.getVectorWidth(index, kernel.vectorElements()) ==
                            kernel.vectorElements() &&
                        (!isAlongRows || kernel.operandBytes() == 2));
}

void OperandCopy::locate(const Source &source) {
  const IndexMath &math = kernel.math;
  MatrixAccess::Position batch =
      access.createPosition(MatrixIndex::Batch, source.batch);
  for (Vector &own : vectors) {
    if (!own.operandRow)
      own.operandRow = source.rowOf(own.row);
    Value row = math.add(source.origin, own.operandRow);
    own.isRow = rowCount.isMultipleOf(tile.getRows())
                    ? math.yes()
                    : math.below(row, rowCount);
    own.start = access.add(batch, access.createPosition(MatrixIndex::Row, row));
    if (shape.fixesPlaces)
      fixPlace(own);
  }
}

/// The position of an element in its row, in the tile at `k`. If a step stays
/// within one innermost digit, only `k` is decoded, which is the same for all
/// work-items.
MatrixAccess::Position OperandCopy::findInRow(Value k, Value within) const {
  return shape.decodesOnce
             ? access.advance(access.createPosition(MatrixIndex::Column, k),
                              MatrixIndex::Column, within)
             : access.createPosition(MatrixIndex::Column,
                                     kernel.math.add(k, within));
}

/// The element at a position in the row of a vector, which is number `column`
/// of the row.
OperandCopy::Element
OperandCopy::findElement(const Vector &own, const MatrixAccess::Position &inRow,
                         Value column, Value guard,
                         std::optional<MatrixAccess::Congruence> known) const {
  const IndexMath &math = kernel.math;
  MatrixAccess::Position position = access.add(own.start, inRow);
  guard = access.createGuard(position, math.both(guard, own.isRow), known);
  SharedNumber reduction = kernel.getReduction();
  if (!reduction.isMultipleOf(kernel.gemmK()))
    guard = math.both(guard, math.below(column, reduction));
  return {access.createOffset(position), guard};
}

/// Element `step` of a vector, in the tile at `k`. Compilers do not see that a
/// vector has the same digits everywhere if their sizes are not constants.
OperandCopy::Element OperandCopy::findInVector(const Vector &own, Value k,
                                               int64_t step,
                                               Value guard) const {
  const IndexMath &math = kernel.math;
  int64_t length = kernel.vectorElements();
  Value first = math.mul(own.position, length);
  Value within = math.add(first, step);
  bool isMoved = !shape.decodesOnce &&
                 !access.hasEqualDigits(MatrixIndex::Column) &&
                 access.movesTogether(MatrixIndex::Column, length);
  return findElement(own,
                     isMoved ? access.advanceTogether(findInRow(k, first),
                                                      MatrixIndex::Column, step)
                             : findInRow(k, within),
                     math.add(k, within), guard,
                     MatrixAccess::Congruence{MatrixIndex::Column, step, length,
                                              /*ofDivisors=*/shape.hasPlaces});
}

/// Reinterprets the bits of a vector as elements of another type.
static Value castElements(ImplicitLocOpBuilder &b, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  return b.createOrFold<vector::BitCastOp>(type.clone(element), vector);
}

/// The loads of a block, from its places, moved by a distance in bytes.
SmallVector<Value> OperandCopy::loadFrom(ValueRange places,
                                         Value distance) const {
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({std::max(shape.width, shape.rowWidth)}, element);
  int64_t ofElement =
      access.getInnermostDistance(MatrixIndex::Column) * kernel.operandBytes();
  SmallVector<Value> loads;
  for (auto [place, count] : llvm::zip_equal(places, shape.loadsOfPlaces))
    for (int64_t load = 0; load < count; ++load)
      loads.push_back(PlacedLoadOp::create(
          kernel.b, type, buffer, place,
          bytes.add(distance, load * shape.width * ofElement), shape.lead));
  return loads;
}

/// Starts the loads of a vector, or of the block of `rowWidth` vectors that it
/// starts.
SmallVector<Value> OperandCopy::startLoads(const Vector &own, Value k,
                                           ValueRange shared,
                                           Value guard) const {
  if (shape.sharesElements)
    return startSharedElements(own, k, shared, guard);
  if (!shape.hasPlaces || (loadsPerBlock() == 1 && !shape.fixesPlaces)) {
    SmallVector<Value> loads;
    for (int64_t step = 0; step < kernel.vectorElements();
         step += shape.width) {
      Element from = findInVector(own, k, step, guard);
      loads.push_back(kernel.load(buffer, from.offset, from.guard,
                                  std::max(shape.width, shape.rowWidth)));
    }
    return loads;
  }
  Value distance = shape.fixesPlaces
                       ? shared.front()
                       : IndexMath(kernel.b, kernel.b.getI32Type()).constant(0);
  return loadFrom(locateVector(own, k, shared, guard), distance);
}

/// Assembles the loads of `startLoads` to `rowWidth` vectors. Single elements
/// are moved as integers: LLVM's x86 code generator, which simulated kernels go
/// through, supports bf16 only in vectors that stay whole.
SmallVector<Value> OperandCopy::joinLoads(ValueRange loads) const {
  ImplicitLocOpBuilder &b = kernel.b;
  if (loads.size() == 1)
    return {loads.front()};
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  if (kernel.chip.permutesBytes() && kernel.operandBytes() == 1) {
    auto bytes = llvm::map_to_vector(
        loads, [&](Value load) { return castElements(b, load, integer); });
    auto joined = shape.rowWidth > 1 ? joinBytesOfRows(b, bytes)
                                     : SmallVector<Value>{joinBytes(b, bytes)};
    return llvm::map_to_vector(
        joined, [&](Value row) { return castElements(b, row, element); });
  }
  SmallVector<SmallVector<Value>> rows(shape.rowWidth);
  for (Value load : loads) {
    Value loaded = castElements(b, load, integer);
    for (int64_t i = 0; i < std::max(shape.width, shape.rowWidth); ++i)
      rows[i % shape.rowWidth].push_back(
          vector::ExtractOp::create(b, loaded, i));
  }
  auto type = VectorType::get({kernel.vectorElements()}, integer);
  return llvm::map_to_vector(rows, [&](ArrayRef<Value> elements) -> Value {
    Value joined = vector::FromElementsOp::create(b, type, elements);
    return castElements(b, joined, element);
  });
}

void OperandCopy::copyVector(int64_t number, Value k, Value stage,
                             Value guard) const {
  const IndexMath &math = kernel.math;
  const Vector &own = vectors[number];
  if (kernel.chip.getLaneCopies()) {
    Value within = tile.getOrder() == TileOrder::AlongRows
                       ? own.position
                       : math.mul(own.position, shape.width);
    Element from =
        findElement(own, findInRow(k, within), math.add(k, within), guard);
    // Here, the index belongs to the first lane of the subgroup.
    Value first = math.add(ofSubgroup, number * kernel.workItems);
    kernel.copy(buffer, from.offset, from.guard, tile.getBuffer(),
                tile.locateNumber(stage, first), shape.width);
    return;
  }
  Value place = tile.locate(stage, own.row, own.position);
  for (int64_t step = 0; step < kernel.vectorElements(); step += shape.width) {
    Element from = findInVector(own, k, step, guard);
    Value to = kernel.b.createOrFold<arith::AddIOp>(
        place, arith::ConstantIndexOp::create(kernel.b, step));
    kernel.copy(buffer, from.offset, from.guard, tile.getBuffer(), to,
                shape.width, shape.sharesLines);
  }
}

void OperandCopy::startCopies(int64_t from, int64_t to, Value k, Value stage,
                              Value guard) const {
  for (int64_t number = from; number < to; ++number)
    copyVector(number, k, stage, guard);
}

SmallVector<Value> OperandCopy::start(Value k, Value stage, Value guard) const {
  SmallVector<Value> loads;
  for (size_t i = 0; i < vectors.size(); i += shape.rowWidth) {
    if (shape.async)
      copyVector(int64_t(i), k, stage, guard);
    else
      loads.append(startLoads(vectors[i], k, findShared(k), guard));
  }
  return loads;
}

SmallVector<Value> OperandCopy::startBlock(int64_t block, Value k,
                                           ValueRange places, ValueRange shared,
                                           Value guard) const {
  if (!shape.placeRun)
    return startLoads(vectors[block * shape.rowWidth], k, shared, guard);
  int64_t perBlock = std::ssize(shape.loadsOfPlaces);
  return loadFrom(places.slice(block * perBlock, perBlock),
                  createMovedBytes(k, shared));
}

void OperandCopy::finishBlock(int64_t block, ValueRange loads,
                              Value stage) const {
  ArrayRef<Vector> of =
      ArrayRef(vectors).slice(block * shape.rowWidth, shape.rowWidth);
  for (auto [own, elements] : llvm::zip_equal(of, joinLoads(loads)))
    tile.write(elements, stage, own.row, own.position);
}

void OperandCopy::finish(ValueRange loads, Value stage) const {
  for (int64_t block = 0; !loads.empty(); ++block) {
    finishBlock(block, loads.take_front(loadsPerBlock()), stage);
    loads = loads.drop_front(loadsPerBlock());
  }
}
