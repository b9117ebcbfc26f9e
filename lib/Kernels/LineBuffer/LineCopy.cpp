//===- LineCopy.cpp - copies of image lines ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines before the first image and after the last one are left out.
//
//===----------------------------------------------------------------------===//

#include "LineCopy.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

Value mlir::conv::createLead(const PtxBuilder &ptx,
                             const ::conv::LineWindow &window, Value line) {
  const IndexMath &math = ptx.math;
  constexpr int64_t kAccess = ::conv::LineWindow::kAccessBytes;
  if (window.hasAlignedLines())
    return math.constant(0);
  // So many lines are a multiple of the access.
  int64_t period = kAccess / std::gcd(window.lineBytes(), kAccess);
  Value counted = math.add(line, llvm::alignTo(window.vertical.low, period));
  return math.rem(math.mul(math.rem(counted, period), window.lineBytes()),
                  kAccess);
}

LineCopy::LineCopy(const PtxBuilder &ptx, const ::conv::LineWindow &window,
                   Value firstLine, int64_t count)
    : ptx(ptx), window(window), firstLine(firstLine) {
  const IndexMath &math = ptx.math;
  constexpr int64_t kAccess = ::conv::LineWindow::kAccessBytes;
  begin = math.maximum(firstLine, math.constant(0));
  Value end = math.minimum(math.add(firstLine, count),
                           math.constant(window.countImageLines()));
  bytes = math.mul(math.maximum(math.sub(end, begin), math.constant(0)),
                   window.lineBytes());
  isAny = math.below(math.sub(bytes, 1), count * window.lineBytes());
  if (window.hasAlignedLines())
    return;
  Value behind =
      math.add(math.add(bytes, createLead(ptx, window, begin)), kAccess - 1);
  bytes = math.select(isAny, math.sub(behind, math.rem(behind, kAccess)),
                      math.constant(0));
  if (window.tailBytes() == 0)
    return;
  Value after = math.sub(math.constant(window.countImageLines()), end);
  hasTail = math.both(isAny, math.below(after, window.countTailLines()));
  bytes = math.sub(
      bytes, math.select(hasTail, math.constant(kAccess), math.constant(0)));
  isAny = math.below(math.sub(bytes, 1), window.bufferBytes(count));
}

Value LineCopy::createOffset(Value line) const {
  const IndexMath &math = ptx.math;
  return math.add(math.mul(math.sub(line, firstLine), window.lineBytes()),
                  createLead(ptx, window, firstLine));
}

void LineCopy::createTail(Value images, Value lines) const {
  if (!hasTail)
    return;
  const IndexMath &math = ptx.math;
  Type type = ptx.b.getI16Type();
  int64_t all = window.countImageLines();
  ptx.createIf(hasTail, [&] {
    Value destination = ptx.offset(lines, createOffset(math.constant(all)));
    Value source = ptx.offset(images, ptx.constant64(all * window.lineBytes()));
    for (int64_t byte = -window.tailBytes(); byte < 0;
         byte += ::conv::WarpgroupTile::kElementBytes)
      LLVM::StoreOp::create(
          ptx.b,
          LLVM::LoadOp::create(ptx.b, type, ptx.offset(source, byte),
                               ::conv::WarpgroupTile::kElementBytes),
          ptx.offset(destination, byte), ::conv::WarpgroupTile::kElementBytes);
    // A later copy may write to the same place.
    ptx.fenceSharedForCopies();
  });
}

void LineCopy::create(Value images, Value lines, Value barrier) const {
  ptx.createIf(isAny, [&] {
    Value lead = createLead(ptx, window, begin);
    Value skipped = ptx.math.sub(createOffset(begin), lead);
    Value first = ptx.b.createOrFold<arith::SubIOp>(
        ptx.b.createOrFold<arith::MulIOp>(ptx.extend64(begin),
                                          ptx.constant64(window.lineBytes())),
        ptx.extend64(lead));
    Value source = ptx.offset(images, first);
    ptx.loadBytes(ptx.offset(lines, skipped), source, barrier, bytes);
  });
}
