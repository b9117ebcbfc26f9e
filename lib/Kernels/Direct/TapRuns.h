//===- TapRuns.h - lines of taps that are unrolled --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring windows share most of their input, so lines of taps are
// unrolled: each element is read once for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_TAPRUNS_H
#define CONV_LIB_KERNELS_DIRECT_TAPRUNS_H

#include <cstdint>

namespace mlir::conv {

/// Lines of more taps are loops over runs, which stay loops. Assemblers hoist
/// the reads of unrolled products, which do not fit into registers from 31 taps
/// on, and take seconds to compile (bench/results/kernels.md, Direct).
inline constexpr int64_t kMaxUnrolledTaps = 16;
/// Taps of such a run; those after the last whole run follow the loop.
inline constexpr int64_t kTapsOfRun = 8;

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_TAPRUNS_H
