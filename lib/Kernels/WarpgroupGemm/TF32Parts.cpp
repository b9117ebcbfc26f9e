//===- TF32Parts.cpp - f32 as a sum of tf32 parts -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TF32Parts.h"

using namespace mlir;
using namespace mlir::conv;

/// Bits of an f32 that instructions ignore.
static constexpr int64_t kIgnored = 13;

SmallVector<Value> mlir::conv::createTF32Parts(const PtxBuilder &ptx,
                                               Value element, int64_t count) {
  Type i32 = ptx.b.getI32Type();
  if (count == 1)
    return {NVVM::ConvertFloatToTF32Op::create(ptx.b, i32, element,
                                               NVVM::FPRoundingMode::RNA)};
  // cvt is four instructions. These two lose a NaN, but `rest` keeps it.
  Value bits = LLVM::BitcastOp::create(ptx.b, i32, element);
  Value rounded = ptx.math.add(bits, int64_t(1) << (kIgnored - 1));
  Value high = ptx.b.createOrFold<arith::AndIOp>(
      rounded, ptx.math.constant(-(int64_t(1) << kIgnored)));
  Value rest = LLVM::FSubOp::create(
      ptx.b, element, LLVM::BitcastOp::create(ptx.b, ptx.b.getF32Type(), high));
  return {high, LLVM::BitcastOp::create(ptx.b, i32, rest)};
}

int64_t mlir::conv::getReductionElement(int64_t place, bool isLeftTransposed) {
  return isLeftTransposed ? place % 4 * 2 + place / 4 : place;
}
