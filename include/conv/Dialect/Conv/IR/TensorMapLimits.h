//===- TensorMapLimits.h - what a tensor map can describe -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of CUDA's tensor maps: a geometry keeps within them when a
// schedule is chosen, and `#conv.tensor_map` verifies them (X1, X2, X4).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TENSORMAPLIMITS_H
#define CONV_DIALECT_CONV_IR_TENSORMAPLIMITS_H

#include <cstddef>
#include <cstdint>

namespace mlir::conv {

/// The most dimensions of a tensor map.
inline constexpr size_t kMaxMapRank = 5;
/// The most elements of a dimension of a box.
inline constexpr int64_t kMaxBoxElements = 256;
/// The most elements from one that is copied to the next.
inline constexpr int64_t kMaxElementStride = 8;

/// Bits of an offset in a window of im2col copies, and of a signed corner, in
/// each of `rank` spatial dimensions.
constexpr int64_t getCornerBits(int64_t rank) {
  return rank == 1 ? 16 : rank == 2 ? 8 : 5;
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TENSORMAPLIMITS_H
