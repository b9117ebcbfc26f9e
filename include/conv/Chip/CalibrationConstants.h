//===- CalibrationConstants.h - constants by their names --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fit changes constants of a calibration, and looks at what that does to
// predictions: it needs their names and their places.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_CALIBRATIONCONSTANTS_H
#define CONV_CHIP_CALIBRATIONCONSTANTS_H

#include "conv/Chip/Calibration.h"

#include <string>
#include <vector>

namespace conv {

struct CalibrationConstant {
  std::string name; ///< The fields that lead to it: "direct.queue.haloCost".
  double *value;
};

/// All floating-point constants of kernels on GPUs. Whole numbers are limits
/// and counts, which no fit changes; those of hosts are not known to fits.
std::vector<CalibrationConstant> listConstants(Calibration &calibration);

} // namespace conv

#endif // CONV_CHIP_CALIBRATIONCONSTANTS_H
