//===- LaneReads.h - simultaneous reads of shared memory --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items whose elements are neighbours read a box at the same time, and
// wait for each other where they read different words of one bank.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_LANEREADS_H
#define CONV_LIB_KERNELS_DIRECT_LANEREADS_H

#include "conv/Kernels/Direct/DirectTiling.h"

namespace mlir::conv {

/// Where neighbouring work-items read shared memory.
struct LaneReads {
  SmallVector<int64_t> counts; ///< Values of each digit; the last is fastest.
  SmallVector<int64_t> distances; ///< Bytes from one value to the next.

  /// Passes over shared memory for one read of each lane, of 16 bytes or of as
  /// many as all distances are a multiple of; 1 without bank conflicts. A pass
  /// has the 32 banks of 4 bytes of NVIDIA's chips, which 8 lanes read with 16
  /// bytes each.
  int64_t countPasses() const;
};

/// The reads of the left operand's box where work-items have neighbouring rows,
/// in the order of the row loop.
LaneReads getRowReads(const DirectTiling &tiling, const TensorBox &lhs,
                      int64_t elementBytes);

/// The reads of the right operand's box where work-items share a reduction:
/// neighbours have the next matrix, then the next column, then the next run.
LaneReads getReductionReads(const DirectTiling &tiling, const TensorBox &rhs,
                            int64_t elementBytes);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_LANEREADS_H
