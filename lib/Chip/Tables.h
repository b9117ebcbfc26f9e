//===- Tables.h - the tables of each family ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CHIP_TABLES_H
#define CONV_LIB_CHIP_TABLES_H

#include "conv/Chip/Chip.h"

namespace conv {

/// Constants fitted to kernels on an H200.
extern const Calibration kHopperCalibration;
/// Constants for an A100, where nothing was measured.
extern const Calibration kAmpereCalibration;
/// Constants for AMD chips, most of which are fitted to the clock (lib/Clock).
extern const Calibration kCDNACalibration, kRDNACalibration;
/// Constants for a CPU: counts are used without a correction.
extern const Calibration kHostCalibration;
std::span<const ChipInfo> amdChips();
std::span<const ChipInfo> hostChips();
std::span<const ChipInfo> nvidiaChips();
} // namespace conv

#endif // CONV_LIB_CHIP_TABLES_H
