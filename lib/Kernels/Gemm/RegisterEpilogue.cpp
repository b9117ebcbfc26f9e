//===- RegisterEpilogue.cpp - epilogue and store from registers -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue's scalar ops are cloned for each element; back ends vectorise
// them where that pays off. Vectors of columns are loaded once per run and used
// for all rows.
//
//===----------------------------------------------------------------------===//

#include "../Parts/EpilogueOps.h"
#include "../Parts/MatrixAccess.h"
#include "Epilogue.h"

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
  Matrix createMatrix(const MatrixOperand &operand, Value buffer) const;
  /// Computes the column positions of the accesses of the current run.
  void setRun(Matrix &target) const;
  Elements loadRun(const Matrix &matrix, const MatrixAccess::Position &row,
                   Value isRow) const;
  void storeRun(const Elements &elements, const MatrixAccess::Position &row,
                Value isRow) const;
  Value isColumn(int64_t first) const;
  void createRow(int64_t index, int64_t run,
                 ArrayRef<Elements> broadcast) const;

  const Kernel &kernel;
  const MatrixUnit &matrix;
  const TileOrigin &origin;
  ValueRange accumulators;
  SmallVector<Matrix, 0> operands;
  Matrix result;
  Value firstColumn; ///< The current run's first column.
};
} // namespace

RegisterEpilogue::RegisterEpilogue(const Kernel &kernel,
                                   const MatrixUnit &matrix,
                                   const TileOrigin &origin,
                                   ValueRange accumulators)
    : kernel(kernel), matrix(matrix), origin(origin),
      accumulators(accumulators),
      result(createMatrix(kernel.form.result, kernel.arguments.back())) {
  for (auto [operand, buffer] :
       llvm::zip(kernel.form.epilogueOperands, kernel.epilogueArguments()))
    operands.push_back(createMatrix(operand, buffer));
}

RegisterEpilogue::Matrix
RegisterEpilogue::createMatrix(const MatrixOperand &operand,
                               Value buffer) const {
  MatrixAccess access(kernel.math, operand);
  int64_t bytes = operand.getType().getElementTypeBitWidth() / 8;
  int64_t limit = std::gcd(matrix.runLength(), kPieceBytes / bytes);
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

void RegisterEpilogue::setRun(Matrix &target) const {
  target.columns.clear();
  for (int64_t first = 0; first < matrix.runLength(); first += target.width)
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

void RegisterEpilogue::createRow(int64_t index, int64_t run,
                                 ArrayRef<Elements> broadcast) const {
  const IndexMath &math = kernel.math;
  Value row = math.add(origin.row, matrix.getRow(index));
  Value isRow = kernel.form.getRows() % kernel.workgroupTile()[0] == 0
                    ? math.yes()
                    : math.below(row, kernel.form.getRows());
  auto rowOf = [&](const Matrix &matrix) {
    return matrix.access.createPosition(MatrixIndex::Row, row);
  };
  SmallVector<Elements> loaded(broadcast);
  for (auto [operand, elements] : llvm::zip(operands, loaded))
    if (elements.empty())
      elements = loadRun(operand, rowOf(operand), isRow);

  Elements results;
  for (int64_t i = 0; i < matrix.runLength(); ++i) {
    SmallVector<Value> inputs = {matrix.element(accumulators, index, run, i)};
    for (const Elements &elements : loaded)
      inputs.push_back(elements[i]);
    results.push_back(
        createEpilogueOps(kernel.b, kernel.form.epilogue, inputs));
  }
  storeRun(results, rowOf(result), isRow);
}

void RegisterEpilogue::create() {
  const IndexMath &math = kernel.math;
  for (int64_t run = 0; run < matrix.numRuns(); ++run) {
    firstColumn = math.add(origin.column, matrix.columnOfRun(run));
    setRun(result);
    // Operands that all rows share are loaded once.
    SmallVector<Elements> broadcast(operands.size());
    for (auto [operand, elements] : llvm::zip(operands, broadcast)) {
      setRun(operand);
      if (operand.access.isBroadcast(MatrixIndex::Row))
        elements = loadRun(
            operand,
            operand.access.createPosition(MatrixIndex::Row, math.constant(0)),
            math.yes());
    }
    for (int64_t row = 0; row < matrix.numRows(); ++row)
      createRow(row, run, broadcast);
  }
}

void mlir::conv::createRegisterEpilogue(const Kernel &kernel,
                                        const MatrixUnit &matrix,
                                        const TileOrigin &origin,
                                        ValueRange accumulators) {
  RegisterEpilogue(kernel, matrix, origin, accumulators).create();
}
