//===- HostPanelPack.cpp - panels of an operand into scratch ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the right operand's part of a block, widened to f32, to panels of as
// many rows as a register tile has columns, with the reduction outermost. If
// each row is contiguous in memory, blocks of 8 by 8 are transposed in
// registers; if rows are evenly spaced in memory, vectors of rows are copied,
// and what a vector has outside of the tensor is replaced.
//
//===----------------------------------------------------------------------===//

#include "HostPack.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// A round of a transposition: rows `i` and `i + distance` become two others.
namespace {
struct TransposeRound {
  size_t distance;
  int64_t first[kHostLanes], second[kHostLanes];
};
} // namespace

// Shuffle masks for which x86 has an instruction: unpack of 32 bits, unpack of
// 64 bits, and exchange of the 128-bit halves.
static constexpr TransposeRound kTransposeRounds[] = {
    {1, {0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}},
    {2, {0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}},
    {4, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}},
};

/// After the rounds, row `i` is this row of the transpose: unpacking separates
/// neighbouring columns in the order of the bits of their numbers.
static constexpr size_t kTransposedRow[kHostLanes] = {0, 2, 1, 3, 4, 6, 5, 7};

static SmallVector<Value> transpose(ImplicitLocOpBuilder &b,
                                    SmallVector<Value> rows) {
  for (const TransposeRound &round : kTransposeRounds) {
    SmallVector<Value> next(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i & round.distance)
        continue;
      size_t j = i + round.distance;
      next[i] = vector::ShuffleOp::create(b, rows[i], rows[j], round.first);
      next[j] = vector::ShuffleOp::create(b, rows[i], rows[j], round.second);
    }
    rows = next;
  }
  SmallVector<Value> ordered(rows.size());
  for (auto [i, row] : llvm::enumerate(rows))
    ordered[kTransposedRow[i]] = row;
  return ordered;
}

namespace {
/// Packs groups of `kHostLanes` rows, one after another.
class PanelPack : HostPack {
public:
  PanelPack(const Kernel &kernel, const HostBlock &block, Value scratch)
      : HostPack(kernel, block, kernel.form.rhs, kernel.arguments[1], scratch) {
  }

  /// Packs the rows from `row` on, which is row `inTile` of the tile.
  void packGroup(Value row, Value inTile) const;

private:
  using Positions = SmallVector<MatrixAccess::Position>;
  void packTransposed(const Positions &starts, Value panel) const;
  void packContiguous(const MatrixAccess::Position &start, Value panel) const;
  /// The place of reduction index `k` in the panel.
  Value target(Value panel, Value k) const {
    return math.add(panel, math.mul(code.sub(k, block.k), kernel.atom.m));
  }
};
} // namespace

/// For rows that are contiguous in memory and inside the tensor.
void PanelPack::packTransposed(const Positions &starts, Value panel) const {
  code.forEachRun(
      block, access.getInnermostSize(MatrixIndex::Column),
      [&](Value column, Value length) {
        MatrixAccess::Position position =
            access.createPosition(MatrixIndex::Column, column);
        SmallVector<Value> rows;
        for (const MatrixAccess::Position &start : starts)
          rows.push_back(access.add(start, position).offset);
        code.forEachVector(
            math.constant(0), length, [&](Value step, int64_t elements) {
              SmallVector<Value> offsets, loaded;
              for (Value row : rows)
                offsets.push_back(math.add(row, step));
              Value k = math.add(column, step);
              if (elements == 1)
                return code.store(code.widen(code.loadEach(source, offsets)),
                                  scratch, target(panel, k));
              for (Value offset : offsets)
                loaded.push_back(code.loadWide(source, offset, elements));
              for (auto [i, row] : llvm::enumerate(transpose(code.b, loaded)))
                code.store(row, scratch, target(panel, math.add(k, i)));
            });
      });
}

/// For rows that are adjacent in memory, all inside or all outside.
void PanelPack::packContiguous(const MatrixAccess::Position &start,
                               Value panel) const {
  code.forEach(block.k, math.add(block.k, block.length), 1, [&](Value k) {
    MatrixAccess::Position position =
        access.add(start, access.createPosition(MatrixIndex::Column, k));
    Value loaded =
        code.loadGuarded(source, access.createOffset(position),
                         access.createGuard(position, math.yes()), kHostLanes);
    code.store(code.widen(loaded), scratch, target(panel, k));
  });
}

void PanelPack::packGroup(Value row, Value inTile) const {
  int64_t panelElements = kernel.gemmK() * kernel.atom.m;
  Value panel =
      math.add(math.mul(math.div(inTile, kernel.atom.m), panelElements),
               math.rem(inTile, kernel.atom.m));
  // Rows after the last one repeat it.
  int64_t rows = kernel.form.getColumns();
  auto clamp = [&](int64_t i, int64_t last) {
    return math.minimum(math.add(row, i), math.constant(last));
  };
  bool isTransposed = access.getInnermostDistance(MatrixIndex::Column) == 1 &&
                      !access.isChecked();
  // If groups start at vectors, the rows of a vector all exist or none does.
  bool isAligned = kernel.workgroupTile()[1] % kHostLanes == 0;
  if (!isTransposed && isAligned &&
      access.getVectorWidth(MatrixIndex::Row, kHostLanes) == kHostLanes)
    return packContiguous(startOf(clamp(0, rows - kHostLanes)), panel);
  SmallVector<Value> group;
  for (int64_t i = 0; i < kHostLanes; ++i)
    group.push_back(clamp(i, rows - 1));
  if (!isTransposed)
    return packVectors(group, panel, kernel.atom.m);
  packTransposed(
      llvm::map_to_vector(group, [&](Value i) { return startOf(i); }), panel);
}

void mlir::conv::packHostPanels(const Kernel &kernel, const HostBlock &block,
                                Value origin, Value scratch) {
  assert(kernel.atom.m % kHostLanes == 0 && "a panel has whole vectors");
  HostCode code(kernel);
  PanelPack pack(kernel, block, scratch);
  const IndexMath &math = kernel.math;
  Value columns = math.mul(
      math.div(math.add(block.columns, kernel.atom.m - 1), kernel.atom.m),
      kernel.atom.m);
  code.forEach(math.constant(0), columns, kHostLanes, [&](Value inTile) {
    pack.packGroup(math.add(origin, inTile), inTile);
  });
}
