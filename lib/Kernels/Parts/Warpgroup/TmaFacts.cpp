//===- TmaFacts.cpp - facts about copies of boxes -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaFacts.h"

using namespace conv;

const TmaFacts &conv::getTmaFacts(const Problem &problem) {
  static const TmaFacts kNone;
  const auto *facts = problem.facts.get<TmaFacts>();
  return facts ? *facts : kNone;
}

const GatherFacts *conv::getGatherFacts(const Problem &problem,
                                        const TmaTile &tile) {
  return tile.isGathered ? problem.facts.get<GatherFacts>() : nullptr;
}

const TmaFacts &conv::getTmaFacts(const Problem &problem, const TmaTile &tile) {
  const GatherFacts *facts = getGatherFacts(problem, tile);
  return facts ? *facts : getTmaFacts(problem);
}

TmaTile conv::getTmaTile(const Problem &problem, const Candidate &candidate) {
  TmaTile tile{.rows = candidate.workgroup[0],
               .columns = candidate.workgroup[1],
               .stages = candidate.stages,
               .consumers = candidate.subgroups(),
               .isStaged = problem.splits == 1,
               .resultBytes = byteSize(problem.result),
               .isGathered = candidate.isGathered,
               .cluster = candidate.cluster,
               .promotion = candidate.promotion};
  const TmaFacts &facts = getTmaFacts(problem, tile);
  tile.isRightTransposed = facts.isRightTransposed;
  bool isTransposed = facts.isLeftTransposed || facts.isRightTransposed;
  tile.convertedParts = TmaTile::countConvertedParts(
      candidate.atom->kind == AtomKind::WGMMA3xTF32, byteSize(problem.operand),
      isTransposed);
  if (facts.haloTile && facts.haloTile->tapRows.areRows())
    tile.leftHaloTileBytes = facts.haloTile->tapRows.bytes(tile.rows);
  else if (facts.haloTile && facts.haloTile->isReduced())
    tile.rightHaloTileBytes = facts.haloTile->bytes;
  else if (facts.haloTile)
    tile.haloTileBytes =
        tile.rows / facts.haloTile->rows * facts.haloTile->bytes;
  return tile;
}

bool conv::storesColumns(const Problem &problem, const TmaTile &tile) {
  return tile.isStaged && problem.resultRowDistance == 1 &&
         TmaTile::canTranspose(tile.resultBytes) && tile.hasChunks();
}

double conv::computeColumnCycles(const Problem &problem, const ChipInfo &chip,
                                 const TmaTile &tile) {
  const WarpgroupCalibration &fit = chip.calibration->warpgroup;
  const TmaFacts &facts = getTmaFacts(problem, tile);
  bool areLines =
      problem.hasHaloTiles && !(facts.haloTile && facts.haloTile->isReduced());
  int64_t rows = (areLines ? TmaTile::kBlockSize : TmaTile::kAtomRows) *
                 tile.atomsStoredTogether();
  double bytes = double(rows * tile.resultBytes);
  auto sector = double(chip.sectorBytes);
  // Odd columns start anywhere in a sector.
  bool areOdd = problem.hasOddResultColumns;
  bool fillSectors = bytes >= (areOdd ? 2 : 1) * sector;
  double touched = areOdd ? 1 + (bytes - double(tile.resultBytes)) / sector : 1;
  double cycles = fillSectors ? bytes / sector * fit.columnSectorCycles
                              : touched * fit.partColumnSectorCycles;
  return double(tile.rows * tile.columns) *
         (cycles / double(rows) + (areOdd ? fit.oddElementCycles : 0));
}
