//===- TmaPart.cpp - a subproblem of a tma kernel -------------------------===//
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

#include "TmaPart.h"

#include "../Parts/Warpgroup/KeptOperand.h"
#include "../Parts/Warpgroup/TensorMaps.h"
#include "TmaProducer.h"

using namespace mlir;
using namespace mlir::conv;

FailureOr<TmaPart> mlir::conv::analyzeTmaPart(Location loc,
                                              const TiledConvolution &form) {
  TmaPart part{};
  part.form = &form;
  part.result = computeTmaResult(form.result.getViewed());
  for (auto [number, operand] : llvm::enumerate(form.epilogueOperands))
    if (!part.epilogueOperand &&
        hasBoxesOf(operand.getViewed(), form.result.getViewed()))
      part.epilogueOperand = number;
  if (!form.hasProduct())
    return std::move(part);
  std::string obstacle;
  part.geometry = computeProductGeometry(getViewed(form),
                                         form.schedule.isGathered(), obstacle);
  if (part.geometry)
    obstacle = checkTmaTile(*part.geometry, form.schedule);
  if (!obstacle.empty())
    return emitError(loc) << obstacle;
  return std::move(part);
}

void mlir::conv::addTmaArguments(TmaPart &part, ArrayRef<Value> buffers,
                                 const ::conv::TmaTile &tile,
                                 SmallVectorImpl<KernelArgument> &arguments) {
  MLIRContext *context = part.form->schedule.getContext();
  SmallVector<TensorMapAttr> maps(buffers.size());
  if (part.copies) {
    maps[0] = part.copies->createLeftMap(context);
    maps[1] = part.copies->createRightMap(context);
  }
  maps.back() = createResultMap(context, part.result, tile.share());
  if (tile.isEpilogueCopied)
    maps[part.getEpilogueArgument()] = maps.back();
  for (auto [buffer, map] : llvm::zip(buffers, maps))
    part.arguments.push_back(findOrAddArgument(arguments, {buffer, map}));
}

::conv::KeptTile mlir::conv::selectTmaTile(const TiledConvolution &first,
                                           ArrayRef<TmaPart> parts,
                                           const ::conv::ChipInfo &chip) {
  ::conv::TmaTile tile = getTmaTile(first.schedule);
  for (const TmaPart &part : parts)
    if (part.geometry) {
      // Slots and stages have room for the largest halos of all subproblems.
      ::conv::TmaTile own = getTmaTile(first.schedule, *part.geometry);
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
  if (tile.isGathered)
    return kept;
  if (parts.size() == 1 && parts.front().geometry)
    kept = ::conv::KeptTile(tile,
                            computeTmaReuse(first.lhs.getViewed(),
                                            first.rhs.getViewed(),
                                            *parts.front().geometry),
                            chip.computeUnits, chip.sharedMemoryBytes);
  // Either all subproblems store results in place of an operand, or none does.
  if (llvm::all_of(parts, [&](const TmaPart &part) {
        return part.result.isCopied(tile) && part.epilogueOperand;
      }))
    tile.copyEpilogue(kept.reduce(chip.sharedMemoryBytes));
  kept.tile = tile;
  return kept;
}
