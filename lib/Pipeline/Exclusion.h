//===- Exclusion.h - schedules that give way ------------------ -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_EXCLUSION_H
#define CONV_LIB_PIPELINE_EXCLUSION_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::conv {

/// Schedules that the cost model may not choose, since compiling them has shown
/// what it does not know.
struct Exclusion {
  std::vector<std::string> spilled; ///< As text.
  /// Kernels whose steps have at least so many elements are too large
  /// (`KernelFamily::countStepElements`); 0 if none is.
  int64_t stepElements = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_EXCLUSION_H
