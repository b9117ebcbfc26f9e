//===- WarpgroupSubproblem.cpp - a subproblem of a kernel -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses a subproblem: the geometry of its product, how its result is stored,
// and which kernel arguments it reads and writes.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupSubproblem.h"

#include "../Parts/Warpgroup/KeptOperand.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "WarpgroupProducer.h"

using namespace mlir;
using namespace mlir::conv;

FailureOr<WarpgroupSubproblem>
mlir::conv::analyzeWarpgroupSubproblem(Location loc,
                                       const TiledConvolution &form) {
  WarpgroupSubproblem subproblem{};
  subproblem.form = &form;
  subproblem.result = computeTmaResult(form.result.getViewed());
  for (auto [number, operand] : llvm::enumerate(form.epilogueOperands))
    if (!subproblem.epilogueOperand &&
        hasBoxesOf(operand.getViewed(), form.result.getViewed()))
      subproblem.epilogueOperand = number;
  if (!form.hasProduct())
    return std::move(subproblem);
  std::string obstacle;
  subproblem.geometry = computeProductGeometry(
      getViewed(form), form.schedule.getProducer(), obstacle);
  if (subproblem.geometry)
    obstacle = checkWarpgroupTile(*subproblem.geometry, form.schedule);
  if (!obstacle.empty())
    return emitError(loc) << obstacle;
  return std::move(subproblem);
}

void mlir::conv::addTmaArguments(WarpgroupSubproblem &subproblem,
                                 ArrayRef<Value> buffers,
                                 const ::conv::WarpgroupTile &tile,
                                 SmallVectorImpl<KernelArgument> &arguments) {
  MLIRContext *context = subproblem.form->schedule.getContext();
  SmallVector<TensorMapAttr> maps(buffers.size());
  if (subproblem.copies) {
    maps[0] = subproblem.copies->createLeftMap(context);
    maps[1] = subproblem.copies->createRightMap(context);
  }
  maps.back() = createResultMap(context, subproblem.result, tile.share());
  if (tile.isEpilogueCopied)
    maps[subproblem.getEpilogueArgument()] = maps.back();
  for (auto [buffer, map] : llvm::zip(buffers, maps))
    subproblem.arguments.push_back(findOrAddArgument(arguments, {buffer, map}));
}

::conv::KeptTile
mlir::conv::selectWarpgroupTile(const TiledConvolution &first,
                                ArrayRef<WarpgroupSubproblem> subproblems,
                                const ::conv::ChipInfo &chip) {
  ::conv::WarpgroupTile tile = getWarpgroupTile(first.schedule);
  for (const WarpgroupSubproblem &subproblem : subproblems)
    if (subproblem.geometry) {
      // Slots and stages have room for the largest halos of all subproblems.
      ::conv::WarpgroupTile own =
          getWarpgroupTile(first.schedule, *subproblem.geometry);
      tile.haloTileBytes = std::max(tile.haloTileBytes, own.haloTileBytes);
      tile.rightHaloTileBytes =
          std::max(tile.rightHaloTileBytes, own.rightHaloTileBytes);
      tile.leftHaloTileBytes =
          std::max(tile.leftHaloTileBytes, own.leftHaloTileBytes);
      tile.isRightTransposed = own.isRightTransposed;
      tile.convertedParts = own.convertedParts;
      tile.resultBytes = own.resultBytes;
    }
  ::conv::KeptTile kept(tile);
  if (tile.isGathered())
    return kept;
  if (subproblems.size() == 1 && subproblems.front().geometry)
    kept = ::conv::KeptTile(tile,
                            computeTmaReuse(first.lhs.getViewed(),
                                            first.rhs.getViewed(),
                                            *subproblems.front().geometry),
                            chip.computeUnits, chip.sharedMemoryBytes);
  // Either all subproblems store results in place of an operand, or none does.
  if (llvm::all_of(subproblems, [&](const WarpgroupSubproblem &subproblem) {
        return subproblem.result.isCopied(tile) && subproblem.epilogueOperand;
      }))
    tile.copyEpilogue(kept.reduce(chip.sharedMemoryBytes));
  kept.tile = tile;
  return kept;
}
