//===- HostEpilogue.cpp - epilogue and result of a host tile ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostEpilogue.h"
#include "../EpilogueOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

HostEpilogue::HostEpilogue(const HostCode &code, MatrixIndex along,
                           int64_t block)
    : kernel(code.kernel), math(code.math), code(code), along(along), part(0),
      block(block) {
  for (const MatrixOperand &operand : kernel.form.getResults())
    results.push_back(
        {code.flatten(kernel.arguments.back()), MatrixAccess(math, operand)});
  for (auto [operand, buffer] :
       llvm::zip(kernel.form.epilogueOperands, kernel.epilogueArguments()))
    operands.push_back({code.flatten(buffer), MatrixAccess(math, operand)});
  auto addPart = [&](const MatrixAccess &access) {
    bool isContiguous = access.getInnermostDistance(along) == 1 &&
                        access.isCheckedTogether(along);
    part = std::gcd(part, isContiguous ? access.getInnermostSize(along) : 1);
  };
  for (const Matrix &result : results)
    addPart(result.access);
  for (const Matrix &operand : operands)
    if (!operand.access.isBroadcast(along))
      addPart(operand.access);
}

MatrixAccess::Position HostEpilogue::locate(const MatrixAccess &access,
                                            const TileOrigin &element) const {
  return access.add(
      access.createPosition(MatrixIndex::Batch, element.batch),
      access.add(access.createPosition(MatrixIndex::Row, element.row),
                 access.createPosition(MatrixIndex::Column, element.column)));
}

Value HostEpilogue::load(const Matrix &operand, const TileOrigin &first,
                         int64_t elements) const {
  MatrixAccess::Position position = locate(operand.access, first);
  Value offset = operand.access.createOffset(position);
  Value guard = operand.access.createGuard(position, math.yes());
  if (!operand.access.isBroadcast(along))
    return code.loadGuarded(operand.buffer, offset, guard, elements);
  return code.repeat(code.loadGuarded(operand.buffer, offset, guard, 1),
                     elements);
}

void HostEpilogue::store(const Matrix &result, Value elements,
                         const TileOrigin &first) const {
  MatrixAccess::Position position = locate(result.access, first);
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

void HostEpilogue::createElements(const TileOrigin &first, int64_t elements,
                                  Value sums) const {
  SmallVector<Value> inputs;
  if (sums)
    inputs.push_back(sums);
  for (const Matrix &operand : operands)
    inputs.push_back(load(operand, first, elements));
  for (auto [result, value] :
       llvm::zip(results,
                 createEpilogueResults(code.b, kernel.form.epilogue, inputs))) {
    Value stored = value;
    if (!isa<VectorType>(stored.getType())) // An epilogue without inputs.
      stored = vector::BroadcastOp::create(
          code.b, VectorType::get({elements}, stored.getType()), stored);
    store(result, stored, first);
  }
}

void HostEpilogue::create(const TileOrigin &start, Value count,
                          LoadSums loadSums) const {
  auto getIndex = [&](TileOrigin &element) -> Value & {
    return along == MatrixIndex::Batch ? element.batch
           : along == MatrixIndex::Row ? element.row
                                       : element.column;
  };
  auto create = [&](Value step, int64_t elements) {
    TileOrigin first = start;
    getIndex(first) = math.add(getIndex(first), step);
    auto createAll = [&] {
      createElements(first, elements,
                     loadSums ? loadSums(step, elements) : Value());
    };
    const MatrixAccess &access = results.front().access;
    if (results.size() > 1 || !access.isChecked())
      return createAll();
    Value guard = access.createGuard(locate(access, first), math.yes());
    scf::IfOp::create(code.b, guard, [&](OpBuilder &, Location) {
      createAll();
      scf::YieldOp::create(code.b);
    });
  };
  if (part % block == 0)
    return code.forEachVector(math.constant(0), count, create);
  if (part < kHostLanes)
    return code.forEach(math.constant(0), count, 1,
                        [&](Value step) { create(step, 1); });
  TileOrigin origin = start;
  Value begin = getIndex(origin);
  code.forEachRun(begin, count, part, [&](Value first, Value length) {
    Value step = code.sub(first, begin);
    code.forEachVector(step, math.add(step, length), create);
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
