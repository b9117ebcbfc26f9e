//===- Operations.h - the operations by name --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of SimOps.def, looked up by name when an object is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_OPERATIONS_H
#define CONV_LIB_RUNTIME_SIM_OPERATIONS_H

#include "WaveOp.h"

#include <string_view>

namespace conv::runtime::sim {

struct Operation {
  std::string_view name;
  WaveHandler waveHandler;
  abi::LaneHandler laneHandler;
  uint64_t matrixFlops; ///< 0 for other instructions.
};

/// The operation of this name, or null.
const Operation *findOperation(std::string_view name);

// One declaration for each line of SimOps.def.
#define CONV_SIM_WAVE_OP(name, handler) void handler(WaveOp &op);
#define CONV_SIM_LANE_OP(name, handler)                                        \
  void handler(abi::Item *item, const abi::Site *site);
#define CONV_SIM_MATRIX_OP(name, handler)                                      \
  void handler(WaveOp &op);                                                    \
  extern const MatrixInfo handler##_info;
#include "conv/Runtime/SimOps.def"

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_OPERATIONS_H
