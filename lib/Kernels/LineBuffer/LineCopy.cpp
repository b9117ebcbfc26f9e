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

using namespace mlir;
using namespace mlir::conv;

LineCopy::LineCopy(const PtxBuilder &ptx, const ::conv::LineWindow &window,
                   Value firstLine, int64_t count)
    : ptx(ptx), lineBytes(window.lineBytes()), firstLine(firstLine) {
  const IndexMath &math = ptx.math;
  int64_t all = window.images * window.vertical.extent;
  begin = math.maximum(firstLine, math.constant(0));
  Value end = math.minimum(math.add(firstLine, count), math.constant(all));
  bytes =
      math.mul(math.maximum(math.sub(end, begin), math.constant(0)), lineBytes);
  isAny = math.below(math.sub(bytes, 1), count * lineBytes);
}

void LineCopy::create(Value images, Value lines, Value barrier) const {
  const IndexMath &math = ptx.math;
  ptx.createIf(isAny, [&] {
    Value skipped = math.mul(math.sub(begin, firstLine), lineBytes);
    Value source =
        ptx.offset(images, ptx.b.createOrFold<arith::MulIOp>(
                               ptx.extend64(begin), ptx.constant64(lineBytes)));
    ptx.loadBytes(ptx.offset(lines, skipped), source, barrier, bytes);
  });
}
