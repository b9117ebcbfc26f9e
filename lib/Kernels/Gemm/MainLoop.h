//===- MainLoop.h - main loops of staged tiles ------------------*- C++ -*-===//
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

/// Loads of both operands in flight to the registers of a work-item.
struct TileLoads {
  SmallVector<Value> lhs, rhs;
};

/// The parts that a main loop puts in order.
struct MainLoopParts {
  const OperandCopy &lhs;
  const OperandCopy &rhs;
  const MatrixUnit &matrix;

  /// `OperandCopy::start` and `finish` for both operands.
  TileLoads start(Value k, Value stage, Value guard) const {
    SmallVector<Value> left = lhs.start(k, stage, guard);
    return {left, rhs.start(k, stage, guard)};
  }
  void finish(const TileLoads &loads, Value stage) const {
    lhs.finish(loads.lhs, stage);
    rhs.finish(loads.rhs, stage);
  }

  /// The blocks of both operands, the left operand's first
  /// (`OperandCopy::startBlock`), with the places of all their loads and what
  /// these share.
  int64_t numBlocks() const { return lhs.numBlocks() + rhs.numBlocks(); }
  /// Whether each load has a whole vector.
  bool loadsVectors() const {
    return lhs.loadsPerBlock() == 1 && rhs.loadsPerBlock() == 1;
  }
  SmallVector<Value> startBlock(int64_t block, Value k, ValueRange places,
                                ValueRange shared, Value guard) const;
  /// `OperandCopy::findShared` for both operands.
  SmallVector<Value> findShared(Value k) const;
  /// `OperandCopy::moveShared` for both operands.
  SmallVector<Value> moveShared(ValueRange shared, Value k) const;
  void finishBlock(int64_t block, ValueRange loads, Value stage) const;

  /// Places of the loads of the tile at `k`, where a run starts.
  SmallVector<Value> createPlaces(Value k, Value guard) const;
  /// Places of the loads of the tile at `k`, moved from the previous tile. New
  /// ones are masked if `guard` is false.
  SmallVector<Value> movePlaces(const Kernel &kernel, ValueRange places,
                                Value k, Value guard) const;
};

/// What `create` builds for subproblems whose `condition` is 1, and `otherwise`
/// for those where it is 0.
SmallVector<Value> createIf(const Kernel &kernel, const SharedNumber &condition,
                            ValueRange otherwise,
                            function_ref<SmallVector<Value>()> create);

/// Tiles in flight to registers while one is multiplied
/// (`computePrefetchDistance`).
int64_t computeLoadDistance(const Kernel &kernel, bool loadsVectors);

/// Builds the loop over the reduction and returns the accumulators after it.
/// Loads go from global memory to registers while the matrix units multiply the
/// previous tile, and then to the other stage of shared memory. There is one
/// barrier per step, or two with a single stage.
SmallVector<Value> createRegisterStagedLoop(const Kernel &kernel,
                                            const MainLoopParts &parts);

/// A loop in which steps overlap as well: each round of the matrix units reads
/// the fragments of the next round from shared memory, even across steps, and
/// loads are in flight for a whole step or two. With one stage, there are two
/// barriers per step; with two stages, one.
SmallVector<Value> createRegisterPipelinedLoop(const Kernel &kernel,
                                               const MainLoopParts &parts);

/// Async copies fill the free stage of shared memory while other stages arrive
/// and the matrix units multiply one. What passes through registers is written
/// at the end of the step. One barrier per step.
SmallVector<Value> createAsyncStagedLoop(const Kernel &kernel,
                                         const MainLoopParts &parts);

/// A loop for chips that copy in lane order: steps overlap, and both operands
/// arrive without registers. Two stages or more, one barrier per step.
SmallVector<Value> createLaneCopyLoop(const Kernel &kernel,
                                      const MainLoopParts &parts);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_MAINLOOP_H
