//===- KernelLength.h - how much code a kernel may have ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generators compile 3000 to 7000 operations a second. The kernels of most
// layers have fewer than 2000; those with many dgrad phases, and those that
// load operands element by element, may have 15,000.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_KERNELLENGTH_H
#define CONV_KERNELS_KERNELLENGTH_H

#include <cstdint>

namespace mlir::conv {

/// The most operations of the kernels of a staged GEMM, other than arithmetic
/// on floats: schedules with more give way to others.
inline constexpr int64_t kMaxOperations = 4096;

/// The most operations of a kernel as it is built whose subproblems do not
/// share code. With more, no schedule is likely to keep within the limit above:
/// at the end of the gpu stage, at least two in five of them are left and are
/// no arithmetic on floats.
inline constexpr int64_t kMaxBuiltOperations = kMaxOperations / 2 * 5;

} // namespace mlir::conv

#endif // CONV_KERNELS_KERNELLENGTH_H
