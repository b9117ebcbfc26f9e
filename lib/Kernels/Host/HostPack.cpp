//===- HostPack.cpp - tiles of operands into scratch ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a tile in the type that is multiplied: row after row here, and in
// panels in HostPanelPack.cpp. Row after row, it copies runs: evenly spaced
// elements of a row, until an outer digit of the column changes.
//
//===----------------------------------------------------------------------===//

#include "HostPack.h"
#include "HostTile.h"

#include "conv/Chip/HostProcessor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

static HostOperand getOperand(const Kernel &kernel, bool isLeft) {
  HostOperand operand;
  operand.operand = isLeft ? kernel.form.lhs : kernel.form.rhs;
  operand.argument = kernel.arguments[isLeft ? 0 : 1];
  operand.rows = isLeft ? kernel.form.getRows() : kernel.form.getColumns();
  operand.tile = kernel.workgroupTile()[isLeft ? 0 : 1];
  operand.gemmK = kernel.gemmK();
  operand.pairs = kernel.atom.k;
  return operand;
}

HostOperand HostOperand::getWide(const Kernel &kernel, bool isLeft) {
  HostOperand operand = getOperand(kernel, isLeft);
  operand.step = operand.panel = kernel.atom.m;
  return operand;
}

HostOperand HostOperand::getNarrow(const Kernel &kernel, bool isLeft) {
  HostOperand operand = getOperand(kernel, isLeft);
  MatrixAccess access(kernel.math, operand.operand);
  bool hasRuns = access.getInnermostDistance(MatrixIndex::Column) == 1;
  bool hasVectors = access.getInnermostDistance(MatrixIndex::Row) == 1 ||
                    access.getInnermostDistance(MatrixIndex::Row) == 2;
  operand.panel = 1;
  std::optional<::conv::NumericType> stored = getNumericType(
      cast<MemRefType>(operand.argument.getType()).getElementType());
  // Vectors of rows, unless nothing is contiguous.
  if (!hasRuns && hasVectors)
    operand.panel = kernel.chip.processor->vectorLanes;
  ::conv::NarrowRuns runs = {.line = access.getInnermostSize(MatrixIndex::Row),
                             .panel = operand.panel == 1 ? 0 : operand.panel};
  if (hasRuns && access.hasLinearOffsets() && stored) {
    if (access.isCheckedTogether(MatrixIndex::Column))
      runs.together = access.getInnermostSize(MatrixIndex::Column);
    if (access.hasRange(MatrixIndex::Column))
      runs.range = access.getEvenRangeSize(MatrixIndex::Column);
  }
  ::conv::NarrowTile tile =
      ::conv::getNarrowTile(kernel.atom, stored.value_or(kernel.atom.operand),
                            operand.rows, operand.tile, runs);
  operand.step = tile.rows;
  operand.inPlace = tile.inPlace;
  return operand;
}

Value HostOperand::locate(const IndexMath &math, Value row,
                          int64_t distance) const {
  if (panel == 1)
    return math.mul(row, gemmK);
  return math.add(math.mul(math.div(row, panel), panel * gemmK),
                  math.mul(math.rem(row, panel), distance));
}

HostPack::HostPack(const Kernel &kernel, const HostBlock &block,
                   const HostOperand &operand, Value origin)
    : kernel(kernel), math(kernel.math), block(block), operand(operand),
      code(kernel), access(kernel.math, operand.operand),
      source(code.flatten(operand.argument)), scratch(operand.scratch),
      origin(origin) {}

HostPack::Position HostPack::startOf(Value row) const {
  return access.add(access.createPosition(MatrixIndex::Batch, block.batch),
                    access.createPosition(MatrixIndex::Row, row));
}

void HostPack::forEachRun(
    int64_t size, function_ref<void(Value first, Value length)> body) const {
  int64_t reduction = kernel.form.getReduction();
  bool areWhole = kernel.gemmK() % size == 0 || kernel.gemmK() >= reduction;
  if (!areWhole || reduction % size != 0)
    return code.forEachRun(block.k, block.length, size, body);
  Value end = math.div(math.add(block.k, block.length), size);
  code.forEach(math.div(block.k, size), end, 1, [&](Value run) {
    body(math.mul(run, size), math.constant(size));
  });
}

void HostPack::forEachIndex(
    function_ref<void(Value, const Position &)> body) const {
  forEachRun(access.getInnermostSize(MatrixIndex::Column), [&](Value first,
                                                               Value length) {
    Position start = access.createPosition(MatrixIndex::Column, first);
    code.forEach(math.constant(0), length, 1, [&](Value step) {
      body(math.add(first, step),
           access.advance(start, MatrixIndex::Column, step));
    });
  });
}

/// Copies elements that are each inside or outside of the tensor.
void HostPack::copyElements(const Position &start, Value length,
                            Value target) const {
  code.forEach(math.constant(0), length, 1, [&](Value step) {
    Position position = access.advance(start, MatrixIndex::Column, step);
    Value element = code.loadGuarded(source, access.createOffset(position),
                                     access.createGuard(position, math.yes()),
                                     /*elements=*/1);
    code.store(code.widen(element), scratch, math.add(target, step));
  });
}

/// Whether the runs of a row are contiguous, and copied with masks.
bool HostPack::hasMaskedRuns() const {
  return access.getInnermostDistance(MatrixIndex::Column) == 1 &&
         code.hasMaskedLoads(source) && access.hasRange(MatrixIndex::Column);
}

/// Copies evenly spaced elements from `column` on. Contiguous ones are vectors,
/// of which the last may go beyond the run: what follows is written later.
void HostPack::copyRun(const Position &start, Value column, Value length,
                       Value target) const {
  int64_t distance = access.getInnermostDistance(MatrixIndex::Column);
  Value zero = math.constant(0);
  if (hasMaskedRuns()) {
    auto [first, last] =
        access.createEvenRange(start, MatrixIndex::Column, column, length);
    Value from = access.createOffset(start);
    return code.forEach(zero, length, code.lanes, [&](Value step) {
      Value mask = code.createMask(code.sub(first, step), code.sub(last, step),
                                   code.lanes);
      code.store(
          code.widen(code.loadMasked(source, math.add(from, step), mask)),
          scratch, math.add(target, step));
    });
  }
  if (!access.isCheckedTogether(MatrixIndex::Column))
    return copyElements(start, length, target);
  Value from = access.createOffset(start);
  auto copy = [&](Value step, int64_t elements) {
    Value offset = math.add(from, math.mul(step, distance));
    code.store(code.loadWide(source, offset, elements), scratch,
               math.add(target, step));
  };
  auto copyAll = [&](OpBuilder &, Location) {
    if (distance == 1)
      code.forEachVector(zero, length, copy);
    else
      code.forEach(zero, length, 1, [&](Value step) { copy(step, 1); });
    scf::YieldOp::create(code.b);
  };
  auto clear = [&](OpBuilder &, Location) {
    code.forEachVector(zero, length, [&](Value step, int64_t elements) {
      code.storeZeros(elements, scratch, math.add(target, step));
    });
    scf::YieldOp::create(code.b);
  };
  scf::IfOp::create(code.b, access.createGuard(start, math.yes()), copyAll,
                    clear);
}

void HostPack::copyRuns(ArrayRef<Position> starts, Value column, Value length,
                        int64_t distance) const {
  Position position = access.createPosition(MatrixIndex::Column, column);
  for (auto [row, start] : llvm::enumerate(starts))
    copyRun(access.add(start, position), column, length,
            math.constant(static_cast<int64_t>(row) * distance));
}

void HostPack::packRow(Value row) const {
  Position start = startOf(clamp(row, operand.rows - 1));
  Value target = operand.locate(math, row);
  // Neighbours of a run may have different coordinates, if masks say so.
  int64_t run = hasMaskedRuns() ? access.getEvenRangeSize(MatrixIndex::Column)
                                : access.getInnermostSize(MatrixIndex::Column);
  forEachRun(run, [&](Value column, Value length) {
    copyRun(
        access.add(start, access.createPosition(MatrixIndex::Column, column)),
        column, length, math.add(target, code.sub(column, block.k)));
  });
  clearOdd(target);
}

/// Stores what follows the last element of an odd reduction.
void HostPack::clearOdd(Value target) const {
  if (kernel.form.getReduction() % operand.pairs == 0)
    return;
  Value end = math.mul(
      math.div(math.add(block.length, operand.pairs - 1), operand.pairs),
      operand.pairs);
  code.forEach(block.length, end, 1, [&](Value k) {
    code.storeZeros(operand.panel, scratch,
                    math.add(target, math.mul(k, operand.panel)));
  });
}

void HostPack::create(Value count) const {
  if (operand.panel != 1)
    return packPanels(count);
  Value rows = math.mul(
      math.div(math.add(count, operand.step - 1), operand.step), operand.step);
  code.forEach(math.constant(0), rows, 1, [&](Value row) { packRow(row); });
}
