//===- HostCacheLoop.cpp - a tile on one thread of the host -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each block of the reduction, the narrow operand is packed, unless it is
// read in place. Then, each panel of the wide one is packed and multiplied, one
// register tile at a time, by all rows of the narrow one, so it stays in the
// innermost cache. The sums stay in the cache between blocks.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"
#include "HostPack.h"
#include "HostTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class HostCacheLoop {
public:
  HostCacheLoop(Kernel &kernel, gpu::GPUFuncOp function);
  void create();

private:
  void createReduction();
  void createResults();
  void createRegisterTile(Value row, Value vector);
  /// Where a row of the narrow operand is read from.
  struct NarrowRow {
    Value buffer, offset;
  };
  SmallVector<Value> createSteps(ArrayRef<NarrowRow> rows, int64_t distance,
                                 Value wideStart, Value length,
                                 ValueRange initial);
  void createPanel(Value vector, Value narrowCount);
  int64_t countUnrolled(int64_t rows) const;
  SmallVector<Value> createPacked(Value row, Value wideStart,
                                  ValueRange initial);
  using CreateSums = function_ref<SmallVector<Value>()>;
  SmallVector<Value> createIf(Value condition, CreateSums createThen,
                              CreateSums createElse) const;
  /// Whether runs that are read in place may be partly outside of the tensor.
  bool isRange() const {
    return narrow.inPlace !=
               narrowAccess.getInnermostSize(MatrixIndex::Column) ||
           !narrowAccess.isCheckedTogether(MatrixIndex::Column);
  }
  bool areRowsTogether() const;
  bool isPartOfLine() const;
  SmallVector<Value> createRangeRun(ArrayRef<MatrixAccess::Position> starts,
                                    Value first, Value wideRun, Value length,
                                    ValueRange initial);
  Value createSharedGuard(ArrayRef<MatrixAccess::Position> starts,
                          const MatrixAccess::Position &column) const;
  SmallVector<Value> createRun(ArrayRef<MatrixAccess::Position> starts,
                               const MatrixAccess::Position &column,
                               Value wideRun, Value length, ValueRange initial);
  SmallVector<Value> createRuns(Value row, Value wideStart, ValueRange initial);
  SmallVector<MatrixAccess::Position> createStarts(Value row);
  NarrowRow select(const MatrixAccess::Position &position);
  /// Whether sums are complete after one block, so that none is read before.
  bool hasOneBlock() const {
    return kernel.gemmK() >= kernel.form.getReduction();
  }
  Value createZeros() const {
    auto type = VectorType::get({getVectorWidth()}, code.getSumType());
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  /// The elements of a row of a register tile that one vector has, a power of
  /// two: LLVM would multiply a vector of 48 as one of 64.
  int64_t getVectorWidth() const { return width & -width; }
  int64_t countVectors() const { return width / getVectorWidth(); }
  /// The sum of a narrow row and a wide row.
  Value sumOffset(Value row, Value vector) const {
    return math.add(math.mul(row, wideTile), vector);
  }
  /// A tile's rows, as whole register tiles of either operand.
  int64_t align(int64_t rows) const {
    return llvm::alignTo(rows, kernel.atom.m);
  }

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  HostCode code;
  bool isLeftWide;
  HostOperand wide, narrow;
  int64_t wideTile;
  /// Rows of the wide operand in the register tiles that are created: those of
  /// a panel, or fewer vectors.
  int64_t width;
  TileOrigin origin;
  HostBlock block;
  Value sums;
  /// How a narrow operand that is read in place is accessed, its memory, and
  /// zeros that are read instead of what is outside.
  MatrixAccess narrowAccess;
  Value source, zeros;
};
} // namespace

/// Whether neighbours in memory are rows of the result, and not columns.
static bool isAlongRows(const Kernel &kernel) {
  MatrixAccess result(kernel.math, kernel.form.result);
  return result.getInnermostDistance(MatrixIndex::Row) == 1 &&
         result.getInnermostDistance(MatrixIndex::Column) != 1;
}

HostCacheLoop::HostCacheLoop(Kernel &kernel, gpu::GPUFuncOp function)
    : kernel(kernel), math(kernel.math), b(kernel.b), code(kernel),
      isLeftWide(::conv::isLeftWide(kernel.atom, kernel.form.getRows(),
                                    kernel.form.getColumns(),
                                    isAlongRows(kernel))),
      wide(HostOperand::getWide(kernel, isLeftWide)),
      narrow(HostOperand::getNarrow(kernel, !isLeftWide)), width(kernel.atom.m),
      narrowAccess(math, narrow.operand),
      source(code.flatten(narrow.argument)) {
  auto alignSide = [&](size_t side) {
    bool isNarrow = isLeftWide == (side == 1);
    int64_t all = align(kernel.workgroupTile()[side]);
    return isNarrow ? llvm::alignTo(all, narrow.step) : all;
  };
  int64_t rows = alignSide(0), columns = alignSide(1);
  wideTile = isLeftWide ? rows : columns;
  // The last vector of a row may go beyond it.
  auto createTile = [&](size_t index, int64_t tileRows) {
    return code.createScratch(function, index, code.getMultipliedType(),
                              tileRows * kernel.gemmK() +
                                  code.lanes * code.pairs);
  };
  Value left = createTile(0, rows), right = createTile(1, columns);
  wide.scratch = isLeftWide ? left : right;
  narrow.scratch = isLeftWide ? right : left;
  // So may the last vector of results, along either operand.
  sums = code.createScratch(function, 2, code.getSumType(),
                            rows * columns + code.lanes * wideTile);
  if (narrow.inPlace != 0 && !isRange() && narrowAccess.isChecked())
    zeros = code.createBuffer(function, source,
                              llvm::alignTo(kernel.gemmK(), code.lanes));
}

/// Adds the products of `length` reduction indices, single ones or pairs, to a
/// register tile. They are `distance` apart in each row.
SmallVector<Value> HostCacheLoop::createSteps(ArrayRef<NarrowRow> rows,
                                              int64_t distance, Value wideStart,
                                              Value length,
                                              ValueRange initial) {
  auto createStep = [&](Value k, ValueRange accumulators) {
    Value start = math.add(wideStart, math.mul(k, wide.getReductionDistance()));
    int64_t lanes = getVectorWidth(), count = countVectors();
    SmallVector<Value> vectors, next;
    for (int64_t i = 0; i < count; ++i)
      vectors.push_back(code.load(wide.scratch,
                                  math.add(start, i * lanes * code.pairs),
                                  lanes * code.pairs));
    for (auto [number, row] : llvm::enumerate(rows)) {
      Value place = math.add(row.offset, math.mul(k, distance));
      Value factor = code.loadMultiplied(row.buffer, place, lanes);
      for (auto [i, vector] : llvm::enumerate(vectors))
        next.push_back(
            code.multiplyAdd(factor, vector, accumulators[number * count + i]));
    }
    return next;
  };
  auto createSome = [&](Value k, int64_t count, ValueRange accumulators) {
    SmallVector<Value> next = llvm::to_vector(accumulators);
    for (int64_t i = 0; i < count; ++i)
      next = createStep(math.add(k, i), next);
    return next;
  };
  auto createLoop = [&](Value begin, Value end, int64_t count,
                        ValueRange accumulators) {
    auto loop = scf::ForOp::create(
        b, begin, end, math.constant(count), accumulators,
        [&](OpBuilder &, Location, Value k, ValueRange inner) {
          scf::YieldOp::create(b, createSome(k, count, inner));
        });
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  Value zero = math.constant(0);
  Value steps = math.div(math.add(length, code.pairs - 1), code.pairs);
  int64_t most = countUnrolled(static_cast<int64_t>(rows.size()));
  if (std::optional<int64_t> known = getConstantIntValue(length)) {
    int64_t all = llvm::divideCeil(*known, code.pairs);
    int64_t count = most;
    while (all % count != 0)
      --count;
    if (count == all)
      return createSome(zero, all, initial);
    // If only small numbers divide the length, a rest follows the loop. There
    // are two iterations or more, as one would be scheduled with the rest.
    if (count == 1 || 2 * count < most)
      count = std::min(most, all / 2);
    int64_t rest = all % count;
    Value end = math.constant(all - rest);
    return createSome(end, rest, createLoop(zero, end, count, initial));
  }
  if (most == 1)
    return createLoop(zero, steps, 1, initial);
  Value whole = math.mul(math.div(steps, most), most);
  return createLoop(whole, steps, 1, createLoop(zero, whole, most, initial));
}

/// The most steps of one iteration: the end of a loop is predicted wrongly,
/// which takes as long as several steps. Of more products, LLVM would order
/// those of one sum together, which wait for each other.
int64_t HostCacheLoop::countUnrolled(int64_t rows) const {
  constexpr int64_t kMostProducts = 32;
  int64_t ofStep = rows * llvm::divideCeil(width, code.lanes);
  return std::max<int64_t>(kMostProducts / ofStep, 1);
}

/// The place of a run of a row: zeros if the run is outside of the tensor.
HostCacheLoop::NarrowRow
HostCacheLoop::select(const MatrixAccess::Position &position) {
  Value guard = narrowAccess.createGuard(position, math.yes());
  Value offset = narrowAccess.createOffset(position);
  if (matchPattern(guard, m_One()))
    return {source, offset};
  auto type = cast<MemRefType>(source.getType());
  auto anySize = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                                 type.getLayout(), type.getMemorySpace());
  auto cast = [&](Value buffer) {
    return memref::CastOp::create(b, anySize, buffer);
  };
  return {arith::SelectOp::create(b, guard, cast(source), cast(zeros)),
          arith::SelectOp::create(b, guard, offset, math.constant(0))};
}

/// Whether a register tile's rows of the narrow operand are at the same
/// distances from the first one everywhere.
bool HostCacheLoop::areRowsTogether() const {
  return narrow.rows % narrow.step == 0 && narrow.tile % narrow.step == 0 &&
         narrowAccess.movesTogether(MatrixIndex::Row, narrow.step);
}

/// Whether they are also of one line, so that those inside of the tensor are
/// neighbours.
bool HostCacheLoop::isPartOfLine() const {
  return areRowsTogether() &&
         narrowAccess.getInnermostSize(MatrixIndex::Row) % narrow.step == 0;
}

/// The positions of a register tile's rows of the narrow operand. If they are
/// neighbours in memory, such as pixels of one line, they are a single position
/// and constants.
SmallVector<MatrixAccess::Position> HostCacheLoop::createStarts(Value row) {
  Value origin = isLeftWide ? this->origin.column : this->origin.row;
  auto createStart = [&](Value index) {
    return narrowAccess.add(
        narrowAccess.createPosition(MatrixIndex::Batch, block.batch),
        narrowAccess.createPosition(MatrixIndex::Row, index));
  };
  const int64_t count = narrow.step;
  SmallVector<MatrixAccess::Position> starts;
  if (areRowsTogether()) {
    MatrixAccess::Position first = createStart(math.add(origin, row));
    for (int64_t i = 0; i < count; ++i)
      starts.push_back(
          narrowAccess.advanceTogether(first, MatrixIndex::Row, i));
    return starts;
  }
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(createStart(math.minimum(
        math.add(origin, math.add(row, i)), math.constant(narrow.rows - 1))));
  return starts;
}

/// What one of two branches computes.
SmallVector<Value> HostCacheLoop::createIf(Value condition,
                                           CreateSums createThen,
                                           CreateSums createElse) const {
  auto yield = [](CreateSums create) {
    return [create](OpBuilder &builder, Location loc) {
      scf::YieldOp::create(builder, loc, create());
    };
  };
  auto choice =
      scf::IfOp::create(b, condition, yield(createThen), yield(createElse));
  return llvm::to_vector_of<Value>(choice.getResults());
}

/// Whether the coordinates that all rows share are inside of the tensor.
Value HostCacheLoop::createSharedGuard(
    ArrayRef<MatrixAccess::Position> starts,
    const MatrixAccess::Position &column) const {
  MatrixAccess::Position shared = narrowAccess.add(starts.front(), column);
  for (auto [i, coordinate] : llvm::enumerate(shared.coordinates))
    if (starts.front().coordinates[i] != starts.back().coordinates[i])
      coordinate = math.constant(0);
  return narrowAccess.createGuard(shared, math.yes());
}

/// Adds the products of one run of the reduction, which starts at a column and
/// may be partly outside of the tensor, to a register tile of a line: unless
/// all rows have all of it, it is copied.
SmallVector<Value>
HostCacheLoop::createRangeRun(ArrayRef<MatrixAccess::Position> starts,
                              Value first, Value wideRun, Value length,
                              ValueRange initial) {
  auto multiply = [&](Value buffer, auto locate) {
    SmallVector<NarrowRow> rows;
    for (size_t i = 0; i < starts.size(); ++i)
      rows.push_back({buffer, locate(i)});
    return createSteps(rows, code.pairs, wideRun, length, initial);
  };
  auto createColumn = [&](Value column) {
    return narrowAccess.createPosition(MatrixIndex::Column, column);
  };
  MatrixAccess::Position column = createColumn(first);
  auto multiplyInside = [&] {
    return multiply(source, [&](size_t row) {
      return math.add(starts[row].offset, column.offset);
    });
  };
  Value areInside = math.yes();
  for (const auto &end :
       {column,
        createColumn(math.add(first, code.sub(length, math.constant(1))))})
    for (const auto &start : {starts.front(), starts.back()})
      areInside =
          narrowAccess.createGuard(narrowAccess.add(start, end), areInside);
  if (matchPattern(areInside, m_One()))
    return multiplyInside();
  // A block has at most a part of a run, and the buffer a block of each row.
  int64_t distance = std::min(narrow.inPlace, kernel.gemmK());
  auto multiplyCopied = [&] {
    HostPack(kernel, block, narrow, isLeftWide ? origin.column : origin.row)
        .copyRuns(starts, first, length, distance);
    return multiply(narrow.scratch, [&](size_t row) -> Value {
      return math.constant(static_cast<int64_t>(row) * distance);
    });
  };
  return createIf(areInside, multiplyInside, multiplyCopied);
}

/// Adds the products of one run of the reduction, of which the rows have a
/// position each, to a register tile. Rows of a line that are all inside, or
/// all but the first or the last, are read at constant distances; others need
/// a guard each, unless the whole line is outside.
SmallVector<Value>
HostCacheLoop::createRun(ArrayRef<MatrixAccess::Position> starts,
                         const MatrixAccess::Position &column, Value wideRun,
                         Value length, ValueRange initial) {
  auto locate = [&](const MatrixAccess::Position &start) {
    return narrowAccess.add(start, column);
  };
  auto multiply = [&](auto place, size_t first, size_t last) {
    SmallVector<NarrowRow> rows = llvm::map_to_vector(
        starts.slice(first, last - first),
        [&](const auto &start) { return place(locate(start)); });
    SmallVector<Value> sums = llvm::to_vector(initial);
    size_t part = first * countVectors(), parts = rows.size() * countVectors();
    llvm::copy(createSteps(rows, code.pairs, wideRun, length,
                           initial.slice(part, parts)),
               sums.begin() + part);
    return sums;
  };
  auto multiplyInside = [&](size_t first, size_t last) {
    return multiply(
        [&](const MatrixAccess::Position &position) {
          return NarrowRow{source, position.offset};
        },
        first, last);
  };
  auto multiplyGuarded = [&] {
    return multiply([&](const auto &position) { return select(position); }, 0,
                    starts.size());
  };
  size_t count = starts.size();
  // Most windows are inside with all of their rows.
  if (!isPartOfLine() || count < 3) {
    Value areInside = areAllInside(code, narrowAccess, starts, column);
    if (matchPattern(areInside, m_One()))
      return multiplyInside(0, count);
    return createIf(
        areInside, [&] { return multiplyInside(0, count); }, multiplyGuarded);
  }
  auto areInside = [&](size_t first, size_t last) {
    return narrowAccess.createGuard(
        locate(starts[first]),
        narrowAccess.createGuard(locate(starts[last]), math.yes()));
  };
  if (matchPattern(areInside(0, count - 1), m_One()))
    return multiplyInside(0, count);
  auto multiplyRest = [&] {
    return createIf(createSharedGuard(starts, column), multiplyGuarded,
                    [&] { return llvm::to_vector(initial); });
  };
  auto multiplyFirst = [&] {
    return createIf(
        areInside(0, count - 2), [&] { return multiplyInside(0, count - 1); },
        multiplyRest);
  };
  auto multiplyLast = [&] {
    return createIf(
        areInside(1, count - 1), [&] { return multiplyInside(1, count); },
        multiplyFirst);
  };
  return createIf(
      areInside(0, count - 1), [&] { return multiplyInside(0, count); },
      multiplyLast);
}

/// Adds the products of the block to a register tile, whose rows of the narrow
/// operand are read in place, one run of the reduction after the other.
SmallVector<Value> HostCacheLoop::createRuns(Value row, Value wideStart,
                                             ValueRange initial) {
  SmallVector<MatrixAccess::Position> starts = createStarts(row);
  int64_t size = narrow.inPlace;
  Value end = math.add(block.k, block.length);
  // Blocks of whole runs have runs of a known length.
  bool isWhole = kernel.gemmK() % size == 0 || hasOneBlock();
  auto createColumns = [&](Value first, Value length, ValueRange accumulators) {
    Value wideRun =
        math.add(wideStart, math.mul(code.sub(first, block.k), kernel.atom.m));
    if (isRange())
      return createRangeRun(starts, first, wideRun, length, accumulators);
    return createRun(starts,
                     narrowAccess.createPosition(MatrixIndex::Column, first),
                     wideRun, length, accumulators);
  };
  auto createWhole = [&](Value run, ValueRange accumulators) {
    Value first = math.mul(run, size);
    if (isWhole)
      return createColumns(first, math.constant(size), accumulators);
    first = math.maximum(block.k, first);
    Value last = math.minimum(end, math.mul(math.add(run, 1), size));
    return createColumns(first, code.sub(last, first), accumulators);
  };
  // Blocks are parts of runs.
  if (size % kernel.gemmK() == 0)
    return createColumns(block.k, math.constant(kernel.gemmK()), initial);
  auto loop = scf::ForOp::create(
      b, math.div(block.k, size), math.div(math.add(end, size - 1), size),
      math.constant(1), initial,
      [&](OpBuilder &, Location, Value run, ValueRange accumulators) {
        scf::YieldOp::create(b, createWhole(run, accumulators));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Adds the products of the block to a register tile, whose rows of the narrow
/// operand are in the scratch buffer.
SmallVector<Value> HostCacheLoop::createPacked(Value row, Value wideStart,
                                               ValueRange initial) {
  Value start = narrow.locate(math, row);
  SmallVector<NarrowRow> rows;
  for (int64_t i = 0; i < narrow.step; ++i)
    rows.push_back(
        {narrow.scratch, math.add(start, i * narrow.getRowDistance())});
  return createSteps(rows, narrow.getReductionDistance(), wideStart,
                     block.length, initial);
}

/// Adds the products of the block to the sums of one register tile.
void HostCacheLoop::createRegisterTile(Value row, Value vector) {
  SmallVector<Value> places, initial;
  for (int64_t i = 0; i < narrow.step; ++i)
    for (int64_t j = 0; j < countVectors(); ++j)
      places.push_back(
          math.add(sumOffset(math.add(row, i), vector), j * getVectorWidth()));
  for (Value place : places)
    initial.push_back(hasOneBlock() ? createZeros()
                                    : code.load(sums, place, getVectorWidth()));
  Value wideStart = math.constant(0);
  for (auto [sum, place] : llvm::zip_equal(
           narrow.inPlace != 0 ? createRuns(row, wideStart, initial)
                               : createPacked(row, wideStart, initial),
           places))
    code.store(sum, sums, place);
}

/// Multiplies a panel by all rows of the narrow operand. What is left after the
/// last whole panel of the matrix may have fewer vectors.
void HostCacheLoop::createPanel(Value vector, Value narrowCount) {
  auto createTiles = [&](int64_t rows) {
    width = rows;
    code.forEach(math.constant(0), narrowCount, narrow.step,
                 [&](Value row) { createRegisterTile(row, vector); });
  };
  int64_t whole = kernel.atom.m;
  int64_t rest = llvm::alignTo(wide.rows % whole, std::gcd(code.lanes, whole));
  if (wide.rows < whole)
    return createTiles(rest);
  if (rest == 0 || rest == whole || wide.tile % whole != 0)
    return createTiles(whole);
  Value count = isLeftWide ? block.rows : block.columns;
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                            code.sub(count, vector), math.constant(whole));
  auto createIf = [&](int64_t rows) {
    return [&, rows](OpBuilder &, Location) {
      createTiles(rows);
      scf::YieldOp::create(b);
    };
  };
  scf::IfOp::create(b, isWhole, createIf(whole), createIf(rest));
}

void HostCacheLoop::createReduction() {
  Value zero = math.constant(0);
  int64_t reduction = kernel.form.getReduction();
  Value wideCount = isLeftWide ? block.rows : block.columns;
  Value narrowCount = isLeftWide ? block.columns : block.rows;
  // A narrow operand may have far fewer rows than the scratch buffer.
  Value narrowEnd =
      math.mul(math.div(math.add(narrowCount, narrow.step - 1), narrow.step),
               narrow.step);
  auto clearSums = [&] {
    code.forEach(zero, narrowEnd, 1, [&](Value row) {
      code.forEach(zero, wideCount, kernel.atom.m, [&](Value vector) {
        code.storeZeros(kernel.atom.m, sums, sumOffset(row, vector));
      });
    });
  };
  auto createBlock = [&](Value k, Value length) {
    block.k = k;
    block.length = length;
    if (narrow.inPlace == 0)
      HostPack(kernel, block, narrow, isLeftWide ? origin.column : origin.row)
          .create(narrowCount);
    code.forEach(zero, wideCount, wide.step, [&](Value vector) {
      Value first = isLeftWide ? origin.row : origin.column;
      HostPack(kernel, block, wide, math.add(first, vector))
          .create(math.minimum(math.constant(wide.step),
                               code.sub(wideCount, vector)));
      createPanel(vector, narrowCount);
    });
  };
  if (hasOneBlock())
    return createBlock(zero, math.constant(reduction));
  clearSums();
  code.forEach(zero, math.constant(reduction), kernel.gemmK(), [&](Value k) {
    Value length = math.constant(kernel.gemmK());
    if (reduction % kernel.gemmK() != 0)
      length = math.minimum(length, code.sub(math.constant(reduction), k));
    createBlock(k, length);
  });
}

void HostCacheLoop::createResults() {
  MatrixIndex ofWide = isLeftWide ? MatrixIndex::Row : MatrixIndex::Column;
  MatrixIndex ofNarrow = isLeftWide ? MatrixIndex::Column : MatrixIndex::Row;
  MatrixAccess result(math, kernel.form.result);
  bool isAcross =
      ::conv::areResultsAcross(result.getInnermostDistance(ofWide),
                               result.getInnermostDistance(ofNarrow));
  bool isAlongRows = isLeftWide != isAcross;
  HostEpilogue epilogue(code, isAcross ? ofNarrow : ofWide,
                        isAcross ? narrow.rows : wide.rows);
  Value count = isAlongRows ? block.rows : block.columns;
  auto loadSums = [&](Value run, Value first, int64_t elements) {
    if (!isAcross)
      return code.load(sums, sumOffset(run, first), elements);
    SmallVector<Value> offsets;
    for (int64_t i = 0; i < elements; ++i)
      offsets.push_back(sumOffset(math.add(first, i), run));
    return code.loadEach(sums, offsets);
  };
  code.forEach(math.constant(0), isAlongRows ? block.columns : block.rows, 1,
               [&](Value run) {
                 TileOrigin start = origin;
                 Value &other = isAlongRows ? start.column : start.row;
                 other = math.add(other, run);
                 epilogue.create(start, count,
                                 [&](Value first, int64_t elements) {
                                   return loadSums(run, first, elements);
                                 });
               });
}

void HostCacheLoop::create() {
  if (zeros)
    code.forEach(math.constant(0), math.constant(kernel.gemmK()), code.lanes,
                 [&](Value k) { code.storeZeros(code.lanes, zeros, k); });
  origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  block = clipToResult(kernel, origin);
  createReduction();
  createResults();
}

LogicalResult mlir::conv::createHostCacheBody(Kernel &kernel,
                                              gpu::GPUFuncOp function) {
  HostCacheLoop(kernel, function).create();
  return success();
}
