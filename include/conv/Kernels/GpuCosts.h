//===- GpuCosts.h - what every kernel on a GPU pays -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts that the models of matrix products and of direct kernels share.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_GPUCOSTS_H
#define CONV_KERNELS_GPUCOSTS_H

namespace conv {

/// From issue to use of a load that misses the nearer caches. Published
/// measurements of these chips lie between 250 ns (RDNA) and 700 ns (CDNA).
inline constexpr double kLoadLatencyNs = 400;
/// A workgroup's start: it decodes where its elements lie, with divisions.
inline constexpr double kSetupCycles = 400;
/// From a kernel's launch to its first load, and after its last store. Measured
/// on an H200.
inline constexpr double kStartSeconds = 1.04e-6;
/// Between the end of a kernel and the work of the next one.
inline constexpr double kLaunchSeconds = 4e-6;
/// Bytes in a clock from the first-level cache.
inline constexpr double kLoadBytesPerClock = 64;

} // namespace conv

#endif // CONV_KERNELS_GPUCOSTS_H
