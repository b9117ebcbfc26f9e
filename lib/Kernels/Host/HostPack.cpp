//===- HostPack.cpp - vectors of rows into scratch --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a matrix are often neighbours in memory, as the positions of a
// channels-first image: then they are loaded as a vector wherever the buffer
// has one, and what is outside of the tensor is replaced with zeros.
//
//===----------------------------------------------------------------------===//

#include "HostPack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

HostPack::HostPack(const Kernel &kernel, const HostBlock &block,
                   const MatrixOperand &operand, Value argument, Value scratch)
    : kernel(kernel), math(kernel.math), block(block), code(kernel),
      access(kernel.math, operand), source(code.flatten(argument)),
      scratch(scratch) {}

/// The number of offsets from which the buffer has `kHostLanes` elements that
/// are `step` apart.
static int64_t countStarts(Value buffer, int64_t step) {
  return cast<MemRefType>(buffer.getType()).getNumElements() -
         (kHostLanes - 1) * step;
}

/// Whether a vector of rows may be evenly spaced, so that vectors are loaded.
static bool hasEvenRows(const MatrixAccess &access) {
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  return (step == 1 || step == 2) && access.hasLinearOffsets() &&
         access.getEvenSize(MatrixIndex::Row) >= kHostLanes;
}

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

/// Whether the elements of the rows are evenly spaced in memory, except that
/// the last row may be repeated; nothing if they never are.
Value HostPack::createIsEven(ArrayRef<Value> rows,
                             ArrayRef<MatrixAccess::Position> starts) const {
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  if (!hasEvenRows(access) || countStarts(source, step) <= 0)
    return {};
  Value isEven = math.yes();
  for (auto [row, start] : llvm::drop_begin(llvm::zip_equal(rows, starts))) {
    Value expected = math.add(starts.front().offset,
                              math.mul(code.sub(row, rows.front()), step));
    isEven = math.both(isEven,
                       arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq,
                                             start.offset, expected));
  }
  return isEven;
}

/// For any rows. Elements outside of the tensor are loaded from a place inside
/// and replaced, without a branch for each.
void HostPack::packVectors(ArrayRef<Value> rows, Value first,
                           int64_t distance) const {
  SmallVector<MatrixAccess::Position> starts =
      llvm::map_to_vector(rows, [&](Value row) { return startOf(row); });
  ImplicitLocOpBuilder &b = code.b;
  auto guards = VectorType::get({kHostLanes}, b.getI1Type());
  Value all =
      arith::ConstantOp::create(b, SplatElementsAttr::get(guards, true));
  MatrixAccess::Position joined = joinCoordinates(code, access, starts);
  Value isEven = createIsEven(rows, starts);
  int64_t step = access.getInnermostDistance(MatrixIndex::Row);
  auto packIndex = [&](Value k, const MatrixAccess::Position &column) {
    SmallVector<MatrixAccess::Position> columns(kHostLanes, column);
    Value guard = access.createGuard(
        access.add(joined, joinCoordinates(code, access, columns)), all);
    bool isGuarded = guard != all;
    auto loadEach = [&] {
      SmallVector<Value> offsets;
      for (auto [i, start] : llvm::enumerate(starts)) {
        Value offset = access.createOffset(access.add(start, column));
        if (isGuarded)
          offset =
              arith::SelectOp::create(b, vector::ExtractOp::create(b, guard, i),
                                      offset, math.constant(0));
        offsets.push_back(offset);
      }
      return code.widen(code.loadEach(source, offsets));
    };
    Value loaded;
    if (isEven) {
      Value offset = math.add(starts.front().offset, column.offset);
      auto choice = scf::IfOp::create(
          b, math.both(isEven, math.below(offset, countStarts(source, step))),
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(
                b, code.loadWideEvenly(source, offset, step, kHostLanes));
          },
          [&](OpBuilder &, Location) { scf::YieldOp::create(b, loadEach()); });
      loaded = choice.getResult(0);
    } else {
      loaded = loadEach();
    }
    if (isGuarded)
      loaded = arith::SelectOp::create(
          b, guard, loaded,
          arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType())));
    code.store(loaded, scratch,
               math.add(first, math.mul(code.sub(k, block.k), distance)));
  };
  code.forEachRun(block, access.getInnermostSize(MatrixIndex::Column),
                  [&](Value start, Value length) {
                    MatrixAccess::Position column =
                        access.createPosition(MatrixIndex::Column, start);
                    code.forEach(math.constant(0), length, 1, [&](Value i) {
                      packIndex(math.add(start, i),
                                access.advance(column, MatrixIndex::Column, i));
                    });
                  });
}

HostRowLayout HostRowLayout::get(const Kernel &kernel) {
  MatrixAccess access(kernel.math, kernel.form.lhs);
  bool hasRuns = access.getInnermostDistance(MatrixIndex::Column) == 1 &&
                 access.isCheckedTogether(MatrixIndex::Column);
  // Vectors of rows, and register tiles, may go beyond the tile.
  int64_t rows = llvm::alignTo(kernel.workgroupTile()[0],
                               std::lcm(kernel.atom.n, kHostLanes));
  if (hasRuns || !hasEvenRows(access))
    return {kernel.gemmK(), 1, rows * kernel.gemmK()};
  return {1, rows, rows * kernel.gemmK()};
}
