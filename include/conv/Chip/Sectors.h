//===- Sectors.h - what NVIDIA GPUs move of a cache line --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact that the rows of the chip table share with the runtime for CUDA, which
// does not contain the table, and with products that are described before there
// is a chip.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_SECTORS_H
#define CONV_CHIP_SECTORS_H

namespace conv {

/// Bytes of a sector, the part of a cache line that is moved alone, on all
/// NVIDIA GPUs so far (Nsight Compute, "Memory Tables").
inline constexpr int kNvidiaSectorBytes = 32;

} // namespace conv

#endif // CONV_CHIP_SECTORS_H
