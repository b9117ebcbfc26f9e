//===- MainLoop.h - how tiles travel to the matrix units --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_MAINLOOP_H
#define CONV_LIB_KERNELS_GEMM_MAINLOOP_H

#include "MatrixUnit.h"
#include "OperandCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// The loads of both operands that are on their way to a work-item's registers.
struct TileLoads {
  SmallVector<Value> lhs, rhs;
};

/// What a main loop puts in order.
struct MainLoopParts {
  const OperandCopy &lhs;
  const OperandCopy &rhs;
  const MatrixUnit &matrix;

  /// `OperandCopy::start` and `finish` of both operands.
  TileLoads start(Value k, Value stage, Value guard) const {
    SmallVector<Value> left = lhs.start(k, stage, guard);
    return {left, rhs.start(k, stage, guard)};
  }
  void finish(const TileLoads &loads, Value stage) const {
    lhs.finish(loads.lhs, stage);
    rhs.finish(loads.rhs, stage);
  }

  /// The blocks of both operands, those of the left one first
  /// (`OperandCopy::startBlock`), with the places of all their loads.
  int64_t numBlocks() const { return lhs.numBlocks() + rhs.numBlocks(); }
  SmallVector<Value> startBlock(int64_t block, Value k,
                                ValueRange places) const;
  void finishBlock(int64_t block, ValueRange loads, Value stage) const;

  /// Places of the loads of the tile at `k`, where a run starts.
  SmallVector<Value> createPlaces(Value k) const;
  /// Places of the loads of the tile at `k`, from those of the tile before it.
  SmallVector<Value> movePlaces(const Kernel &kernel, ValueRange places,
                                Value k) const;
};

/// Builds the loop over the reduction and returns the accumulators after it.
/// Global memory to registers while the matrix units work on the tile before,
/// then registers to the other stage of shared memory; one barrier a step, or
/// two with one stage.
SmallVector<Value> createRegisterStagedLoop(const Kernel &kernel,
                                            const MainLoopParts &parts);

/// The same where steps overlap: a round of the matrix units reads shared
/// memory for the next one, which may be that of the next step, and loads are
/// on their way for a whole step. One or two stages, with two barriers a step
/// or one.
SmallVector<Value> createRegisterPipelinedLoop(const Kernel &kernel,
                                               const MainLoopParts &parts);

/// Global memory to the stage of shared memory that is free, while those of the
/// next steps arrive and the matrix units work on one: what passes through
/// registers is written at the end of the step; one barrier a step.
SmallVector<Value> createAsyncStagedLoop(const Kernel &kernel,
                                         const MainLoopParts &parts);

/// The same for chips that copy in lane order: steps overlap, and both operands
/// arrive without registers. Two stages or more, one barrier a step.
SmallVector<Value> createLaneCopyLoop(const Kernel &kernel,
                                      const MainLoopParts &parts);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_MAINLOOP_H
