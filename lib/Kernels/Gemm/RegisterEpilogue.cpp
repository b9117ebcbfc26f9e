//===- RegisterEpilogue.cpp - epilogue and store from registers -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue's scalar ops are cloned for each element; back ends vectorise
// them where that pays off. Vectors of columns are loaded once per run and used
// for all rows. Lanes that multiply hold a row each. Stored one by one, their
// vectors would be parts of as many sectors as there are lanes, so neighbours
// exchange vectors first and store parts of fewer rows, each of which is
// longer:
//
//   has      a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 c2 c3 | d0 d1 d2 d3
//   stores   a0 b0 c0 d0 | a1 b1 c1 d1 | a2 b2 c2 d2 | a3 b3 c3 d3
//
//===----------------------------------------------------------------------===//

#include "../Parts/EpilogueOps.h"
#include "../Parts/MatrixAccess.h"
#include "Epilogue.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class RegisterEpilogue {
public:
  RegisterEpilogue(const Kernel &kernel, const MatrixUnit &matrix,
                   const TileOrigin &origin, ValueRange accumulators);
  void create();

private:
  using Elements = SmallVector<Value>;
  using Positions = SmallVector<MatrixAccess::Position>;
  /// The result or an operand of the epilogue. A lane accesses its elements in
  /// runs along a row.
  struct Matrix {
    Value buffer;
    MatrixAccess access;
    MatrixAccess::Position batch;
    int64_t width;     ///< Elements of one access.
    Positions columns; ///< Columns of the current run's accesses.
  };
  Matrix createMatrix(size_t tensor) const;
  /// Computes the column positions of the accesses of `elements` elements that
  /// start at the current run's first column.
  void setColumns(Matrix &target, int64_t elements) const;
  Elements loadRun(const Matrix &matrix, const MatrixAccess::Position &row,
                   Value isRow) const;
  void storeRun(const Elements &elements, const MatrixAccess::Position &row,
                Value isRow) const;
  Value isColumn(int64_t first) const;
  Value getRow(int64_t index) const {
    return kernel.math.add(origin.row, matrix.getRow(index));
  }
  Value isRow(Value row) const;
  /// Moves to a run and loads the operands that all its rows share.
  SmallVector<Elements> startRun(int64_t run);
  /// The results of a run in the lane's row `index`.
  Elements createRow(int64_t index, int64_t run,
                     ArrayRef<Elements> broadcast) const;
  bool hasRows() const;
  /// Neighbouring lanes that have the vectors that follow each other in a row
  /// after an exchange; 1 if there is none.
  int64_t countExchanging() const;
  /// Stores the runs that `lanes` neighbours exchange, from `firstRun` on.
  void createExchanged(int64_t firstRun, int64_t lanes);

  const Kernel &kernel;
  const MatrixUnit &matrix;
  const TileOrigin &origin;
  ValueRange accumulators;
  SmallVector<Matrix, 0> operands;
  Matrix result;
  Value firstColumn; ///< Of the current run, or of the lane's exchanged vector.
};
} // namespace

RegisterEpilogue::RegisterEpilogue(const Kernel &kernel,
                                   const MatrixUnit &matrix,
                                   const TileOrigin &origin,
                                   ValueRange accumulators)
    : kernel(kernel), matrix(matrix), origin(origin),
      accumulators(accumulators),
      result(createMatrix(kernel.arguments.size() - 1)) {
  constexpr size_t kFirst = 2; // After the operands of the product.
  for (size_t tensor = kFirst; tensor + 1 < kernel.arguments.size(); ++tensor)
    operands.push_back(createMatrix(tensor));
}

RegisterEpilogue::Matrix RegisterEpilogue::createMatrix(size_t tensor) const {
  MatrixAccess access = createAccess(kernel, tensor);
  Value buffer = kernel.arguments[tensor];
  int64_t bytes = getElementBytes(kernel.form.getTensor(tensor).getType());
  int64_t limit = std::gcd(matrix.runLength(), kVectorBytes / bytes);
  return {buffer,
          access,
          access.createPosition(MatrixIndex::Batch, origin.batch),
          access.getVectorWidth(MatrixIndex::Column, limit),
          {}};
}

/// Whether column `first` of the current run is inside the result.
Value RegisterEpilogue::isColumn(int64_t first) const {
  int64_t columns = kernel.form.getColumns();
  return columns % kernel.workgroupTile()[1] == 0
             ? kernel.math.yes()
             : kernel.math.below(kernel.math.add(firstColumn, first), columns);
}

void RegisterEpilogue::setColumns(Matrix &target, int64_t elements) const {
  target.columns.clear();
  for (int64_t first = 0; first < elements; first += target.width)
    target.columns.push_back(target.access.add(
        target.batch,
        target.access.createPosition(MatrixIndex::Column,
                                     kernel.math.add(firstColumn, first))));
}

RegisterEpilogue::Elements
RegisterEpilogue::loadRun(const Matrix &source,
                          const MatrixAccess::Position &row,
                          Value isRow) const {
  Elements elements;
  for (auto [i, column] : llvm::enumerate(source.columns)) {
    MatrixAccess::Position position = source.access.add(row, column);
    Value guard = kernel.math.both(isRow, isColumn(i * source.width));
    Value loaded =
        kernel.load(source.buffer, source.access.createOffset(position),
                    source.access.createGuard(position, guard), source.width);
    for (int64_t element = 0; element < source.width; ++element)
      elements.push_back(vector::ExtractOp::create(kernel.b, loaded, element));
  }
  return elements;
}

void RegisterEpilogue::storeRun(const Elements &elements,
                                const MatrixAccess::Position &row,
                                Value isRow) const {
  auto type = VectorType::get({result.width}, kernel.form.getResultType());
  for (auto [i, column] : llvm::enumerate(result.columns)) {
    int64_t first = i * result.width;
    Value stored = vector::FromElementsOp::create(
        kernel.b, type, ArrayRef<Value>(elements).slice(first, result.width));
    MatrixAccess::Position position = result.access.add(row, column);
    Value guard = kernel.math.both(isRow, isColumn(first));
    kernel.store(stored, result.buffer, result.access.createOffset(position),
                 result.access.createGuard(position, guard));
  }
}

Value RegisterEpilogue::isRow(Value row) const {
  SharedNumber rows = kernel.getRows();
  return rows.isMultipleOf(kernel.workgroupTile()[0])
             ? kernel.math.yes()
             : kernel.math.below(row, rows);
}

RegisterEpilogue::Elements
RegisterEpilogue::createRow(int64_t index, int64_t run,
                            ArrayRef<Elements> broadcast) const {
  Value row = getRow(index);
  SmallVector<Elements> loaded(broadcast);
  for (auto [operand, elements] : llvm::zip(operands, loaded))
    if (elements.empty())
      elements =
          loadRun(operand, operand.access.createPosition(MatrixIndex::Row, row),
                  isRow(row));

  Elements results;
  for (int64_t i = 0; i < matrix.runLength(); ++i) {
    SmallVector<Value> inputs = {matrix.element(accumulators, index, run, i)};
    for (const Elements &elements : loaded)
      inputs.push_back(elements[i]);
    results.push_back(
        createEpilogueOps(kernel.b, kernel.form.epilogue, inputs));
  }
  return results;
}

SmallVector<RegisterEpilogue::Elements>
RegisterEpilogue::startRun(int64_t run) {
  const IndexMath &math = kernel.math;
  firstColumn = math.add(origin.column, matrix.columnOfRun(run));
  setColumns(result, matrix.runLength());
  // Operands that all rows share are loaded once.
  SmallVector<Elements> broadcast(operands.size());
  for (auto [operand, elements] : llvm::zip(operands, broadcast)) {
    setColumns(operand, matrix.runLength());
    if (operand.access.isBroadcast(MatrixIndex::Row))
      elements = loadRun(
          operand,
          operand.access.createPosition(MatrixIndex::Row, math.constant(0)),
          math.yes());
  }
  return broadcast;
}

/// Bytes of a row that lanes store together after an exchange: whole sectors if
/// their vectors are aligned. Other rows start inside of a sector, so they are
/// stored in longer parts.
static constexpr int64_t kAlignedBytes = 64, kUnalignedBytes = 128;

/// Whether columns are neighbours in memory, and rows not too short to gain. If
/// rows are neighbours instead, lanes already store neighbouring elements.
bool RegisterEpilogue::hasRows() const {
  const MatrixAccess &access = result.access;
  return access.getInnermostDistance(MatrixIndex::Column) == 1 &&
         access.getInnermostSize(MatrixIndex::Column) >=
             kAlignedBytes / int64_t(sizeof(float));
}

int64_t RegisterEpilogue::countExchanging() const {
  if (kernel.atom.kind != ::conv::AtomKind::FMA ||
      kernel.chip.sectorBytes == 0 || !kernel.form.getResultType().isF32() ||
      kernel.laneGroups() != 1 || !hasRows())
    return 1;
  int64_t width = result.width * int64_t(sizeof(float));
  int64_t most = width == kVectorBytes ? kAlignedBytes : kUnalignedBytes;
  // The runs of a lane are adjacent.
  int64_t ofLane = matrix.numRuns() * matrix.runLength() / result.width;
  int64_t lanes = std::gcd(most / width, ofLane);
  bool areRuns = lanes * result.width % matrix.runLength() == 0;
  return areRuns && lanes * width >= kAlignedBytes ? lanes : 1;
}

/// Transposes the square of vectors that neighbouring lanes have, which are one
/// row of it each.
static void transposeLanes(const Kernel &kernel,
                           MutableArrayRef<SmallVector<Value>> vectors) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  auto lanes = int64_t(vectors.size());
  for (int64_t bit = 1; bit < lanes; bit *= 2) {
    Value isLow = math.below(math.rem(kernel.lane, 2 * bit), bit);
    for (int64_t low = 0; low < lanes; ++low) {
      if (low & bit)
        continue;
      for (auto [first, second] : llvm::zip(vectors[low], vectors[low | bit])) {
        Value sent = arith::SelectOp::create(b, isLow, second, first);
        Value received =
            gpu::ShuffleOp::create(b, sent, int32_t(bit),
                                   int32_t(kernel.chip.subgroupSize),
                                   gpu::ShuffleMode::XOR)
                .getShuffleResult();
        Value other = arith::SelectOp::create(b, isLow, received, second);
        first = arith::SelectOp::create(b, isLow, first, received);
        second = other;
      }
    }
  }
}

void RegisterEpilogue::createExchanged(int64_t firstRun, int64_t lanes) {
  const IndexMath &math = kernel.math;
  SmallVector<SmallVector<Elements>> results(matrix.numRows());
  int64_t runs = lanes * result.width / matrix.runLength();
  for (int64_t run = firstRun; run < firstRun + runs; ++run) {
    SmallVector<Elements> broadcast = startRun(run);
    for (auto [row, vectors] : llvm::enumerate(results)) {
      Elements elements = createRow(int64_t(row), run, broadcast);
      for (size_t first = 0; first < elements.size(); first += result.width)
        vectors.emplace_back(
            ArrayRef<Value>(elements).slice(first, result.width));
    }
  }
  // The lane now has one vector of each of the rows of its neighbours.
  Value place = math.rem(kernel.lane, lanes);
  firstColumn = math.add(math.add(origin.column, matrix.columnOfRun(firstRun)),
                         math.mul(place, result.width));
  setColumns(result, result.width);
  for (auto [index, vectors] : llvm::enumerate(results)) {
    transposeLanes(kernel, vectors);
    Value first = math.sub(getRow(int64_t(index)), place);
    for (auto [neighbour, vector] : llvm::enumerate(vectors)) {
      Value row = math.add(first, int64_t(neighbour));
      storeRun(vector, result.access.createPosition(MatrixIndex::Row, row),
               isRow(row));
    }
  }
}

void RegisterEpilogue::create() {
  if (int64_t lanes = countExchanging(); lanes > 1) {
    int64_t runs = lanes * result.width / matrix.runLength();
    for (int64_t run = 0; run < matrix.numRuns(); run += runs)
      createExchanged(run, lanes);
    return;
  }
  for (int64_t run = 0; run < matrix.numRuns(); ++run) {
    SmallVector<Elements> broadcast = startRun(run);
    for (int64_t index = 0; index < matrix.numRows(); ++index) {
      Value row = getRow(index);
      storeRun(createRow(index, run, broadcast),
               result.access.createPosition(MatrixIndex::Row, row), isRow(row));
    }
  }
}

void mlir::conv::createRegisterEpilogue(const Kernel &kernel,
                                        const MatrixUnit &matrix,
                                        const TileOrigin &origin,
                                        ValueRange accumulators) {
  RegisterEpilogue(kernel, matrix, origin, accumulators).create();
}
