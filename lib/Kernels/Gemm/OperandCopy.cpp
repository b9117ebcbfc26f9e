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

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// The largest power of two that divides `value`.
static int64_t powerOfTwoIn(int64_t value) { return value & -value; }

/// Whether rows, and not the reduction, are adjacent in memory.
static bool areRowsNeighbours(const MatrixAccess &access) {
  return access.getInnermostDistance(MatrixIndex::Column) != 1 &&
         access.getInnermostDistance(MatrixIndex::Row) == 1;
}

TileOrder OperandCopy::getTileOrder(const Kernel &kernel,
                                    const MatrixOperand &operand) {
  bool isTransposed =
      cast<StagedGemmAttr>(kernel.form.schedule.getKernel()).isAsync() &&
      kernel.chip.getLaneCopies() &&
      areRowsNeighbours(MatrixAccess(kernel.math, operand));
  return isTransposed ? TileOrder::AlongRows : TileOrder::AlongReduction;
}

OperandCopy::OperandCopy(const Kernel &kernel, const SharedTile &tile,
                         const Source &source)
    : kernel(kernel), tile(tile), access(kernel.math, source.operand),
      buffer(source.buffer), rowCount(source.operand.view.getShape()[1]) {
  pieces.resize(tile.getRows() * tile.getPiecesPerRow() / kernel.workItems);
  bool isAsyncLoop =
      cast<StagedGemmAttr>(kernel.form.schedule.getKernel()).isAsync();
  bool rowsFollow = areRowsNeighbours(access);
  if (isAsyncLoop && kernel.chip.getLaneCopies()) {
    width = kernel.pieceElements();
    async = true;
    assignInLaneOrder();
  } else if (rowsFollow) {
    int64_t limit = std::min<int64_t>(
        {kernel.pieceElements(), source.rowRun, powerOfTwoIn(pieces.size())});
    rowWidth = access.getVectorWidth(MatrixIndex::Row, limit);
    assignAlongColumn();
  } else {
    width = access.getVectorWidth(MatrixIndex::Column, kernel.pieceElements());
    async = isAsyncLoop &&
            kernel.chip.copiesWithoutRegisters(width * kernel.operandBytes());
    assignAlongRow();
  }
  locate(source);
  loadsOfPlaces = countLoadsOfPlaces();
  placeRun = computePlaceRun();
}

/// Buffer instructions of AMD chips add an offset that all lanes share.
bool OperandCopy::hasPlaces() const {
  auto type = cast<MemRefType>(buffer.getType());
  return kernel.chip.backend == ::conv::Backend::AMDGPU && !async &&
         type.getNumElements() * kernel.operandBytes() < (int64_t(1) << 31);
}

/// MFMA hides vector instructions that are spread over a step. New places at
/// the start of a step, which runs shorter than the reduction need, cost more
/// in conv-clock, unless the loads are joined in a loop with one stage: they
/// all start after a fence, between two barriers.
int64_t OperandCopy::computePlaceRun() const {
  if (!hasPlaces())
    return 0;
  int64_t run = access.getInnermostSize(MatrixIndex::Column);
  bool moves = run % kernel.gemmK() == 0 &&
               access.isCheckedTogether(MatrixIndex::Column);
  bool isShort = run < kernel.form.getReduction();
  bool hidesVectors = kernel.atom.kind == ::conv::AtomKind::MFMA;
  if (moves && !(isShort && hidesVectors))
    return run;
  bool startsAfterFence = hidesVectors && loadsPerBlock() > 1 &&
                          kernel.form.schedule.getStages() == 1;
  return startsAfterFence ? kernel.gemmK() : 0;
}

/// Loads with one guard share the place of the first of them, unless they are
/// before it in memory (G10): gradients read taps backwards.
SmallVector<int64_t> OperandCopy::countLoadsOfPlaces() const {
  int64_t length = kernel.pieceElements();
  bool goesForward = access.getInnermostDistance(MatrixIndex::Column) >= 0;
  SmallVector<int64_t> counts = {1};
  int64_t first = 0;
  for (int64_t step = width; step < length; step += width) {
    if (goesForward &&
        access.areGuardedAlike({MatrixIndex::Column, first, length},
                               {MatrixIndex::Column, step, length})) {
      ++counts.back();
    } else {
      counts.push_back(1);
      first = step;
    }
  }
  return counts;
}

bool OperandCopy::isComplete() const {
  bool isAlongRows = tile.getOrder() == TileOrder::AlongRows;
  MatrixIndex index = isAlongRows ? MatrixIndex::Row : MatrixIndex::Column;
  bool isInOrder = async && kernel.chip.getLaneCopies();
  return !isInOrder || (access.getVectorWidth(index, kernel.pieceElements()) ==
                            kernel.pieceElements() &&
                        (!isAlongRows || kernel.operandBytes() == 2));
}

void OperandCopy::locate(const Source &source) {
  const IndexMath &math = kernel.math;
  MatrixAccess::Position batch =
      access.createPosition(MatrixIndex::Batch, source.batch);
  for (Piece &piece : pieces) {
    Value row = math.add(source.origin, source.rowOf(piece.row));
    piece.isRow =
        rowCount % tile.getRows() == 0 ? math.yes() : math.below(row, rowCount);
    piece.start =
        access.add(batch, access.createPosition(MatrixIndex::Row, row));
  }
}

OperandCopy::Element
OperandCopy::findElement(const Piece &piece, Value k, Value within, Value guard,
                         std::optional<MatrixAccess::Congruence> known) const {
  const IndexMath &math = kernel.math;
  // If a step stays within one innermost digit, only `k` is decoded, which is
  // the same for all work-items.
  bool isUniform =
      access.getInnermostSize(MatrixIndex::Column) % kernel.gemmK() == 0;
  Value column = math.add(k, within);
  MatrixAccess::Position position =
      isUniform ? access.advance(access.createPosition(MatrixIndex::Column, k),
                                 MatrixIndex::Column, within)
                : access.createPosition(MatrixIndex::Column, column);
  position = access.add(piece.start, position);
  guard = access.createGuard(position, math.both(guard, piece.isRow), known);
  int64_t reduction = kernel.form.getReduction();
  if (reduction % kernel.gemmK() != 0)
    guard = math.both(guard, math.below(column, reduction));
  return {access.createOffset(position), guard};
}

/// Element `step` of a piece, in the tile at `k`.
OperandCopy::Element OperandCopy::findInPiece(const Piece &piece, Value k,
                                              int64_t step, Value guard) const {
  const IndexMath &math = kernel.math;
  int64_t length = kernel.pieceElements();
  Value first = math.mul(piece.position, length);
  return findElement(
      piece, k, math.add(first, step), guard,
      MatrixAccess::Congruence{MatrixIndex::Column, step, length});
}

/// Reinterprets the bits of a vector as elements of another type.
static Value castElements(ImplicitLocOpBuilder &b, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  return b.createOrFold<vector::BitCastOp>(type.clone(element), vector);
}

/// The loads of a block, from its places, moved by elements of the reduction.
SmallVector<Value> OperandCopy::loadFrom(ValueRange places, Value moved) const {
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({std::max(width, rowWidth)}, element);
  int64_t ofElement =
      access.getInnermostDistance(MatrixIndex::Column) * kernel.operandBytes();
  Value distance = bytes.mul(bytes.cast(moved), ofElement);
  SmallVector<Value> loads;
  for (auto [place, count] : llvm::zip_equal(places, loadsOfPlaces))
    for (int64_t load = 0; load < count; ++load)
      loads.push_back(
          PlacedLoadOp::create(kernel.b, type, buffer, place,
                               bytes.add(distance, load * width * ofElement)));
  return loads;
}

/// The byte offset of an element, or a negative number if it is masked.
Value OperandCopy::createPlace(const Element &element) const {
  IndexMath bytes(kernel.b, kernel.b.getI32Type());
  return kernel.b.createOrFold<arith::SelectOp>(
      element.guard,
      bytes.mul(bytes.cast(element.offset), kernel.operandBytes()),
      bytes.constant(std::numeric_limits<int32_t>::min()));
}

/// Starts the loads of a piece, or of the block of `rowWidth` pieces that it
/// starts.
SmallVector<Value> OperandCopy::startLoads(const Piece &piece, Value k,
                                           Value guard) const {
  if (!hasPlaces() || loadsPerBlock() == 1) {
    SmallVector<Value> loads;
    for (int64_t step = 0; step < kernel.pieceElements(); step += width) {
      Element from = findInPiece(piece, k, step, guard);
      loads.push_back(kernel.load(buffer, from.offset, from.guard,
                                  std::max(width, rowWidth)));
    }
    return loads;
  }
  return loadFrom(locatePiece(piece, k, guard), kernel.math.constant(0));
}

/// The places of the loads of a piece, or of the block that it starts.
SmallVector<Value> OperandCopy::locatePiece(const Piece &piece, Value k,
                                            Value guard) const {
  SmallVector<Value> places;
  int64_t step = 0;
  for (int64_t loads : loadsOfPlaces) {
    places.push_back(createPlace(findInPiece(piece, k, step, guard)));
    step += loads * width;
  }
  return places;
}

/// Assembles the loads of `startLoads` to `rowWidth` pieces. Single elements
/// are moved as integers: LLVM's x86 code generator, which simulated kernels go
/// through, supports bf16 only in vectors that stay whole.
SmallVector<Value> OperandCopy::joinLoads(ValueRange loads) const {
  ImplicitLocOpBuilder &b = kernel.b;
  if (loads.size() == 1)
    return {loads.front()};
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  SmallVector<SmallVector<Value>> rows(rowWidth);
  for (Value load : loads) {
    Value loaded = castElements(b, load, integer);
    for (int64_t i = 0; i < std::max(width, rowWidth); ++i)
      rows[i % rowWidth].push_back(vector::ExtractOp::create(b, loaded, i));
  }
  auto type = VectorType::get({kernel.pieceElements()}, integer);
  return llvm::map_to_vector(rows, [&](ArrayRef<Value> elements) -> Value {
    Value piece = vector::FromElementsOp::create(b, type, elements);
    return castElements(b, piece, element);
  });
}

void OperandCopy::copyPiece(int64_t number, Value k, Value stage,
                            Value guard) const {
  const IndexMath &math = kernel.math;
  const Piece &piece = pieces[number];
  if (kernel.chip.getLaneCopies()) {
    Value within = tile.getOrder() == TileOrder::AlongRows
                       ? piece.position
                       : math.mul(piece.position, width);
    Element from = findElement(piece, k, within, guard);
    // Here, the index belongs to the first lane of the subgroup.
    Value first = math.add(ofSubgroup, number * kernel.workItems);
    kernel.copy(buffer, from.offset, from.guard, tile.getBuffer(),
                tile.locateNumber(stage, first), width);
    return;
  }
  Value place = tile.locate(stage, piece.row, piece.position);
  for (int64_t step = 0; step < kernel.pieceElements(); step += width) {
    Element from = findInPiece(piece, k, step, guard);
    Value to = kernel.b.createOrFold<arith::AddIOp>(
        place, arith::ConstantIndexOp::create(kernel.b, step));
    kernel.copy(buffer, from.offset, from.guard, tile.getBuffer(), to, width);
  }
}

void OperandCopy::startCopies(int64_t from, int64_t to, Value k,
                              Value stage) const {
  for (int64_t number = from; number < to; ++number)
    copyPiece(number, k, stage, kernel.math.yes());
}

SmallVector<Value> OperandCopy::start(Value k, Value stage, Value guard) const {
  SmallVector<Value> loads;
  for (size_t i = 0; i < pieces.size(); i += rowWidth) {
    if (async)
      copyPiece(int64_t(i), k, stage, guard);
    else
      loads.append(startLoads(pieces[i], k, guard));
  }
  return loads;
}

SmallVector<Value> OperandCopy::createPlaces(Value k) const {
  SmallVector<Value> places;
  for (size_t first = 0; placeRun && first < pieces.size(); first += rowWidth)
    llvm::append_range(places,
                       locatePiece(pieces[first], k, kernel.math.yes()));
  return places;
}

SmallVector<Value> OperandCopy::startBlock(int64_t block, Value k,
                                           ValueRange places) const {
  if (!placeRun)
    return startLoads(pieces[block * rowWidth], k, kernel.math.yes());
  Value inRun =
      placeRun == kernel.form.getReduction() ? k : kernel.math.rem(k, placeRun);
  if (placeRun == kernel.gemmK())
    inRun = kernel.math.constant(0);
  int64_t perBlock = std::ssize(loadsOfPlaces);
  return loadFrom(places.slice(block * perBlock, perBlock), inRun);
}

void OperandCopy::finishBlock(int64_t block, ValueRange loads,
                              Value stage) const {
  ArrayRef<Piece> of = ArrayRef(pieces).slice(block * rowWidth, rowWidth);
  for (auto [piece, elements] : llvm::zip_equal(of, joinLoads(loads)))
    tile.write(elements, stage, piece.row, piece.position);
}

void OperandCopy::finish(ValueRange loads, Value stage) const {
  for (int64_t block = 0; !loads.empty(); ++block) {
    finishBlock(block, loads.take_front(loadsPerBlock()), stage);
    loads = loads.drop_front(loadsPerBlock());
  }
}
