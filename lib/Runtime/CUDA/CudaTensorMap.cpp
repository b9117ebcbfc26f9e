//===- CudaTensorMap.cpp - tensor maps as the CUDA driver encodes them ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the manifest's lists to the driver's widths; M15 of docs/artifact.md
// has checked that they fit.
//
//===----------------------------------------------------------------------===//

#include "CudaTensorMap.h"

#include "conv/Chip/Sectors.h"

#include <algorithm>

using namespace conv;
using namespace conv::runtime;

namespace {

/// Values of CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapL2promotion
/// and CUtensorMapFloatOOBfill.
constexpr int kUint8 = 0, kInt32 = 3, kFloat16 = 6, kFloat32 = 7, kBfloat16 = 9,
              kTfloat32 = 11;
constexpr int kNoInterleave = 0, kPromotionTo128Bytes = 2,
              kPromotionTo256Bytes = 3, kZeroFill = 0;

/// Copies of kTfloat32 round f32 to nearest even.
int getType(const std::string &dtype) {
  return dtype == "i8"     ? kUint8
         : dtype == "i32"  ? kInt32
         : dtype == "f16"  ? kFloat16
         : dtype == "f32"  ? kFloat32
         : dtype == "bf16" ? kBfloat16
                           : kTfloat32;
}

/// The value of CUtensorMapSwizzle for `bytes` bytes; 16 means none.
int getSwizzle(int64_t bytes) {
  return bytes == 16 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3;
}

/// Bytes that copies of a window's map bring to the last-level cache at a time.
/// Rows that start inside sectors reach more of these, and more lines with
/// each, so 128 bytes at a time are faster for them than 256
/// (bench/results/kernels.md, promotion of copies). Maps without a window were
/// not timed with 128.
int getPromotion(const artifact::TensorMapParameter &map) {
  bool areAligned =
      std::all_of(map.strides.begin(), map.strides.end(), [](int64_t stride) {
        return stride % kNvidiaSectorBytes == 0;
      });
  return areAligned ? kPromotionTo256Bytes : kPromotionTo128Bytes;
}

/// A list of a map in the integer type of the driver.
template <typename T> struct Narrowed {
  explicit Narrowed(const std::vector<int64_t> &list) {
    std::transform(list.begin(), list.end(), values.begin(),
                   [](int64_t value) { return T(value); });
  }
  const T *data() const { return values.data(); }

private:
  std::array<T, 5> values{};
};

} // namespace

Result<void> runtime::encodeTensorMap(const CudaLibrary &cuda,
                                      const artifact::TensorMapParameter &map,
                                      void *address,
                                      EncodedTensorMap &encoded) {
  int type = getType(map.dtype);
  auto rank = unsigned(map.sizes.size());
  int swizzle = getSwizzle(map.swizzle);
  Narrowed<uint64_t> sizes(map.sizes), strides(map.strides);
  Narrowed<uint32_t> elementStrides(map.elementStrides);
  if (!map.isIm2col())
    return cuda.check(cuda.cuTensorMapEncodeTiled(
                          &encoded, type, rank, address, sizes.data(),
                          strides.data(), Narrowed<uint32_t>(map.box).data(),
                          elementStrides.data(), kNoInterleave, swizzle,
                          kPromotionTo256Bytes, kZeroFill),
                      "cuTensorMapEncodeTiled");
  return cuda.check(cuda.cuTensorMapEncodeIm2col(
                        &encoded, type, rank, address, sizes.data(),
                        strides.data(), Narrowed<int>(map.lower).data(),
                        Narrowed<int>(map.upper).data(), unsigned(map.box[0]),
                        unsigned(map.box[1]), elementStrides.data(),
                        kNoInterleave, swizzle, getPromotion(map), kZeroFill),
                    "cuTensorMapEncodeIm2col");
}
