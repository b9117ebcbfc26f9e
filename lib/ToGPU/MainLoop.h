//===- MainLoop.h - how tiles travel to the matrix units -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_MAINLOOP_H
#define CONV_LIB_TOGPU_MAINLOOP_H

#include "MatrixUnit.h"
#include "OperandCopy.h"

namespace mlir::conv {

/// What a main loop puts in order.
struct MainLoopParts {
  const OperandCopy &lhs;
  const OperandCopy &rhs;
  const MatrixUnit &matrix;
};

/// Builds the loop over the reduction and returns the accumulators after it.
using MainLoopBuilder = SmallVector<Value> (*)(const Kernel &kernel,
                                               const MainLoopParts &parts);

/// Global memory to registers while the matrix units work on the tile before,
/// then registers to the other stage of shared memory; one barrier a step.
SmallVector<Value> createRegisterStagedLoop(const Kernel &kernel,
                                            const MainLoopParts &parts);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_MAINLOOP_H
