//===- GemmFacts.h - what staged tiles make of a problem --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_GEMM_GEMMFACTS_H
#define CONV_KERNELS_GEMM_GEMMFACTS_H

namespace conv {

/// Facts of a problem for main loops that stage tiles.
struct GemmFacts {
  /// Lane copies can load both operands of all products: the elements of each
  /// operand are less than 2 GiB apart, and the sizes of rows or of the
  /// reduction are multiples of the copied vectors.
  bool hasLaneOrder = false;
};

} // namespace conv

#endif // CONV_KERNELS_GEMM_GEMMFACTS_H
