//===- WarpgroupFacts.cpp - facts about copies of boxes -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"

#include <numeric>

using namespace conv;

const WarpgroupFacts &conv::getWarpgroupFacts(const Problem &problem) {
  static const WarpgroupFacts kNone;
  const auto *facts = problem.facts.get<WarpgroupFacts>();
  return facts ? *facts : kNone;
}

const GatherFacts *conv::getGatherFacts(const Problem &problem,
                                        const WarpgroupTile &tile) {
  return tile.producer == Producer::AsyncCopies
             ? problem.facts.get<GatherFacts>()
             : nullptr;
}

const LoadFacts *conv::getLoadFacts(const Problem &problem,
                                    const WarpgroupTile &tile) {
  return tile.producer == Producer::Registers ? problem.facts.get<LoadFacts>()
                                              : nullptr;
}

const WarpgroupFacts &conv::getWarpgroupFacts(const Problem &problem,
                                              const WarpgroupTile &tile) {
  if (const GatherFacts *facts = getGatherFacts(problem, tile))
    return *facts;
  const LoadFacts *facts = getLoadFacts(problem, tile);
  return facts ? *facts : getWarpgroupFacts(problem);
}

WarpgroupTile conv::getWarpgroupTile(const Problem &problem,
                                     const Candidate &candidate) {
  WarpgroupTile tile{.rows = candidate.workgroup[0],
                     .columns = candidate.workgroup[1],
                     .stages = candidate.stages,
                     .consumers = candidate.subgroups(),
                     .isStaged = problem.splits == 1,
                     .resultBytes = byteSize(problem.result),
                     .producer = candidate.producer,
                     .cluster = candidate.cluster,
                     .promotion = candidate.promotion};
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  tile.isRightTransposed = facts.isRightTransposed;
  bool isTransposed = facts.isLeftTransposed || facts.isRightTransposed;
  tile.convertedParts = WarpgroupTile::countConvertedParts(
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

bool conv::storesOddRows(const Problem &problem, const WarpgroupTile &tile) {
  return tile.isStaged && tile.hasChunks() && problem.hasOddResultRows &&
         problem.hasWholeResultRows && problem.columns >= kFewestOddColumns &&
         tile.resultBytes == WarpgroupTile::kElementBytes;
}

bool conv::storesColumns(const Problem &problem, const WarpgroupTile &tile) {
  return tile.isStaged && problem.resultRowDistance == 1 &&
         WarpgroupTile::canTranspose(tile.resultBytes) && tile.hasChunks();
}

/// Whether rows are positions of halo tiles, line by line.
static bool haveLines(const Problem &problem, const WarpgroupTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  return problem.hasHaloTiles &&
         !(facts.haloTile && facts.haloTile->isReduced());
}

/// Neighbouring rows that lanes store together.
static int64_t countRowsOfRun(const Problem &problem,
                              const WarpgroupTile &tile) {
  if (!haveLines(problem, tile))
    return WarpgroupTile::kAtomRows * tile.atomsStoredTogether();
  return WarpgroupTile::kBlockSize *
         (problem.stacksBlocks ? 1 : tile.atomsStoredTogether());
}

double conv::computeColumnCycles(const Problem &problem, const ChipInfo &chip,
                                 const WarpgroupTile &tile) {
  const WarpgroupCalibration &fit = chip.calibration->warpgroup;
  int64_t rows = countRowsOfRun(problem, tile);
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

/// The average number of parts of sectors that a run of `bytes` touches, which
/// starts where lines of `line` bytes do, or after other runs.
static double countPartSectors(int64_t bytes, int64_t line, int64_t sector) {
  int64_t step = std::gcd(std::gcd(line, bytes), sector), parts = 0;
  for (int64_t start = 0; start < sector; start += step) {
    int64_t end = start + bytes, touched = ceilDiv(end, sector);
    parts +=
        touched - std::max<int64_t>(end / sector - ceilDiv(start, sector), 0);
  }
  return double(parts * step) / double(sector);
}

double conv::computePrefetchSavings(const Problem &problem,
                                    const ChipInfo &chip) {
  return problem.splits == 1 ? chip.calibration->launch.prefetchSeconds : 0;
}

double conv::computePartSectorSeconds(const Problem &problem,
                                      const ChipInfo &chip,
                                      const WarpgroupTile &tile) {
  int64_t rows = countRowsOfRun(problem, tile);
  // Whole lines continue each other. The cycles for odd columns were fitted
  // without these seconds.
  if (!storesColumns(problem, tile) || !haveLines(problem, tile) ||
      problem.hasOddResultColumns || rows >= problem.resultLine)
    return 0;
  double runs = problem.resultBytes /
                double(problem.resultLine * tile.resultBytes) *
                double(ceilDiv(problem.resultLine, rows));
  return runs * chip.calibration->warpgroup.partSectorSeconds *
         countPartSectors(rows * tile.resultBytes,
                          problem.resultLine * tile.resultBytes,
                          chip.sectorBytes);
}
