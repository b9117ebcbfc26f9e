//===- TmaPositions.cpp - where rows and taps are in images ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits numbers into the digits from which the plan composed them.
//
//===----------------------------------------------------------------------===//

#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value> mlir::conv::createPosition(const IndexMath &math,
                                              ArrayRef<int64_t> positions,
                                              ArrayRef<int64_t> haloTile,
                                              Value number) {
  if (haloTile.empty())
    return math.split(number, positions);
  SmallVector<int64_t> sizes = {positions.front()};
  for (auto [count, size] : llvm::zip(positions.drop_front(), haloTile))
    sizes.push_back(count / size);
  for (int64_t size : haloTile)
    sizes.push_back(size / TmaWindow::getBlockSize(size));
  llvm::append_range(sizes, llvm::map_range(haloTile, TmaWindow::getBlockSize));
  SmallVector<Value> digits = math.split(number, sizes);
  SmallVector<Value> position = {digits.front()};
  for (auto [d, size] : llvm::enumerate(haloTile)) {
    const Value *own = &digits[1 + d];
    position.push_back(math.add(
        math.add(math.mul(own[0], size),
                 math.mul(own[haloTile.size()], TmaWindow::getBlockSize(size))),
        own[2 * haloTile.size()]));
  }
  return position;
}

Value mlir::conv::createSegment(const IndexMath &math,
                                const TmaGeometry &geometry, Value inSlice,
                                Value slice) {
  if (geometry.slices == 1)
    return inSlice;
  // The last dimension that is split counts segments. Of those before it, a
  // dimension that is not split continues the one before.
  ArrayRef<int64_t> counts = geometry.sliceCounts;
  while (counts.back() == 1)
    counts = counts.drop_back();
  SmallVector<int64_t> joinedCounts, lengths;
  for (auto [count, length] :
       llvm::zip(counts.drop_back(), geometry.slicePositions)) {
    if (!joinedCounts.empty() && count == 1) {
      lengths.back() *= length;
      continue;
    }
    joinedCounts.push_back(count);
    lengths.push_back(length);
  }
  if (joinedCounts.empty() ||
      (joinedCounts.size() == 1 && joinedCounts.front() == 1))
    return math.add(math.mul(inSlice, counts.back()), slice);
  joinedCounts.push_back(counts.back());
  SmallVector<Value> digits = math.split(slice, joinedCounts);
  Value segment = math.constant(0);
  for (auto [length, count, digit, inner] :
       llvm::zip(lengths, joinedCounts, digits, math.split(inSlice, lengths)))
    segment = math.add(math.mul(segment, count * length),
                       math.add(math.mul(digit, length), inner));
  return math.add(math.mul(segment, joinedCounts.back()), digits.back());
}

SmallVector<Value> mlir::conv::createTapOffsets(const IndexMath &math,
                                                const TmaWindow &window,
                                                Value tap) {
  SmallVector<Value> offsets = math.split(tap, window.getTaps());
  for (auto [offset, d] : llvm::zip(offsets, window.dimensions)) {
    if (d.isReversed)
      offset = math.add(math.mul(offset, -1), d.taps - 1);
    offset = math.mul(offset, d.dilation);
  }
  return offsets;
}

Value mlir::conv::createTapBytes(const IndexMath &math,
                                 const TmaGeometry &geometry, Value tap) {
  // Taps that read other halo tiles are outer digits; here they are 0.
  const TmaWindow &window = geometry.window;
  Value bytes = math.constant(0);
  for (auto [d, offset] : llvm::enumerate(createTapOffsets(math, window, tap)))
    if (window.isInHaloTile(d))
      bytes = math.add(bytes,
                       math.mul(offset, geometry.getHaloTilePitch(d) *
                                            ::conv::WarpgroupTile::kRowBytes));
  return bytes;
}
