//===- LeftFragments.cpp - f32 rows in registers --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeftFragments.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

static constexpr int64_t kElementBytes = Tile::kConvertedBytes;
static constexpr int64_t kRowElements = Tile::kRowBytes / kElementBytes;
static constexpr int64_t kVectorElements = kVectorBytes / kElementBytes;
/// Bytes of a box of a transposed tile.
static constexpr int64_t kBoxBytes = kRowElements * Tile::kRowBytes;
static constexpr int64_t kSubgroupRows = Tile::kAtomRows / Tile::kWarps;

LeftFragments::LeftFragments(const PtxBuilder &ptx, const Tile &tile,
                             bool isTransposed, Value consumer, Value workItem)
    : ptx(ptx), isTransposed(isTransposed) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, 32), subgroup = math.div(workItem, 32);
  row = math.div(lane, 4);
  place = math.rem(lane, 4);
  int64_t rows = tile.atomsPerConsumer() * Tile::kAtomRows;
  if (!isTransposed) {
    Value first = math.add(math.mul(consumer, rows),
                           math.add(math.mul(subgroup, kSubgroupRows), row));
    base = math.add(math.mul(first, Tile::kRowBytes),
                    math.mul(place, kElementBytes));
    return;
  }
  // A box has the rows of two subgroups.
  Value box =
      math.add(math.mul(consumer, rows / kRowElements), math.div(subgroup, 2));
  inBox =
      math.add(math.mul(math.rem(subgroup, 2), kSubgroupRows / kVectorElements),
               math.div(row, kVectorElements));
  base = math.add(
      math.add(math.mul(box, kBoxBytes), math.mul(place, 2 * Tile::kRowBytes)),
      math.mul(math.rem(row, kVectorElements), kElementBytes));
}

std::pair<Value, int64_t> LeftFragments::locate(int64_t number, int64_t atom,
                                                int64_t step) const {
  const IndexMath &math = ptx.math;
  int64_t below = number % 2, behind = number / 2;
  auto swizzle = [&](Value vector, Value by) {
    return math.add(base, math.mul(math.bitXor(vector, by), kVectorBytes));
  };
  if (!isTransposed)
    return {swizzle(math.constant(2 * step + behind), row),
            atom * Tile::kAtomRows * Tile::kRowBytes +
                below * 8 * Tile::kRowBytes};
  Value line = math.add(math.mul(place, 2), behind);
  return {swizzle(math.add(inBox, below * 8 / kVectorElements), line),
          atom * Tile::kAtomRows / kRowElements * kBoxBytes +
              (8 * step + behind) * Tile::kRowBytes};
}

SmallVector<Value> LeftFragments::load(Value left, int64_t atom,
                                       int64_t step) const {
  SmallVector<Value> fragment;
  for (int64_t i = 0; i < kRegisters; ++i) {
    auto [bytes, constant] = locate(i, atom, step);
    fragment.push_back(LLVM::LoadOp::create(
        ptx.b, ptx.b.getF32Type(),
        ptx.offset(ptx.offset(left, bytes), constant), kElementBytes));
  }
  return fragment;
}
