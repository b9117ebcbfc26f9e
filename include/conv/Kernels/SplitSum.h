//===- SplitSum.h - the time to combine split-K slices ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel that adds up slices is the same for all families whose products
// write them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_SPLITSUM_H
#define CONV_KERNELS_SPLITSUM_H

#include "conv/Kernels/Problem.h"

namespace conv {

/// Whether the time of such kernels was measured on the chip.
bool hasMeasuredSums(const ChipInfo &chip);

/// Seconds of the kernels after the products, which combine split-K slices, on
/// a chip where they were measured.
double computeSumSeconds(const Problem &problem, const ChipInfo &chip);

/// Likewise of a plan of `launches`, with that of the products, whose slices
/// take `bytes` to write and read.
double computeSumSeconds(const ChipInfo &chip, int64_t launches, int64_t splits,
                         double bytes);

} // namespace conv

#endif // CONV_KERNELS_SPLITSUM_H
