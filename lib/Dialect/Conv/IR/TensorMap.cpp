//===- TensorMap.cpp - verification of tensor maps --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits are those of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col,
// so that a valid map can be encoded on the device.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TensorMapLimits.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

using namespace mlir;
using namespace mlir::conv;

using EmitError = function_ref<InFlightDiagnostic()>;

/// A swizzle of 16 bytes permutes nothing.
static constexpr int64_t kNoSwizzle = 16;

/// Checks that `list` has `count` entries from `low` to `high`.
static LogicalResult verifyList(EmitError emitError, StringRef name,
                                ArrayRef<int64_t> list, size_t count,
                                int64_t low, int64_t high) {
  auto isInside = [&](int64_t value) { return low <= value && value <= high; };
  if (list.size() == count && llvm::all_of(list, isInside))
    return success();
  return emitError() << "expects " << name << " to have " << count
                     << " entries from " << low << " to " << high
                     << ", but got [" << list << "]";
}

/// Checks X2 and X4 of an im2col map.
static LogicalResult verifyIm2col(EmitError emitError, size_t rank,
                                  ArrayRef<int64_t> box,
                                  ArrayRef<int64_t> lower,
                                  ArrayRef<int64_t> upper) {
  if (rank < 3)
    return emitError() << "expects sizes of 3 to " << kMaxMapRank
                       << " dimensions, but got " << rank;
  if (box.size() != 2 || box[0] < 1 || box[0] > kMaxBoxElements || box[1] < 1 ||
      box[1] > 1024)
    return emitError() << "expects box to be up to 256 channels and up to 1024 "
                          "pixels, but got ["
                       << box << "]";
  int64_t limit = int64_t(1) << (getCornerBits(int64_t(rank) - 2) - 1);
  if (failed(
          verifyList(emitError, "lower", lower, rank - 2, -limit, limit - 1)))
    return failure();
  return verifyList(emitError, "upper", upper, rank - 2, -limit, limit - 1);
}

LogicalResult
TensorMapAttr::verify(EmitError emitError, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                      ArrayRef<int64_t> elementStrides, ArrayRef<int64_t> lower,
                      ArrayRef<int64_t> upper, int64_t swizzle, Arithmetic) {
  // X1.
  size_t rank = sizes.size();
  if (rank < 1 || rank > kMaxMapRank)
    return emitError() << "expects sizes of 1 to " << kMaxMapRank
                       << " dimensions, but got " << rank;
  if (failed(
          verifyList(emitError, "sizes", sizes, rank, 1, int64_t(1) << 32)) ||
      failed(verifyList(emitError, "strides", strides, rank - 1, 16,
                        (int64_t(1) << 40) - 16)))
    return failure();
  if (llvm::any_of(strides, [](int64_t stride) { return stride % 16 != 0; }))
    return emitError() << "expects strides that are multiples of 16, but got ["
                       << strides << "]";
  // X2, X4.
  if (failed(verifyList(emitError, "element_strides", elementStrides, rank, 1,
                        kMaxElementStride)) ||
      failed(lower.empty() && upper.empty()
                 ? verifyList(emitError, "box", box, rank, 1, kMaxBoxElements)
                 : verifyIm2col(emitError, rank, box, lower, upper)))
    return failure();
  // X3.
  if (swizzle != kNoSwizzle && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "expects swizzle to be 16, 32, 64 or 128, but got "
                       << swizzle;
  return success();
}

LogicalResult TensorMapOp::verify() {
  TensorMapAttr map = getMap();
  int64_t elementBytes = getElementBytes(getBuffer().getType());
  // X5.
  int64_t last = map.getSizes().front() * elementBytes;
  for (auto [size, stride] :
       llvm::zip(map.getSizes().drop_front(), map.getStrides()))
    last += (size - 1) * stride;
  int64_t bytes = getBuffer().getType().getNumElements() * elementBytes;
  if (last > bytes)
    return emitOpError("expects a map of at most ")
           << bytes << " bytes, but got " << last;
  // X6.
  int64_t row = map.getBox().front() * elementBytes;
  int64_t mostBytes = map.getSwizzle() == kNoSwizzle
                          ? kMaxBoxElements * elementBytes
                          : map.getSwizzle();
  if (row % 16 != 0 || row > mostBytes)
    return emitOpError("expects a row of the box to have a multiple of 16 and "
                       "at most ")
           << mostBytes << " bytes, but got " << row;
  // X8.
  Type elementType = getBuffer().getType().getElementType();
  if (map.getArithmetic() == Arithmetic::TF32 && !elementType.isF32())
    return emitOpError("expects elements of f32 for tf32 arithmetic, but got ")
           << elementType;
  return success();
}
