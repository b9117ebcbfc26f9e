//===- LineFragments.cpp - fragments from image lines -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Taps and channels of a group are known when the kernel is built, so a load
// needs one address for all groups of a row, and a mask. Masks are computed
// once for each line and each group of a line, not for each element.
//
//===----------------------------------------------------------------------===//

#include "LineFragments.h"

#include "LineCopy.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

using namespace mlir;
using namespace mlir::conv;

using Window = ::conv::LineWindow;
static constexpr int64_t kElementBytes = ::conv::WarpgroupTile::kElementBytes;
static constexpr int64_t kLowElement = 0xffff;
static constexpr int64_t kHighElement = -0x10000;

LineFragments::LineFragments(const PtxBuilder &ptx, const Window &window,
                             Value workItem)
    : ptx(ptx), window(window) {
  const IndexMath &math = ptx.math;
  lane = math.rem(workItem, 32);
  rowInAtom = math.add(math.mul(math.div(workItem, 32), 16), math.div(lane, 4));
  pair = math.mul(math.rem(lane, 4), 2);
}

/// The image of a row, and its position in the image.
static SmallVector<Value> createDigits(const PtxBuilder &ptx,
                                       const Window &window, Value row) {
  return ptx.math.split(row, {window.images, window.vertical.positions,
                              window.horizontal.positions});
}

/// The start of the window at a position of a dimension.
static Value createStart(const PtxBuilder &ptx, const Window::Dimension &d,
                         Value position) {
  return ptx.math.sub(ptx.math.mul(position, d.stride), d.low);
}

Value LineFragments::createFirstLine(Value row) const {
  SmallVector<Value> digits = createDigits(ptx, window, row);
  return ptx.math.add(ptx.math.mul(digits[0], window.vertical.extent),
                      createStart(ptx, window.vertical, digits[1]));
}

/// All bits set if `condition` holds, else zero.
static Value createMask(const PtxBuilder &ptx, Value condition) {
  return ptx.b.createOrFold<arith::ExtSIOp>(ptx.b.getI32Type(), condition);
}

/// `line` is the line in its image of the window's first tap.
Value LineFragments::createLineMask(Value line, int64_t tap) const {
  if (!window.vertical.leavesImage())
    return Value();
  Value tapped = ptx.math.add(line, tap * window.vertical.dilation);
  return createMask(ptx, ptx.math.below(tapped, window.vertical.extent));
}

/// Whether the lane's element belongs to a run in which the group's first
/// element has number `first`; null if all elements do.
Value LineFragments::isInRun(int64_t first) const {
  if (first >= 0 && first + Window::kGroupElements <= window.runElements())
    return Value();
  return ptx.math.below(ptx.math.add(pair, first), window.runElements());
}

/// Elements in a line from the start of a window to the start of a group.
static int64_t getOffset(const Window &window, int64_t group) {
  int64_t run = group / window.groupsPerRun();
  return run * window.horizontal.dilation * window.channels +
         group % window.groupsPerRun() * Window::kGroupElements;
}

/// `element` is the lane's element in its line, for the first group.
Value LineFragments::createGroupMask(Value element, int64_t group) const {
  const IndexMath &math = ptx.math;
  Value mask;
  for (int64_t i : {0, 1}) {
    Value isUsed =
        isInRun(group % window.groupsPerRun() * Window::kGroupElements -
                window.lead() + i);
    if (window.horizontal.leavesImage()) {
      Value isInLine =
          math.below(math.add(element, getOffset(window, group) + i),
                     window.lineElements());
      isUsed = isUsed ? math.both(isUsed, isInLine) : isInLine;
    }
    Value bits = math.constant(i == 0 ? kLowElement : kHighElement);
    if (isUsed)
      bits = ptx.b.createOrFold<arith::AndIOp>(createMask(ptx, isUsed), bits);
    mask = mask ? ptx.b.createOrFold<arith::OrIOp>(mask, bits) : bits;
  }
  return mask;
}

SmallVector<LineFragments::Row>
LineFragments::createRows(Value row, Value firstLine, Value lines) const {
  const IndexMath &math = ptx.math;
  SmallVector<Row> rows;
  Value lead = createLead(ptx, window, firstLine);
  for (int64_t half : {0, 1}) {
    // A row after the last one reads the lines of the last one.
    Value own = math.minimum(math.add(math.add(row, rowInAtom), 8 * half),
                             math.constant(window.countPositions() - 1));
    SmallVector<Value> digits = createDigits(ptx, window, own);
    Value line = createStart(ptx, window.vertical, digits[1]);
    Value start = createStart(ptx, window.horizontal, digits[2]);
    Value element = math.add(
        math.sub(math.mul(start, window.channels), window.lead()), pair);
    Value buffered = math.sub(
        math.add(math.mul(digits[0], window.vertical.extent), line), firstLine);
    Value offset = math.add(math.mul(buffered, window.lineElements()), element);
    Row result{
        ptx.offset(lines, math.add(math.mul(offset, kElementBytes), lead)),
        {},
        {}};
    for (int64_t tap = 0; tap < window.vertical.taps; ++tap)
      result.lineMasks.push_back(createLineMask(line, tap));
    for (int64_t group = 0;
         group < window.runsPerLine() * window.groupsPerRun(); ++group)
      result.groupMasks.push_back(createGroupMask(element, group));
    rows.push_back(std::move(result));
  }
  return rows;
}

/// The lane's two adjacent elements of the group.
Value LineFragments::loadPair(const Row &row, int64_t group) const {
  int64_t groupsPerLine = window.runsPerLine() * window.groupsPerRun();
  int64_t tap = group / groupsPerLine, inLine = group % groupsPerLine;
  if (tap >= window.vertical.taps)
    return ptx.math.constant(0);
  int64_t offset = tap * window.vertical.dilation * window.lineElements() +
                   getOffset(window, inLine);
  auto load = [&](Type type, int64_t element) -> Value {
    return LLVM::LoadOp::create(
        ptx.b, type, ptx.offset(row.address, element * kElementBytes),
        getElementBytes(type));
  };
  Value loaded;
  if (window.hasPairs()) {
    loaded = load(ptx.b.getI32Type(), offset);
  } else {
    auto loadExtended = [&](int64_t element) {
      return ptx.b.createOrFold<arith::ExtUIOp>(
          ptx.b.getI32Type(), load(ptx.b.getI16Type(), element));
    };
    Value high = ptx.b.createOrFold<arith::ShLIOp>(loadExtended(offset + 1),
                                                   ptx.math.constant(16));
    loaded = ptx.b.createOrFold<arith::OrIOp>(loadExtended(offset), high);
  }
  if (Value mask = row.lineMasks[tap])
    loaded = ptx.b.createOrFold<arith::AndIOp>(loaded, mask);
  return ptx.b.createOrFold<arith::AndIOp>(loaded, row.groupMasks[inLine]);
}

SmallVector<Value> LineFragments::load(ArrayRef<Row> rows, int64_t step) const {
  SmallVector<Value> fragment;
  for (int64_t i = 0; i < Window::kGroupsPerAtom; ++i)
    for (const Row &row : rows)
      fragment.push_back(loadPair(row, Window::kGroupsPerAtom * step + i));
  return fragment;
}
