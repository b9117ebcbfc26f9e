//===- GemmFacts.h - what staged tiles make of a problem --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_GEMM_GEMMFACTS_H
#define CONV_KERNELS_GEMM_GEMMFACTS_H

namespace conv {

/// What main loops that stage tiles have to know of a problem.
struct GemmFacts {
  /// Copies in lane order can bring both operands of all products: elements of
  /// each are less than 2 GiB apart, and rows or the reduction count whole
  /// pieces of memory.
  bool hasLaneOrder = false;
};

} // namespace conv

#endif // CONV_KERNELS_GEMM_GEMMFACTS_H
