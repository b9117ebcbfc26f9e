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
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Whether stores have masks, and elements that are not there do no harm.
bool HostEpilogue::hasMasks() const {
  linalg::GenericOp epilogue = kernel.form.epilogue;
  return kernel.chip.processor->hasMaskedStores &&
         (!epilogue ||
          llvm::all_of(epilogue.getBody()->without_terminator(),
                       [](Operation &op) { return isSpeculatable(&op); }));
}

/// With a single result, nothing is computed where there is none.
bool HostEpilogue::clipsRuns(const MatrixAccess &access) const {
  return results.size() == 1 && &access == &results.front().access &&
         access.hasRange(along);
}

/// Whether elements along a run are apart in memory, and all are there, such as
/// those of a tensor whose dimensions are reordered.
bool HostEpilogue::isGathered(const MatrixAccess &access) const {
  return !access.isBroadcast(along) && !access.isChecked() &&
         access.getInnermostDistance(along) != 1;
}

bool HostEpilogue::hasVectors(const MatrixAccess &access,
                              int64_t distance) const {
  return access.getInnermostDistance(along) == distance &&
         (access.isCheckedTogether(along) ||
          (access.hasRange(along) && (isMasked || clipsRuns(access))));
}

HostEpilogue::HostEpilogue(const HostCode &code, MatrixIndex along,
                           int64_t block)
    : kernel(code.kernel), math(code.math), code(code), along(along),
      isMasked(hasMasks()), part(0), block(block) {
  for (const MatrixOperand &operand : kernel.form.getResults())
    results.push_back(
        {code.flatten(kernel.arguments.back()), MatrixAccess(math, operand)});
  for (auto [operand, buffer] :
       llvm::zip(kernel.form.epilogueOperands, kernel.epilogueArguments()))
    operands.push_back({code.flatten(buffer), MatrixAccess(math, operand)});
  auto addPart = [&](const MatrixAccess &access, int64_t distance) {
    part = std::gcd(part, hasVectors(access, distance)
                              ? access.getInnermostSize(along)
                              : 1);
  };
  // What is gathered has no masks.
  isMasked &= llvm::none_of(operands, [&](const Matrix &operand) {
    return isGathered(operand.access);
  });
  for (const Matrix &result : results)
    addPart(result.access,
            std::clamp<int64_t>(result.access.getInnermostDistance(along), 1,
                                ::conv::kHostMostApart));
  for (const Matrix &operand : operands)
    if (!operand.access.isBroadcast(along))
      addPart(operand.access, isGathered(operand.access)
                                  ? operand.access.getInnermostDistance(along)
                                  : 1);
}

MatrixAccess::Position HostEpilogue::locate(const MatrixAccess &access,
                                            const TileOrigin &element) const {
  return access.add(
      access.createPosition(MatrixIndex::Batch, element.batch),
      access.add(access.createPosition(MatrixIndex::Row, element.row),
                 access.createPosition(MatrixIndex::Column, element.column)));
}

HostEpilogue::Range HostEpilogue::clip(const MatrixAccess &access,
                                       const MatrixAccess::Position &position,
                                       int64_t elements,
                                       const Range &range) const {
  if (!access.isChecked())
    return range;
  auto [first, last] =
      access.createRange(position, along, math.constant(elements));
  return {math.maximum(range.first, first), math.minimum(range.last, last)};
}

Value HostEpilogue::load(const Matrix &operand, const TileOrigin &first,
                         int64_t elements, const Range &range) const {
  MatrixAccess::Position position = locate(operand.access, first);
  Value offset = operand.access.createOffset(position);
  if (range.last && !operand.access.isBroadcast(along)) {
    auto [begin, end] = clip(operand.access, position, elements, range);
    return code.loadMasked(operand.buffer, offset,
                           code.createMask(begin, end, elements));
  }
  if (isGathered(operand.access)) {
    SmallVector<Value> offsets;
    for (int64_t i = 0; i < elements; ++i)
      offsets.push_back(
          math.add(offset, i * operand.access.getInnermostDistance(along)));
    return code.loadEach(operand.buffer, offsets);
  }
  Value guard = operand.access.createGuard(position, math.yes());
  if (!operand.access.isBroadcast(along))
    return code.loadGuarded(operand.buffer, offset, guard, elements);
  return code.repeat(code.loadGuarded(operand.buffer, offset, guard, 1),
                     elements);
}

void HostEpilogue::store(const Matrix &result, Value elements,
                         const TileOrigin &first, const Range &range) const {
  MatrixAccess::Position position = locate(result.access, first);
  Value offset = result.access.createOffset(position);
  auto type = cast<VectorType>(elements.getType());
  int64_t distance = type.getNumElements() == 1
                         ? 1
                         : result.access.getInnermostDistance(along);
  if (range.last) {
    auto [begin, end] =
        clipsRuns(result.access)
            ? range
            : clip(result.access, position, type.getNumElements(), range);
    return code.storeEvenly(elements, result.buffer, offset, distance, begin,
                            end);
  }
  auto create = [&] {
    code.storeEvenly(elements, result.buffer, offset, distance);
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
                                  Value sums, const Range &range) const {
  SmallVector<Value> inputs;
  if (sums)
    inputs.push_back(sums);
  for (const Matrix &operand : operands)
    inputs.push_back(load(operand, first, elements, range));
  for (auto [result, value] :
       llvm::zip(results,
                 createEpilogueResults(code.b, kernel.form.epilogue, inputs))) {
    Value stored = value;
    if (!isa<VectorType>(stored.getType())) // An epilogue without inputs.
      stored = vector::BroadcastOp::create(
          code.b, VectorType::get({elements}, stored.getType()), stored);
    store(result, stored, first, range);
  }
}

void HostEpilogue::create(const TileOrigin &start, Value count,
                          LoadSums loadSums) const {
  auto getIndex = [&](TileOrigin &element) -> Value & {
    return along == MatrixIndex::Batch ? element.batch
           : along == MatrixIndex::Row ? element.row
                                       : element.column;
  };
  const MatrixAccess &result = results.front().access;
  auto createVector = [&](Value step, int64_t elements, const Range &range) {
    TileOrigin first = start;
    getIndex(first) = math.add(getIndex(first), step);
    createElements(first, elements,
                   loadSums ? loadSums(step, elements) : Value(), range);
  };
  auto createGuarded = [&](Value step, int64_t elements) {
    if (results.size() > 1 || !result.isChecked())
      return createVector(step, elements, {});
    TileOrigin first = start;
    getIndex(first) = math.add(getIndex(first), step);
    Value guard = result.createGuard(locate(result, first), math.yes());
    scf::IfOp::create(code.b, guard, [&](OpBuilder &, Location) {
      createVector(step, elements, {});
      scf::YieldOp::create(code.b);
    });
  };
  auto createRun = [&](Value first, Value length) {
    Value last = math.add(first, length);
    bool isClipped = clipsRuns(result) && result.isChecked();
    if (isClipped) {
      TileOrigin element = start;
      getIndex(element) = math.add(getIndex(element), first);
      auto [begin, end] =
          result.createRange(locate(result, element), along, length);
      last = math.add(first, math.maximum(begin, end));
      first = math.add(first, begin);
    }
    // Short runs of a known length need no masks: stores of parts of a vector
    // that cross a cache line are slow.
    std::optional<int64_t> known = getConstantIntValue(length);
    if (isMasked && !isClipped && known == kHostLanes &&
        result.getInnermostDistance(along) == 1)
      return createGuarded(first, kHostLanes);
    if (isMasked)
      return code.forEach(first, last, code.lanes, [&](Value step) {
        createVector(step, code.lanes,
                     {math.constant(0), code.sub(last, step)});
      });
    code.forEachVector(first, last, [&](Value step, int64_t elements) {
      if (isClipped)
        return createVector(step, elements, {});
      createGuarded(step, elements);
    });
  };
  constexpr int64_t kFewestMasked = 3;
  bool isInOne = part % block == 0;
  if (part == 1 || (!isInOne && part < (isMasked ? kFewestMasked : kHostLanes)))
    return code.forEach(math.constant(0), count, 1,
                        [&](Value step) { createGuarded(step, 1); });
  if (isInOne)
    return createRun(math.constant(0), count);
  TileOrigin origin = start;
  Value begin = getIndex(origin);
  code.forEachRun(begin, count, part, [&](Value first, Value length) {
    createRun(code.sub(first, begin), length);
  });
}

bool HostEpilogue::hasVectorsOf(int64_t elements) const {
  return elements > 1 && part % elements == 0 &&
         llvm::none_of(results, [](const Matrix &result) {
           return result.access.isChecked();
         });
}

void HostEpilogue::createVector(const TileOrigin &start, Value sums) const {
  createElements(start, cast<VectorType>(sums.getType()).getNumElements(), sums,
                 {});
}

HostBlock mlir::conv::clipToResult(const Kernel &kernel,
                                   const TileOrigin &origin) {
  const IndexMath &math = kernel.math;
  HostCode code(kernel);
  auto clip = [&](Value start, int64_t size, int64_t tile) {
    if (size % tile == 0)
      return math.constant(tile);
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
