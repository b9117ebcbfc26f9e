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
  /// An operand has 2 GiB or more: copies in lane order cannot reach it.
  bool hasFarOperand = false;
};

} // namespace conv

#endif // CONV_KERNELS_GEMM_GEMMFACTS_H
