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
#include "../Parts/TileScheduler.h"
#include "ElementwiseStream.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

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

/// The rows that a work-item of a stream has one after the other. Its run must
/// not leave the innermost digit of a row, since only that moves from row to
/// row: plans see to that, but a schedule may be given by hand.
static int64_t countRowsOfRun(const TiledConvolution &form) {
  int64_t rows = countElementwiseShares(form);
  ArrayRef<int64_t> digits = form.getResults().front().view.getRows();
  return digits.back() % rows == 0 && form.getTile()[1] % rows == 0 ? rows : 1;
}

ElementwiseTile::ElementwiseTile(const Kernel &kernel)
    : kernel(kernel), math(kernel.math),
      isStream(streamsElements(kernel.form, kernel.chip)),
      shares(countSharingWorkgroups(kernel.form, kernel.chip)),
      origin(TileRaster(kernel.form)
                 .createOrigin(math, math.div(kernel.workgroup, shares))),
      along(selectIndex(kernel)),
      run(isStream && along == MatrixIndex::Column ? countRowsOfRun(kernel.form)
                                                   : 1),
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
  if (width == 1 && !isStream)
    sum = RegularSum::find(kernel);
  // The inputs of the sum are loaded in its own loop.
  SmallVector<MatrixOperand> read = llvm::to_vector(
      ArrayRef(kernel.form.epilogueOperands).drop_front(countSummed()));
  SmallVector<Value> buffers =
      llvm::to_vector(kernel.epilogueArguments().drop_front(countSummed()));
  if (isStream) {
    repeated = RepeatedInputs::find(kernel.form, /*withExtras=*/run > 1);
    for (const auto &[matrix, input] : repeated.getExtras()) {
      read.push_back(matrix);
      buffers.push_back(buffers[input]);
    }
  }
  for (const InterleavedMatrices &matrices : join(read, true)) {
    size_t first = matrices.members.front().number;
    operands.push_back(
        createMatrix(matrices, read[first], buffers[first], width));
  }
}

SmallVector<InterleavedMatrices, 0>
ElementwiseTile::join(ArrayRef<MatrixOperand> matrices, bool withGaps) const {
  if (along == MatrixIndex::Column)
    return interleave(matrices, withGaps, /*withWindows=*/isStream);
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
  int64_t bytes = getElementBytes(first.getType());
  bool isRepeated =
      own.getInnermostDistance(along) == 0 && own.isCheckedTogether(along) &&
      (own.isBroadcast(along) || own.getInnermostSize(along) % limit == 0);
  int64_t elements = matrices.period * (isRepeated ? 1 : limit);
  int64_t width =
      access.getVectorWidth(along, std::gcd(elements, kVectorBytes / bytes));
  std::optional<MatrixAccess> compact;
  if (matrices.compact)
    compact.emplace(math, *matrices.compact);
  return {buffer,
          access,
          matrices.members,
          matrices.period,
          isRepeated,
          width,
          first.getType().getElementType(),
          compact,
          matrices.repeat};
}

ElementwiseTile::Place ElementwiseTile::getPlace(Item item) const {
  Value line = math.div(item.run, countVectorsOfLine());
  if (run > 1)
    line = math.add(math.mul(line, run), item.row);
  Value inLine = math.mul(math.rem(item.run, countVectorsOfLine()), width);
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

void ElementwiseTile::storeElements(const Matrix &result, const Place &place,
                                    Value step, Value guard,
                                    Value stored) const {
  MatrixAccess::Position position = locate(result, place, step);
  kernel.store(stored, result.buffer, result.access.createOffset(position),
               result.access.createGuard(position, guard));
}

void ElementwiseTile::store(const Matrix &result, Item item,
                            ArrayRef<SmallVector<Value>> computed,
                            VectorExchange *exchange) const {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < width; ++i)
    for (auto [number, place] : result.members)
      elements.push_back(computed[number][i]);
  // A later result may have made vectors shorter.
  int64_t part = getStoredElements(result);
  auto type = VectorType::get({part}, kernel.form.getResultType());
  SmallVector<Value> vectors;
  for (int64_t step = 0; step < int64_t(elements.size()); step += part)
    vectors.push_back(vector::FromElementsOp::create(
        kernel.b, type, ArrayRef(elements).slice(step, part)));
  if (exchange && exchange->fits(result.period * width, part)) {
    Value first = math.sub(item.run, kernel.workItem);
    for (auto [i, stored] : llvm::enumerate(exchange->exchange(vectors))) {
      auto [owner, number] = exchange->getPlace(int64_t(i));
      Place place = getPlace({math.add(first, owner), item.row});
      storeElements(result, place, math.mul(number, part), isInMatrices(place),
                    stored);
    }
    return;
  }
  Place place = getPlace(item);
  for (auto [i, stored] : llvm::enumerate(vectors))
    storeElements(result, place, math.constant(int64_t(i) * part),
                  isInMatrices(place), stored);
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

void ElementwiseTile::createVector(Item item, VectorExchange *exchange) const {
  // For each input after the sum, the elements of a vector.
  SmallVector<SmallVector<Value>> loaded(kernel.form.epilogueOperands.size() -
                                         countSummed());
  SmallVector<SmallVector<Value>> vectors;
  for (const Matrix &operand : operands) {
    if (operand.exchange)
      vectors.push_back(loadLines(operand, item));
    else
      loadElements(operand, item, loaded);
  }
  // A code generator may not move loads after the exchanges of others.
  if (!vectors.empty())
    ScheduleFenceOp::create(kernel.b);
  const auto *ofOperand = vectors.begin();
  for (const Matrix &operand : operands)
    if (operand.exchange)
      exchangeLines(operand, *ofOperand++, loaded);
  Place place = getPlace(item);
  SmallVector<SmallVector<Value>> computed =
      compute(place, isInMatrices(place), loaded);
  for (const Matrix &result : results)
    store(result, item, computed, exchange);
  if (exchange)
    exchange->endRound();
}

std::optional<VectorExchange> ElementwiseTile::planExchange() const {
  if (!areTogether())
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
  scf::ForOp::create(b, first, math.constant(countRuns()),
                     math.constant(shares * kernel.workItems), ValueRange{},
                     [&](OpBuilder &, Location, Value number, ValueRange) {
                       if (isStream)
                         ElementwiseStream(*this, number, exchange).create();
                       else
                         createVector({number, math.constant(0)}, exchange);
                       scf::YieldOp::create(b);
                     });
}

LogicalResult mlir::conv::createElementwiseBody(Kernel &kernel,
                                                gpu::GPUFuncOp function) {
  ElementwiseTile tile(kernel);
  std::optional<VectorExchange> exchange = tile.planExchange();
  bool isExchanged = exchange && exchange->allocate(function);
  tile.shareLines(function);
  tile.create(isExchanged ? &*exchange : nullptr);
  return success();
}
