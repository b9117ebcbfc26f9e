//===- WarpgroupRoles.cpp - what the roles of a kernel share --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of all subproblems are numbered one after another, so roles may
// iterate over one subproblem or several at a time.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupRoles.h"

using namespace mlir;
using namespace mlir::conv;

WarpgroupRoles::WarpgroupRoles(const PtxBuilder &ptx, gpu::GPUFuncOp function,
                               const ::conv::ChipInfo &chip,
                               const ::conv::KeptTile &kept, int64_t clusters,
                               Value memory)
    : ptx(ptx), function(function), chip(chip), kept(kept), tile(kept.tile),
      clusters(clusters), memory(memory),
      rest(ptx.offset(memory, kept.shift())),
      rank(ptx.math.rem(
          ptx.math.cast(
              gpu::BlockIdOp::create(ptx.b, gpu::Dimension::x).getResult()),
          tile.cluster)),
      pipelines(ptx, kept, memory) {}

SmallVector<Value>
WarpgroupRoles::getArguments(const WarpgroupSubproblem &subproblem) const {
  return llvm::map_to_vector(
      subproblem.arguments, [&](size_t position) -> Value {
        return gpu::GPUFuncOp(function).getArgument(position);
      });
}

PersistentScheduler
WarpgroupRoles::getScheduler(ArrayRef<WarpgroupSubproblem> subproblems) const {
  auto getRaster = [&](const WarpgroupSubproblem &subproblem) {
    // Tiles that share the kept operand are consecutive in the raster, so each
    // workgroup keeps the same one throughout.
    if (kept.keeps())
      return TileRaster(*subproblem.form,
                        kept.keepsLeft() ? Raster::Rows : Raster::Columns,
                        kept.groups);
    bool areGroupsNeighbours =
        subproblem.geometry && subproblem.geometry->haveGroupsSharedLines();
    return TileRaster(*subproblem.form, areGroupsNeighbours
                                            ? subproblem.geometry->window.groups
                                            : 1);
  };
  return PersistentScheduler(ptx, llvm::map_to_vector(subproblems, getRaster),
                             subproblems.front().firstTile, clusters,
                             tile.cluster);
}

WarpgroupLoop::Runs
WarpgroupRoles::countRuns(ArrayRef<WarpgroupSubproblem> subproblems,
                          Value subproblem) const {
  SmallVector<Value> runs =
      ptx.createSwitch(subproblem, subproblems.size(), [&](int64_t i) {
        auto [count, steps] = getLoop(subproblems[i]).countRuns();
        return SmallVector<Value>{count, steps};
      });
  return {runs[0], runs[1]};
}
