//===- WarpgroupRoles.h - what the roles of a kernel share ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPROLES_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPROLES_H

#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/WarpgroupLoop.h"
#include "WarpgroupSubproblem.h"

namespace mlir::conv {

/// The kernel whose roles are built. All of them iterate over the tiles of the
/// same subproblems, of which those with a product come first.
struct WarpgroupRoles {
  WarpgroupRoles(const PtxBuilder &ptx, gpu::GPUFuncOp function,
                 const ::conv::ChipInfo &chip, const ::conv::KeptTile &kept,
                 int64_t clusters, Value memory);

  SmallVector<Value> getArguments(const WarpgroupSubproblem &subproblem) const;
  /// Goes over the tiles of consecutive subproblems.
  PersistentScheduler
  getScheduler(ArrayRef<WarpgroupSubproblem> subproblems) const;
  /// The main loop of a subproblem with a product.
  WarpgroupLoop getLoop(const WarpgroupSubproblem &subproblem) const {
    return WarpgroupLoop(ptx, *subproblem.geometry, tile, pipelines, memory,
                         rank);
  }
  /// The steps of a tile of one of these subproblems.
  WarpgroupLoop::Runs countRuns(ArrayRef<WarpgroupSubproblem> subproblems,
                                Value subproblem) const;

  const PtxBuilder &ptx;
  gpu::GPUFuncOp function;
  const ::conv::ChipInfo &chip;
  const ::conv::KeptTile &kept;
  const ::conv::WarpgroupTile &tile;
  int64_t clusters; ///< Number of clusters or single workgroups.
  Value memory;
  /// Base address of the offsets of everything after the stages.
  Value rest;
  Value rank; ///< In the cluster.
  WarpgroupPipelines pipelines;
};

/// Builds a consumer: `workItem` is the number of the work-item in it.
void createConsumer(const WarpgroupRoles &roles,
                    ArrayRef<WarpgroupSubproblem> subproblems, Value consumer,
                    Value workItem);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPROLES_H
