//===- TmaRoles.h - what the roles of a tma kernel share --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_TMAROLES_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_TMAROLES_H

#include "../Parts/Warpgroup/PersistentScheduler.h"
#include "../Parts/Warpgroup/TmaLoop.h"
#include "TmaSubproblem.h"

namespace mlir::conv {

/// The kernel whose roles are built. All of them iterate over the tiles of the
/// same subproblems, of which those with a product come first.
struct TmaRoles {
  TmaRoles(const PtxBuilder &ptx, gpu::GPUFuncOp function,
           const ::conv::ChipInfo &chip, const ::conv::KeptTile &kept,
           int64_t clusters, Value memory);

  SmallVector<Value> getArguments(const TmaSubproblem &subproblem) const;
  /// Goes over the tiles of consecutive subproblems.
  PersistentScheduler getScheduler(ArrayRef<TmaSubproblem> subproblems) const;
  /// The main loop of a subproblem with a product.
  TmaLoop getLoop(const TmaSubproblem &subproblem) const {
    return TmaLoop(ptx, *subproblem.geometry, tile, pipelines, memory, rank);
  }
  /// The steps of a tile of one of these subproblems.
  TmaLoop::Runs countRuns(ArrayRef<TmaSubproblem> subproblems,
                          Value subproblem) const;

  const PtxBuilder &ptx;
  gpu::GPUFuncOp function;
  const ::conv::ChipInfo &chip;
  const ::conv::KeptTile &kept;
  const ::conv::TmaTile &tile;
  int64_t clusters; ///< Number of clusters or single workgroups.
  Value memory;
  /// Base address of the offsets of everything after the stages.
  Value rest;
  Value rank; ///< In the cluster.
  TmaPipelines pipelines;
};

/// Builds a consumer: `workItem` is the number of the work-item in it.
void createConsumer(const TmaRoles &roles, ArrayRef<TmaSubproblem> subproblems,
                    Value consumer, Value workItem);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_TMAROLES_H
