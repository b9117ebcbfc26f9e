//===- HostPanelPack.cpp - panels of an operand into scratch ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a tile to panels of rows with the reduction outermost. If each row is
// contiguous in memory, blocks of 8 by 8 are transposed in registers. If rows
// are evenly spaced in memory, such as the positions of a channels-first image,
// vectors of rows are copied: with a mask of what is inside the tensor, or,
// where loads have no masks, from wherever the buffer has a whole vector. Pairs
// of the reduction are transposed as integers where they are adjacent in
// memory; else, they are put together when the panel has all elements.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostTranspose.h"
#include "HostPack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// One vector of the coordinates of several positions.
static MatrixAccess::Position
joinCoordinates(const HostCode &code, const MatrixAccess &access,
                ArrayRef<MatrixAccess::Position> positions) {
  ImplicitLocOpBuilder &b = code.b;
  bool isNarrow = access.hasNarrowCoordinates();
  Type element = isNarrow ? b.getI32Type() : code.math.getType();
  auto type =
      VectorType::get({static_cast<int64_t>(positions.size())}, element);
  MatrixAccess::Position joined{positions.front().offset, {}};
  for (size_t i = 0; i < access.countChecked(); ++i) {
    SmallVector<Value> parts;
    for (const MatrixAccess::Position &position : positions)
      parts.push_back(IndexMath(b, cast<IntegerType>(element))
                          .cast(position.coordinates[i]));
    joined.coordinates.push_back(
        vector::FromElementsOp::create(b, type, parts));
  }
  return joined;
}

Value mlir::conv::areAllInside(const HostCode &code, const MatrixAccess &access,
                               ArrayRef<MatrixAccess::Position> starts,
                               const MatrixAccess::Position &column) {
  ImplicitLocOpBuilder &b = code.b;
  // A vector of a power of two, in which the last row is repeated.
  SmallVector<MatrixAccess::Position> rows(starts);
  rows.resize(llvm::PowerOf2Ceil(rows.size()), rows.back());
  auto lanes = static_cast<int64_t>(rows.size());
  SmallVector<MatrixAccess::Position> columns(lanes, column);
  Value all = arith::ConstantOp::create(
      b, SplatElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  Value guard =
      access.createGuard(access.add(joinCoordinates(code, access, rows),
                                    joinCoordinates(code, access, columns)),
                         all);
  if (guard == all)
    return code.math.yes();
  return vector::ReductionOp::create(b, vector::CombiningKind::AND, guard);
}

/// Whether rows are contiguous, and runs inside or outside as a whole.
bool HostPack::isTransposed() const {
  return access.getInnermostDistance(MatrixIndex::Column) == 1 &&
         access.isCheckedTogether(MatrixIndex::Column) &&
         access.hasLinearOffsets();
}

/// Whether pairs are adjacent in memory, and transposed together.
bool HostPack::hasPairs() const {
  return operand.pairs > 1 && isTransposed() &&
         access.getInnermostSize(MatrixIndex::Column) % operand.pairs == 0;
}

/// A run of `kHostLanes` rows, of which any may be outside, unless all are
/// inside.
void HostPack::transposeRun(const Positions &starts, Value target, Value column,
                            Value length, bool areInside) const {
  // Elements of memory that move together.
  int64_t unit = hasPairs() ? operand.pairs : 1;
  Position position = access.createPosition(MatrixIndex::Column, column);
  SmallVector<Value> guards, offsets;
  for (const Position &start : starts) {
    Position row = access.add(start, position);
    guards.push_back(areInside ? math.yes()
                               : access.createGuard(row, math.yes()));
    // The buffer's first run is read instead of a row outside.
    offsets.push_back(matchPattern(guards.back(), m_One())
                          ? row.offset
                          : arith::SelectOp::create(code.b, guards.back(),
                                                    row.offset,
                                                    math.constant(0)));
  }
  auto select = [&](Value guard, Value loaded) -> Value {
    if (matchPattern(guard, m_One()))
      return loaded;
    return arith::SelectOp::create(
        code.b, guard, loaded,
        arith::ConstantOp::create(code.b,
                                  code.b.getZeroAttr(loaded.getType())));
  };
  auto load = [&](Value offset, int64_t elements) {
    Value loaded = code.loadWide(source, offset, elements * unit);
    return unit == 1 ? loaded : code.joinPairs(loaded);
  };
  auto store = [&](Value row, Value offset) {
    code.store(unit == 1 ? row : code.splitPairs(row), scratch, offset);
  };
  code.forEachVector(
      math.constant(0), math.div(length, unit),
      [&](Value step, int64_t elements) {
        Value inRun = math.mul(step, unit);
        SmallVector<Value> loaded;
        for (auto [offset, guard] : llvm::zip_equal(offsets, guards))
          loaded.push_back(
              select(guard, load(math.add(offset, inRun), elements)));
        Value first = math.add(
            target, math.mul(math.add(code.sub(column, block.k), inRun),
                             operand.panel));
        if (elements == 1)
          return store(code.join(loaded), first);
        for (auto [i, row] : llvm::enumerate(transpose(code.b, loaded)))
          store(row, math.add(first, int64_t(i) * operand.panel * unit));
      });
}

/// For `kHostLanes` rows. Most windows are inside with all of their rows, which
/// one comparison of vectors tells.
void HostPack::packTransposed(const Positions &starts, Value target) const {
  forEachRun(access.getInnermostSize(MatrixIndex::Column), [&](Value column,
                                                               Value length) {
    auto transposeIf = [&](bool areInside) {
      return [&, areInside](OpBuilder &, Location) {
        transposeRun(starts, target, column, length, areInside);
        scf::YieldOp::create(code.b);
      };
    };
    Value areInside =
        areAllInside(code, access, starts,
                     access.createPosition(MatrixIndex::Column, column));
    if (matchPattern(areInside, m_One()))
      return transposeRun(starts, target, column, length,
                          /*areInside=*/true);
    scf::IfOp::create(code.b, areInside, transposeIf(true), transposeIf(false));
  });
}

/// Whether rows are lines that are partly outside, such as those of an image
/// with padding, and too few of them are evenly spaced for vectors.
bool HostPack::isTransposedWithMasks() const {
  int64_t distance = access.getInnermostDistance(MatrixIndex::Column);
  return !isTransposed() && (distance == 1 || distance == 2) &&
         code.hasMaskedLoads(source) && access.hasRange(MatrixIndex::Column) &&
         access.getInnermostSize(MatrixIndex::Column) >= kHostLanes &&
         access.getEvenSize(MatrixIndex::Row) < kHostLanes;
}

/// Elements of a row at an offset: those from `first` until `last`, and zeros.
Value HostPack::loadWithMask(Value offset, Value first, Value last,
                             int64_t elements) const {
  int64_t distance = access.getInnermostDistance(MatrixIndex::Column);
  if (distance == 1 || elements == 1)
    return code.widen(code.loadMasked(source, offset,
                                      code.createMask(first, last, elements)));
  // What is between the elements is not loaded, except for what is before the
  // last one.
  Value end = math.sub(math.mul(last, distance), distance - 1);
  Value loaded = code.widen(code.loadMasked(
      source, offset,
      code.createMask(math.mul(first, distance), end, elements * distance)));
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < elements; ++i)
    places.push_back(i * distance);
  return vector::ShuffleOp::create(code.b, loaded, loaded, places);
}

/// For `kHostLanes` rows. The last vector of a run overlaps with the one before
/// it; shorter runs are copied element by element.
void HostPack::packWithMasks(const Positions &starts, Value target) const {
  int64_t distance = access.getInnermostDistance(MatrixIndex::Column);
  auto createRun = [&](Value column, Value length) {
    Position position = access.createPosition(MatrixIndex::Column, column);
    SmallVector<Value> offsets;
    SmallVector<std::pair<Value, Value>> ranges;
    for (const Position &start : starts) {
      Position row = access.add(start, position);
      offsets.push_back(access.createOffset(row));
      ranges.push_back(access.createRange(row, MatrixIndex::Column, length));
    }
    Value first =
        math.add(target, math.mul(code.sub(column, block.k), operand.panel));
    auto load = [&](Value step, int64_t elements) {
      SmallVector<Value> loaded;
      for (auto [offset, range] : llvm::zip_equal(offsets, ranges))
        loaded.push_back(
            loadWithMask(math.add(offset, math.mul(step, distance)),
                         code.sub(range.first, step),
                         code.sub(range.second, step), elements));
      return loaded;
    };
    auto store = [&](Value row, Value step, int64_t i) {
      code.store(row, scratch,
                 math.add(first, math.mul(math.add(step, i), operand.panel)));
    };
    auto createVectors = [&](OpBuilder &, Location) {
      code.forEach(math.constant(0), length, kHostLanes, [&](Value begin) {
        Value step =
            math.minimum(begin, code.sub(length, math.constant(kHostLanes)));
        for (auto [i, row] :
             llvm::enumerate(transpose(code.b, load(step, kHostLanes))))
          store(row, step, int64_t(i));
      });
      scf::YieldOp::create(code.b);
    };
    auto createElements = [&](OpBuilder &, Location) {
      code.forEach(math.constant(0), length, 1, [&](Value step) {
        store(code.join(load(step, 1)), step, 0);
      });
      scf::YieldOp::create(code.b);
    };
    Value isLong = arith::CmpIOp::create(code.b, arith::CmpIPredicate::sge,
                                         length, math.constant(kHostLanes));
    scf::IfOp::create(code.b, isLong, createVectors, createElements);
  };
  forEachRun(access.getInnermostSize(MatrixIndex::Column), createRun);
}

/// Puts pairs together in panels of single elements, in place.
void HostPack::createPairs(Value count) const {
  if (operand.pairs == 1 || hasPairs())
    return;
  int64_t distance = operand.getReductionDistance();
  code.forEach(math.constant(0), count, operand.panel, [&](Value row) {
    Value panel = operand.locate(math, row);
    clearOdd(panel);
    Value steps =
        math.div(math.add(block.length, operand.pairs - 1), operand.pairs);
    code.forEach(math.constant(0), steps, 1, [&](Value step) {
      Value first = math.add(panel, math.mul(step, distance));
      Value second = math.add(first, operand.panel);
      code.store(vector::InterleaveOp::create(
                     code.b, code.load(scratch, first, operand.panel),
                     code.load(scratch, second, operand.panel)),
                 scratch, first);
    });
  });
}

/// For a vector of rows that are adjacent in memory, and all inside or all
/// outside.
void HostPack::packAdjacent(const Position &start, int64_t lanes,
                            Value target) const {
  forEachIndex([&](Value k, const Position &column) {
    Position position = access.add(start, column);
    Value loaded =
        code.loadGuarded(source, access.createOffset(position),
                         access.createGuard(position, math.yes()), lanes);
    code.store(code.widen(loaded), scratch,
               math.add(target, math.mul(code.sub(k, block.k), operand.panel)));
  });
}

/// The number of offsets from which the buffer has `lanes` elements that are
/// `step` apart.
static int64_t countStarts(Value buffer, int64_t step, int64_t lanes) {
  return cast<MemRefType>(buffer.getType()).getNumElements() -
         (lanes - 1) * step;
}

/// Whether a vector of rows may have one or two runs of evenly spaced ones, so
/// that vectors are loaded: no vector is longer than what is even.
static bool hasEvenRows(const MatrixAccess &access, int64_t lanes) {
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  return (step == 1 || (step == 2 && lanes >= kHostLanes)) &&
         access.hasLinearOffsets() &&
         access.getEvenSize(MatrixIndex::Row) >= lanes;
}

/// The runs that a vector of rows has, except that the last row may be
/// repeated; nothing if rows are never evenly spaced.
HostPack::Runs HostPack::createRuns(ArrayRef<Value> rows,
                                    const Positions &starts) const {
  auto lanes = static_cast<int64_t>(rows.size());
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  if (!hasEvenRows(access, lanes) || countStarts(source, step, lanes) <= 0)
    return {};
  ImplicitLocOpBuilder &b = code.b;
  SmallVector<Value> offsets;
  for (auto [row, start] : llvm::zip_equal(rows, starts))
    offsets.push_back(
        math.sub(start.offset, math.mul(code.sub(row, rows.front()), step)));
  auto type = VectorType::get({lanes}, math.getType());
  Value all = vector::FromElementsOp::create(b, type, offsets);
  auto isIn = [&](Value run) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, all,
                                 vector::BroadcastOp::create(b, type, run));
  };
  auto areAll = [&](Value condition) -> Value {
    return vector::ReductionOp::create(b, vector::CombiningKind::AND,
                                       condition);
  };
  Runs runs;
  runs.first = offsets.front();
  runs.isFirst = isIn(runs.first);
  runs.isOne = runs.haveAll = areAll(runs.isFirst);
  // Else all rows of the matrix, or of each vector, are one run.
  int64_t even = access.getEvenSize(MatrixIndex::Row);
  if (even < operand.rows && !hasWholeVectors(even, lanes)) {
    runs.second = offsets.back();
    runs.haveAll =
        areAll(arith::OrIOp::create(b, runs.isFirst, isIn(runs.second)));
  }
  return runs;
}

/// The distances of elements from the first one, if they are gathered by an
/// instruction; else nothing.
Value HostPack::createDistances(const Positions &starts) const {
  if (!code.hasGathers(source) || !access.hasLinearOffsets())
    return {};
  ImplicitLocOpBuilder &b = code.b;
  auto type =
      VectorType::get({static_cast<int64_t>(starts.size())}, b.getI32Type());
  SmallVector<Value> distances;
  for (const Position &start : starts)
    distances.push_back(
        IndexMath(b, b.getI32Type())
            .cast(code.sub(start.offset, starts.front().offset)));
  return vector::FromElementsOp::create(b, type, distances);
}

/// Loads whole vectors from where the runs are, if the buffer has these; else
/// what `loadEach` does.
Value HostPack::loadRuns(const Position &column, const Runs &runs,
                         int64_t lanes, function_ref<Value()> loadEach) const {
  ImplicitLocOpBuilder &b = code.b;
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  int64_t most = countStarts(source, step, lanes);
  Value isInside = runs.haveAll;
  SmallVector<Value> offsets;
  for (Value run : {runs.first, runs.second})
    if (run) {
      offsets.push_back(math.add(run, column.offset));
      isInside = math.both(isInside, math.below(offsets.back(), most));
    }
  auto load = [&](Value offset) {
    return code.loadWideEvenly(source, offset, step, lanes);
  };
  auto loadWhole = [&](OpBuilder &, Location) {
    Value loaded = load(offsets.front());
    if (runs.second)
      loaded =
          scf::IfOp::create(
              b, runs.isOne,
              [&](OpBuilder &, Location) { scf::YieldOp::create(b, loaded); },
              [&](OpBuilder &, Location) {
                Value both = arith::SelectOp::create(b, runs.isFirst, loaded,
                                                     load(offsets.back()));
                scf::YieldOp::create(b, both);
              })
              .getResult(0);
    scf::YieldOp::create(b, loaded);
  };
  return scf::IfOp::create(b, isInside, loadWhole,
                           [&](OpBuilder &, Location) {
                             scf::YieldOp::create(b, loadEach());
                           })
      .getResult(0);
}

/// Elements outside of the tensor are not gathered, or they are loaded from a
/// place inside and replaced, without a branch for each.
Value HostPack::loadSelected(const Position &column, Value guard,
                             const Runs &runs, const Positions &starts,
                             Value distances) const {
  ImplicitLocOpBuilder &b = code.b;
  auto lanes = static_cast<int64_t>(starts.size());
  auto loadEach = [&] {
    if (distances && guard)
      return code.widen(
          code.gather(source, math.add(starts.front().offset, column.offset),
                      distances, guard));
    SmallVector<Value> offsets;
    for (auto [i, start] : llvm::enumerate(starts)) {
      Value offset = access.createOffset(access.add(start, column));
      if (guard)
        offset =
            arith::SelectOp::create(b, vector::ExtractOp::create(b, guard, i),
                                    offset, math.constant(0));
      offsets.push_back(offset);
    }
    return code.widen(code.loadEach(source, offsets));
  };
  Value loaded =
      runs.haveAll ? loadRuns(column, runs, lanes, loadEach) : loadEach();
  if (!guard)
    return loaded;
  return arith::SelectOp::create(
      b, guard, loaded,
      arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType())));
}

/// Packs vectors that `load` returns for each index of the reduction, given
/// which of its elements are inside the tensor; null: all.
void HostPack::forEachVector(
    const Positions &starts, Value target,
    function_ref<Value(const Position &column, Value guard)> load) const {
  auto lanes = static_cast<int64_t>(starts.size());
  ImplicitLocOpBuilder &b = code.b;
  Value all = arith::ConstantOp::create(
      b, SplatElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  Position joined = joinCoordinates(code, access, starts);
  forEachIndex([&](Value k, const Position &column) {
    Positions columns(lanes, column);
    Value guard = access.createGuard(
        access.add(joined, joinCoordinates(code, access, columns)), all);
    code.store(load(column, guard == all ? Value() : guard), scratch,
               math.add(target, math.mul(code.sub(k, block.k), operand.panel)));
  });
}

/// For any rows.
void HostPack::packSelected(Value row, int64_t lanes, Value target) const {
  SmallVector<Value> rows = listRows(row, lanes);
  Positions starts = listStarts(rows);
  Runs runs = createRuns(rows, starts);
  Value distances = createDistances(starts);
  forEachVector(starts, target, [&](const Position &column, Value guard) {
    return loadSelected(column, guard, runs, starts, distances);
  });
}

/// For rows that are adjacent in memory, or become so when an outer digit
/// changes: then a vector has two runs, of which each is loaded with a mask.
void HostPack::packVectors(Value row, int64_t lanes, Value target) const {
  int64_t even = access.getEvenSize(MatrixIndex::Row);
  if (access.getInnermostDistance(MatrixIndex::Row) != 1 ||
      !access.hasLinearOffsets() || !code.hasMaskedLoads(source) ||
      (even < operand.rows && even < lanes))
    return packSelected(row, lanes, target);
  // Positions go on after the last row, but nothing is loaded there.
  Value first = math.add(origin, row);
  Positions starts;
  SmallVector<Value> offsets;
  for (int64_t i = 0; i < lanes; ++i) {
    starts.push_back(startOf(math.add(first, i)));
    offsets.push_back(math.sub(starts.back().offset, i));
  }
  Value exists = code.createMask(
      math.constant(0), code.sub(math.constant(operand.rows), first), lanes);
  auto both = [&](Value lhs, Value rhs) -> Value {
    return lhs ? math.both(lhs, rhs) : rhs;
  };
  if (even >= operand.rows || hasWholeVectors(even, lanes))
    return forEachVector(
        starts, target, [&](const Position &column, Value guard) {
          return code.widen(
              code.loadMasked(source, math.add(offsets.front(), column.offset),
                              both(guard, exists)));
        });
  // No vector is longer than an even part, so it has elements of two.
  ImplicitLocOpBuilder &b = code.b;
  auto type = VectorType::get({lanes}, math.getType());
  Value isFirst = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      vector::FromElementsOp::create(b, type, offsets),
      vector::BroadcastOp::create(b, type, offsets.front()));
  Value all = arith::ConstantOp::create(
      b, SplatElementsAttr::get(cast<VectorType>(isFirst.getType()), true));
  Value ofFirst = math.both(exists, isFirst);
  Value ofSecond = math.both(exists, arith::XOrIOp::create(b, isFirst, all));
  forEachVector(starts, target, [&](const Position &column, Value guard) {
    Value head = code.loadMasked(
        source, math.add(offsets.front(), column.offset), both(guard, ofFirst));
    return code.widen(code.loadMasked(source,
                                      math.add(offsets.back(), column.offset),
                                      both(guard, ofSecond), head));
  });
}

SmallVector<Value> HostPack::listRows(Value row, int64_t count) const {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(clamp(math.add(row, i), operand.rows - 1));
  return rows;
}

/// Rows of a vector: no more than are evenly spaced in memory, if these are
/// enough for a vector.
int64_t HostPack::getVectorLanes() const {
  constexpr int64_t kFewest = 4;
  int64_t lanes = std::gcd(code.lanes, operand.panel);
  int64_t even = access.getEvenSize(MatrixIndex::Row);
  if (even >= operand.rows || even < kFewest)
    return lanes;
  return std::min<int64_t>(lanes, llvm::bit_floor(uint64_t(even)));
}

void HostPack::packPanels(Value count) const {
  bool turns = isTransposed(), hasMasks = isTransposedWithMasks();
  int64_t lanes = turns || hasMasks ? kHostLanes : getVectorLanes();
  // If tiles start at vectors, the rows of a vector all exist or none does.
  bool areAdjacent = operand.tile % lanes == 0 &&
                     access.getVectorWidth(MatrixIndex::Row, lanes) == lanes;
  code.forEach(math.constant(0), count, lanes, [&](Value row) {
    Value target = hasPairs() ? operand.locate(math, row)
                              : operand.locateSingle(math, row);
    if (turns)
      packTransposed(listStarts(listRows(row, lanes)), target);
    else if (hasMasks)
      packWithMasks(listStarts(listRows(row, lanes)), target);
    else if (areAdjacent)
      packAdjacent(startOf(clamp(row, operand.rows - lanes)), lanes, target);
    else
      packVectors(row, lanes, target);
  });
  clearRest(count, lanes);
  createPairs(count);
}

/// Stores zeros, in the first block, for the rows of the last vector that the
/// matrix does not have. Their sums are not used; but if what is in memory
/// happens to be subnormal numbers, products take 30 times as long. Later
/// blocks find the zeros, or rows of other panels. Pairs are multiplied without
/// subnormal numbers.
void HostPack::clearRest(Value count, int64_t lanes) const {
  int64_t vector = std::gcd(code.lanes, operand.panel);
  int64_t last = llvm::alignTo(operand.rows % vector, lanes);
  if (operand.pairs > 1 || last % vector == 0)
    return;
  auto align = [&](int64_t rows) {
    return math.mul(math.div(math.add(count, rows - 1), rows), rows);
  };
  Value isFirst = arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq,
                                        block.k, math.constant(0));
  Value begin = align(lanes);
  Value end = arith::SelectOp::create(code.b, isFirst, align(vector), begin);
  code.forEach(begin, end, lanes, [&](Value row) {
    Value target = operand.locateSingle(math, row);
    code.forEach(math.constant(0), block.length, 1, [&](Value k) {
      code.storeZeros(lanes, scratch,
                      math.add(target, math.mul(k, operand.panel)));
    });
  });
}
