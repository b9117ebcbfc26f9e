//===- ElementwiseBody.cpp - kernels without a product ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue of tensors alone: split-K slices that are combined, gradients
// that are folded, positions that no filter element meets. Each work-item takes
// vectors of the tile along the index that is contiguous in most of the tensors
// that are read and written.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseBody.h"
#include "../Parts/EpilogueOps.h"
#include "../Parts/MatrixAccess.h"
#include "../Parts/TileScheduler.h"
#include "../Parts/VectorExchange.h"
#include "InterleavedMatrices.h"
#include "RegularSum.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class ElementwiseTile {
public:
  explicit ElementwiseTile(const Kernel &kernel);
  /// The exchange of results between work-items, if it makes the stores of
  /// neighbouring work-items adjacent.
  std::optional<VectorExchange> planExchange() const;
  void create(VectorExchange *exchange) const;

private:
  /// The position of a work-item's vector in the matrices.
  struct Place {
    Value row, column;
  };
  Place getPlace(Value vector) const;
  Value isInMatrices(const Place &place) const {
    return math.both(math.below(place.row, kernel.form.getRows()),
                     math.below(place.column, kernel.form.getColumns()));
  }
  /// One matrix, or several that are interleaved.
  struct Matrix {
    Value buffer;
    MatrixAccess access;
    SmallVector<InterleavedMatrices::Member> members;
    int64_t period;
    bool isRepeated; ///< All elements of a vector are the same one.
    int64_t width;   ///< Elements of one access.
  };
  Matrix createMatrix(const InterleavedMatrices &matrices,
                      const MatrixOperand &first, Value buffer,
                      int64_t limit) const;
  /// Joins matrices that are interleaved along columns, if vectors are, too.
  SmallVector<InterleavedMatrices, 0> join(ArrayRef<MatrixOperand> matrices,
                                           bool withGaps) const;
  /// The position of the access `step` elements after a vector's start.
  MatrixAccess::Position locate(const Matrix &matrix, Place place,
                                Value step) const;
  /// Loads the vectors of the operand's members.
  void load(const Matrix &operand, const Place &place, Value guard,
            MutableArrayRef<SmallVector<Value>> loaded) const;
  /// Elements of one store, out of those that a work-item has of a result.
  int64_t getStoredElements(const Matrix &result) const {
    return std::gcd(result.width, width * result.period);
  }
  void storeElements(const Matrix &result, const Place &place, Value step,
                     Value guard, Value stored) const;
  /// Stores vector `vector` or, with an exchange, pieces of its neighbours.
  void store(const Matrix &result, Value vector,
             ArrayRef<SmallVector<Value>> computed,
             VectorExchange *exchange) const;
  size_t countSummed() const { return sum ? sum->getInputs() : 0; }
  /// The sum of the first inputs at a place.
  Value createSum(const Place &place, Value guard) const;
  /// For each result, the elements of a vector.
  SmallVector<SmallVector<Value>>
  compute(const Place &place, Value guard,
          ArrayRef<SmallVector<Value>> loaded) const;
  void createVector(Value vector, VectorExchange *exchange) const;
  /// Vectors in a line of the tile, and in the whole tile.
  int64_t countVectorsOfLine() const {
    return kernel.form.getTile()[1 + (along == MatrixIndex::Column)] / width;
  }
  int64_t countVectors() const {
    return countVectorsOfLine() *
           kernel.form.getTile()[1 + (along == MatrixIndex::Row)];
  }

  const Kernel &kernel;
  const IndexMath &math;
  int64_t shares; ///< Number of workgroups that share a tile.
  TileOrigin origin;
  MatrixIndex along; ///< The index along which vectors lie.
  int64_t width;     ///< Elements of a vector.
  SmallVector<Matrix, 0> operands, results; ///< Operands after the sum.
  std::optional<RegularSum> sum;            ///< The first inputs' sum.
};
} // namespace

/// The index along which elements are adjacent in memory for most operands and
/// results.
static MatrixIndex selectIndex(const Kernel &kernel) {
  int64_t rowsFollow = 0, columnsFollow = 0;
  auto count = [&](const MatrixOperand &operand) {
    MatrixAccess access(kernel.math, operand);
    bool byRow = access.getInnermostDistance(MatrixIndex::Row) == 1;
    bool byColumn = access.getInnermostDistance(MatrixIndex::Column) == 1;
    rowsFollow += byRow && !byColumn;
    columnsFollow += byColumn && !byRow;
  };
  llvm::for_each(kernel.form.getResults(), count);
  llvm::for_each(kernel.form.epilogueOperands, count);
  return rowsFollow > columnsFollow ? MatrixIndex::Row : MatrixIndex::Column;
}

ElementwiseTile::ElementwiseTile(const Kernel &kernel)
    : kernel(kernel), math(kernel.math),
      shares(countElementwiseShares(kernel.form)),
      origin(TileRaster(kernel.form)
                 .createOrigin(math, math.div(kernel.workgroup, shares))),
      along(selectIndex(kernel)),
      width(std::gcd(kernel.form.getTile()[1 + (along == MatrixIndex::Column)],
                     countElementwiseElements(kernel.form))) {
  SmallVector<MatrixOperand> written = kernel.form.getResults();
  for (const InterleavedMatrices &matrices : join(written, false)) {
    const MatrixOperand &first = written[matrices.members.front().number];
    results.push_back(
        createMatrix(matrices, first, kernel.arguments.back(), width));
    // Either all elements of a vector are written or none.
    width = matrices.period == 1
                ? std::min(width, results.back().width)
                : std::gcd(width,
                           MatrixAccess(math, first).getInnermostSize(along));
  }
  if (width == 1)
    sum = RegularSum::find(kernel);
  // The inputs of the sum are loaded in its own loop.
  auto read = ArrayRef(kernel.form.epilogueOperands).drop_front(countSummed());
  ArrayRef<Value> buffers =
      kernel.epilogueArguments().drop_front(countSummed());
  for (const InterleavedMatrices &matrices : join(read, true)) {
    size_t first = matrices.members.front().number;
    operands.push_back(
        createMatrix(matrices, read[first], buffers[first], width));
  }
}

SmallVector<InterleavedMatrices, 0>
ElementwiseTile::join(ArrayRef<MatrixOperand> matrices, bool withGaps) const {
  if (along == MatrixIndex::Column)
    return interleave(matrices, withGaps);
  SmallVector<InterleavedMatrices, 0> single;
  for (auto [number, matrix] : llvm::enumerate(matrices))
    single.push_back({matrix, {{number}}});
  return single;
}

ElementwiseTile::Matrix
ElementwiseTile::createMatrix(const InterleavedMatrices &matrices,
                              const MatrixOperand &first, Value buffer,
                              int64_t limit) const {
  MatrixAccess access(math, matrices.operand), own(math, first);
  int64_t bytes = first.getType().getElementTypeBitWidth() / 8;
  bool isRepeated =
      own.getInnermostDistance(along) == 0 && own.isCheckedTogether(along) &&
      (own.isBroadcast(along) || own.getInnermostSize(along) % limit == 0);
  int64_t elements = matrices.period * (isRepeated ? 1 : limit);
  int64_t width =
      access.getVectorWidth(along, std::gcd(elements, kPieceBytes / bytes));
  return {buffer, access, matrices.members, matrices.period, isRepeated, width};
}

ElementwiseTile::Place ElementwiseTile::getPlace(Value vector) const {
  Value line = math.div(vector, countVectorsOfLine());
  Value inLine = math.mul(math.rem(vector, countVectorsOfLine()), width);
  bool isRow = along == MatrixIndex::Row;
  return {math.add(origin.row, isRow ? inLine : line),
          math.add(origin.column, isRow ? line : inLine)};
}

MatrixAccess::Position ElementwiseTile::locate(const Matrix &matrix,
                                               Place place, Value step) const {
  Value &index = along == MatrixIndex::Row ? place.row : place.column;
  index = math.add(math.mul(index, matrix.period), step);
  return matrix.access.add(
      matrix.access.createPosition(MatrixIndex::Batch, origin.batch),
      matrix.access.add(
          matrix.access.createPosition(MatrixIndex::Row, place.row),
          matrix.access.createPosition(MatrixIndex::Column, place.column)));
}

void ElementwiseTile::load(const Matrix &operand, const Place &place,
                           Value guard,
                           MutableArrayRef<SmallVector<Value>> loaded) const {
  int64_t count = operand.period * (operand.isRepeated ? 1 : width);
  SmallVector<Value> elements;
  for (int64_t step = 0; step < count; step += operand.width) {
    MatrixAccess::Position position =
        locate(operand, place, math.constant(step));
    Value part =
        kernel.load(operand.buffer, operand.access.createOffset(position),
                    operand.access.createGuard(position, guard), operand.width);
    for (int64_t i = 0; i < operand.width; ++i)
      elements.push_back(vector::ExtractOp::create(kernel.b, part, i));
  }
  // Parts of a vector share cache lines: a code generator that moved one of
  // them down would have these lines fetched again.
  if (count > operand.width)
    ScheduleFenceOp::create(kernel.b);
  for (int64_t i = 0; i < width; ++i)
    for (auto [number, place] : operand.members)
      loaded[number].push_back(
          elements[(operand.isRepeated ? 0 : i * operand.period) + place]);
}

void ElementwiseTile::storeElements(const Matrix &result, const Place &place,
                                    Value step, Value guard,
                                    Value stored) const {
  MatrixAccess::Position position = locate(result, place, step);
  kernel.store(stored, result.buffer, result.access.createOffset(position),
               result.access.createGuard(position, guard));
}

void ElementwiseTile::store(const Matrix &result, Value vector,
                            ArrayRef<SmallVector<Value>> computed,
                            VectorExchange *exchange) const {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    for (auto [number, place] : result.members)
      elements.push_back(computed[number][i]);
  // A later result may have made vectors shorter.
  int64_t part = getStoredElements(result);
  auto type = VectorType::get({part}, kernel.form.getResultType());
  SmallVector<Value> pieces;
  for (int64_t step = 0; step < int64_t(elements.size()); step += part)
    pieces.push_back(vector::FromElementsOp::create(
        kernel.b, type, ArrayRef(elements).slice(step, part)));
  if (exchange && exchange->fits(result.period * width, part)) {
    Value first = math.sub(vector, kernel.workItem);
    for (auto [i, piece] : llvm::enumerate(exchange->exchange(pieces))) {
      auto [owner, number] = exchange->getPlace(int64_t(i));
      Place place = getPlace(math.add(first, owner));
      storeElements(result, place, math.mul(number, part), isInMatrices(place),
                    piece);
    }
    return;
  }
  Place place = getPlace(vector);
  for (auto [i, piece] : llvm::enumerate(pieces))
    storeElements(result, place, math.constant(int64_t(i) * part),
                  isInMatrices(place), piece);
}

Value ElementwiseTile::createSum(const Place &place, Value guard) const {
  Matrix first = createMatrix({kernel.form.epilogueOperands.front(), {}},
                              kernel.form.epilogueOperands.front(),
                              kernel.epilogueArguments().front(), width);
  MatrixAccess::Position position = locate(first, place, math.constant(0));
  return sum->create(kernel, first.access.createOffset(position),
                     first.access.createGuard(position, guard));
}

SmallVector<SmallVector<Value>>
ElementwiseTile::compute(const Place &place, Value guard,
                         ArrayRef<SmallVector<Value>> loaded) const {
  IRMapping known;
  if (sum)
    sum->map(createSum(place, guard), known);
  SmallVector<SmallVector<Value>> computed(kernel.form.getResults().size());
  for (int64_t i = 0; i < width; ++i) {
    auto getInput = [&](size_t number) {
      return loaded[number - countSummed()][i];
    };
    for (auto [elements, element] : llvm::zip(
             computed, createEpilogueResults(kernel.b, kernel.form.epilogue,
                                             getInput, known)))
      elements.push_back(element);
  }
  return computed;
}

void ElementwiseTile::createVector(Value vector,
                                   VectorExchange *exchange) const {
  Place place = getPlace(vector);
  Value guard = isInMatrices(place);
  // For each input after the sum, the elements of a vector.
  SmallVector<SmallVector<Value>> loaded(kernel.form.epilogueOperands.size() -
                                         countSummed());
  for (const Matrix &operand : operands)
    load(operand, place, guard, loaded);
  SmallVector<SmallVector<Value>> computed = compute(place, guard, loaded);
  for (const Matrix &result : results)
    store(result, vector, computed, exchange);
  if (exchange)
    exchange->endRound();
}

std::optional<VectorExchange> ElementwiseTile::planExchange() const {
  // All work-items of a workgroup must reach the barriers of an exchange.
  if (countVectors() % (shares * kernel.workItems) != 0)
    return std::nullopt;
  for (const Matrix &result : results)
    if (int64_t part = getStoredElements(result); part < result.period * width)
      return VectorExchange({kernel.b, math, kernel.chip,
                             kernel.form.getResultType(), kernel.workItems,
                             kernel.workItem},
                            result.period * width, part);
  return std::nullopt;
}

void ElementwiseTile::create(VectorExchange *exchange) const {
  ImplicitLocOpBuilder &b = kernel.b;
  Value first =
      math.add(math.mul(math.rem(kernel.workgroup, shares), kernel.workItems),
               kernel.workItem);
  scf::ForOp::create(b, first, math.constant(countVectors()),
                     math.constant(shares * kernel.workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value vector, ValueRange) {
                       createVector(vector, exchange);
                       scf::YieldOp::create(b);
                     });
}

LogicalResult mlir::conv::createElementwiseBody(Kernel &kernel,
                                                gpu::GPUFuncOp function) {
  ElementwiseTile tile(kernel);
  std::optional<VectorExchange> exchange = tile.planExchange();
  bool isExchanged = exchange && exchange->allocate(function);
  tile.create(isExchanged ? &*exchange : nullptr);
  return success();
}
