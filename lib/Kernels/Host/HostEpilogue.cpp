//===- HostEpilogue.cpp - epilogue and result of a host tile ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEpilogue.h"
#include "../Parts/EpilogueOps.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class HostEpilogue {
public:
  HostEpilogue(const Kernel &kernel, const TileOrigin &origin,
               LoadSums loadSums);
  void create(const HostBlock &block) const;

private:
  /// The result or an operand of the epilogue.
  struct Matrix {
    Value buffer;
    MatrixAccess access;
  };
  MatrixAccess::Position locate(const MatrixAccess &access, Value row,
                                Value column) const;
  Value load(const Matrix &operand, Value row, Value column,
             int64_t elements) const;
  void createElements(Value row, Value first, int64_t elements) const;
  void store(const Matrix &result, Value elements, Value row,
             Value first) const;
  void createResult(Value row, Value first, int64_t elements) const;

  const Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  const TileOrigin &origin;
  LoadSums loadSums;
  SmallVector<Matrix, 0> results, operands;
};
} // namespace

HostEpilogue::HostEpilogue(const Kernel &kernel, const TileOrigin &origin,
                           LoadSums loadSums)
    : kernel(kernel), math(kernel.math), code(kernel), origin(origin),
      loadSums(loadSums) {
  for (const MatrixOperand &operand : kernel.form.getResults())
    results.push_back(
        {code.flatten(kernel.arguments.back()), MatrixAccess(math, operand)});
  for (auto [operand, buffer] :
       llvm::zip(kernel.form.epilogueOperands, kernel.epilogueArguments()))
    operands.push_back({code.flatten(buffer), MatrixAccess(math, operand)});
}

MatrixAccess::Position HostEpilogue::locate(const MatrixAccess &access,
                                            Value row, Value column) const {
  return access.add(
      access.createPosition(MatrixIndex::Batch, origin.batch),
      access.add(
          access.createPosition(MatrixIndex::Row, math.add(origin.row, row)),
          access.createPosition(MatrixIndex::Column,
                                math.add(origin.column, column))));
}

Value HostEpilogue::load(const Matrix &operand, Value row, Value column,
                         int64_t elements) const {
  MatrixAccess::Position position = locate(operand.access, row, column);
  return code.loadGuarded(operand.buffer, operand.access.createOffset(position),
                          operand.access.createGuard(position, math.yes()),
                          elements);
}

void HostEpilogue::createElements(Value row, Value first,
                                  int64_t elements) const {
  SmallVector<Value> inputs;
  if (loadSums)
    inputs.push_back(loadSums(row, first, elements));
  for (const Matrix &operand : operands)
    inputs.push_back(load(operand, row, first, elements));
  for (auto [result, value] :
       llvm::zip(results,
                 createEpilogueResults(code.b, kernel.form.epilogue, inputs))) {
    Value stored = value;
    if (!isa<VectorType>(stored.getType())) // An epilogue without inputs.
      stored = vector::BroadcastOp::create(
          code.b, VectorType::get({elements}, stored.getType()), stored);
    store(result, stored, row, first);
  }
}

void HostEpilogue::store(const Matrix &result, Value elements, Value row,
                         Value first) const {
  MatrixAccess::Position position = locate(result.access, row, first);
  auto create = [&] {
    code.store(elements, result.buffer, result.access.createOffset(position));
  };
  // With a single result, everything computed for it is already guarded.
  if (results.size() == 1 || !result.access.isChecked())
    return create();
  scf::IfOp::create(code.b, result.access.createGuard(position, math.yes()),
                    [&](OpBuilder &, Location) {
                      create();
                      scf::YieldOp::create(code.b);
                    });
}

void HostEpilogue::createResult(Value row, Value first,
                                int64_t elements) const {
  const MatrixAccess &access = results.front().access;
  if (results.size() > 1 || !access.isChecked())
    return createElements(row, first, elements);
  Value guard = access.createGuard(locate(access, row, first), math.yes());
  scf::IfOp::create(code.b, guard, [&](OpBuilder &, Location) {
    createElements(row, first, elements);
    scf::YieldOp::create(code.b);
  });
}

void HostEpilogue::create(const HostBlock &block) const {
  auto isContiguous = [&](const Matrix &matrix) {
    return matrix.access.getInnermostDistance(MatrixIndex::Column) == 1 &&
           matrix.access.getInnermostSize(MatrixIndex::Column) ==
               kernel.form.getColumns() &&
           matrix.access.isCheckedTogether(MatrixIndex::Column);
  };
  bool isVector = llvm::all_of(results, isContiguous) &&
                  llvm::all_of(operands, isContiguous);
  code.forEach(math.constant(0), block.rows, 1, [&](Value row) {
    auto create = [&](Value first, int64_t elements) {
      createResult(row, first, elements);
    };
    if (isVector)
      code.forEachVector(math.constant(0), block.columns, create);
    else
      code.forEach(math.constant(0), block.columns, 1,
                   [&](Value first) { create(first, 1); });
  });
}

HostBlock mlir::conv::clipToResult(const Kernel &kernel,
                                   const TileOrigin &origin) {
  const IndexMath &math = kernel.math;
  HostCode code(kernel);
  auto clip = [&](Value start, int64_t size, int64_t tile) {
    return math.minimum(math.constant(tile),
                        code.sub(math.constant(size), start));
  };
  auto [batch, rows, columns] = kernel.form.getTile();
  HostBlock block;
  block.batch = origin.batch;
  block.rows = clip(origin.row, kernel.form.getRows(), rows);
  block.columns = clip(origin.column, kernel.form.getColumns(), columns);
  return block;
}

void mlir::conv::createHostEpilogue(const Kernel &kernel,
                                    const TileOrigin &origin,
                                    const HostBlock &block, LoadSums loadSums) {
  HostEpilogue(kernel, origin, loadSums).create(block);
}

LogicalResult mlir::conv::createHostElementwiseBody(Kernel &kernel,
                                                    gpu::GPUFuncOp) {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  createHostEpilogue(kernel, origin, clipToResult(kernel, origin), nullptr);
  return success();
}
