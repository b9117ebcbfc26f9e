//===- GatherCopies.cpp - tiles that lanes copy ---------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address is the sum of a row's part and a reduced element's part. A lane
// always copies the same part of lines, so in each step one part is the same
// for all of its copies, or the other does not change from step to step.
//
//===----------------------------------------------------------------------===//

#include "GatherCopies.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

/// Lines after which swizzled places repeat.
static constexpr int64_t kSwizzledLines = 8;

GatherCopies::GatherCopies(const PtxBuilder &ptx, const MatrixOperand &operand,
                           const ::conv::GatheredOperand &gathered,
                           int64_t sectorBytes, Value buffer, int64_t rows,
                           Value lane)
    : ptx(ptx), gathered(gathered),
      tileRows(gathered.isTransposed ? llvm::alignTo(rows, Tile::kRowElements)
                                     : rows),
      positions(ptx, operand,
                /*exceedsRows=*/operand.view.getShape()[1] % rows != 0 ||
                    tileRows != rows,
                /*exceedsReduction=*/operand.view.getShape()[2] %
                        Tile::kRowElements !=
                    0),
      sharesSectors(gathered.isUnaligned(sectorBytes)),
      source(ptx.getAddress(buffer)) {
  int64_t copies = Tile::kRowBytes / gathered.copyBytes;
  line = ptx.math.div(lane, copies);
  inLine = ptx.math.rem(lane, copies);
}

int64_t GatherCopies::getLines() const {
  return gathered.isTransposed ? Tile::kRowElements : tileRows;
}

/// Vectors of 16 bytes are swizzled; narrower ones keep their place in these.
Value GatherCopies::createPlace(int64_t first) const {
  const IndexMath &math = ptx.math;
  Value own = math.add(line, first);
  Value bytes = math.mul(inLine, gathered.copyBytes);
  Value access = math.bitXor(math.div(bytes, Tile::kAccessBytes),
                             math.rem(own, kSwizzledLines));
  return math.add(math.add(math.mul(own, Tile::kRowBytes),
                           math.mul(access, Tile::kAccessBytes)),
                  math.rem(bytes, Tile::kAccessBytes));
}

GatherCopies::Rows GatherCopies::createRows(Value batch, Value origin) const {
  const IndexMath &math = ptx.math;
  Position first = positions.access.createPosition(MatrixIndex::Batch, batch);
  int64_t atOnce =
      gathered.isTransposed ? Tile::kRowElements : gathered.linesAtOnce();
  Value own = gathered.isTransposed
                  ? math.mul(inLine, gathered.copyBytes / Tile::kElementBytes)
                  : line;
  Rows rows;
  for (int64_t i = 0; i < tileRows; i += atOnce)
    rows.push_back(positions.access.add(
        first, positions.create(MatrixIndex::Row,
                                math.add(math.add(origin, own), i))));
  return rows;
}

/// If a step is in one innermost digit, only `k` is decoded, which is the same
/// for all lanes.
MatrixAccess::Position GatherCopies::createReduced(Value k,
                                                   Value within) const {
  constexpr MatrixIndex kColumn = MatrixIndex::Column;
  if (positions.access.getInnermostSize(kColumn) % Tile::kRowElements == 0)
    return positions.access.advance(positions.access.createPosition(kColumn, k),
                                    kColumn, within);
  return positions.create(kColumn, ptx.math.add(k, within));
}

void GatherCopies::createCopy(const Position &row, const Position &reduced,
                              Value destination) const {
  const IndexMath &math = ptx.math;
  Position position = positions.access.add(row, reduced);
  Value guard = positions.createGuard(position);
  Value offset = positions.access.createOffset(position);
  if (guard)
    offset = arith::SelectOp::create(ptx.b, guard, offset, math.constant(0));
  ptx.startCopy(destination,
                ptx.offset(source, math.mul(offset, Tile::kElementBytes)),
                gathered.copyBytes, sharesSectors, guard);
}

void GatherCopies::createStep(const Rows &rows, Value k,
                              Value destination) const {
  const IndexMath &math = ptx.math;
  int64_t atOnce = gathered.linesAtOnce(), lines = getLines();
  auto locate = [&](int64_t first) {
    // Lines that are swizzled alike are at constant distances.
    int64_t alike = first % kSwizzledLines;
    return ptx.offset(ptx.offset(destination, createPlace(alike)),
                      (first - alike) * Tile::kRowBytes);
  };
  if (gathered.isTransposed) {
    int64_t boxBytes = Tile::kRowElements * Tile::kRowBytes;
    for (int64_t first = 0; first < lines; first += atOnce) {
      Position reduced = createReduced(k, math.add(line, first));
      Value place = locate(first);
      for (auto [box, row] : llvm::enumerate(rows))
        createCopy(row, reduced,
                   ptx.offset(place, static_cast<int64_t>(box) * boxBytes));
    }
    return;
  }
  Position reduced = createReduced(
      k, math.mul(inLine, gathered.copyBytes / Tile::kElementBytes));
  for (auto [i, row] : llvm::enumerate(rows)) {
    int64_t first = static_cast<int64_t>(i) * atOnce;
    auto copy = [&] { createCopy(row, reduced, locate(first)); };
    // Tiles of few columns end among the lines that lanes copy at a time.
    if (first + atOnce <= lines)
      copy();
    else
      ptx.createIf(math.below(line, lines - first), copy);
  }
}
