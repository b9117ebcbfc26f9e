//===- TmaCopyCost.cpp - the cost of the copies of a step -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copies of all compute units share the path from memory. The copy engine
// of each unit requests the rows, cache lines or sectors of its boxes in turn.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupCost.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>

using namespace conv;

static const WarpgroupCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->warpgroup;
}

double conv::computeStepBytes(const Problem &problem, const KeptTile &kept) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  double shared = facts.haloTile ? double(facts.haloTile->taps) : 1;
  return double(kept.stageBytes()) + double(kept.tile.haloTileBytes) / shared;
}

/// Rows of the left operand that are copied per step.
static double computeLeftRows(const Problem &problem, const KeptTile &kept) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  const WarpgroupTile &tile = kept.tile;
  if (kept.keepsLeft())
    return 0;
  double bytes = tile.hasSlots()
                     ? double(tile.haloTileBytes) / double(facts.haloTile->taps)
                     : double(tile.leftBytes());
  return bytes / WarpgroupTile::kRowBytes;
}

/// Rows of the right operand that are copied per step.
static double computeRightRows(const KeptTile &kept) {
  return kept.keepsRight()
             ? 0
             : double(kept.tile.rightBytes()) / WarpgroupTile::kRowBytes;
}

/// Whether rows of an operand start inside sectors.
static bool isUnaligned(const Problem &problem, const ChipInfo &chip,
                        const Run &run) {
  return chip.sectorBytes != 0 &&
         run.elements * byteSize(problem.operand) % chip.sectorBytes != 0;
}

/// Whether rows of an operand have fewer elements than a tile row holds.
static bool isPartial(const Problem &problem, const Run &run) {
  return run.elements * byteSize(problem.operand) < WarpgroupTile::kRowBytes;
}

bool conv::areOperandsNear(const Problem &problem, const ChipInfo &chip) {
  return problem.lhsBytes + problem.rhsBytes <=
         fit(chip).nearShare * double(chip.cacheBytes);
}

/// Whether several taps of a window copy the elements of an operand: as many
/// bytes are copied as it has for one tap, and nearly twice as many or more for
/// several, less what padding saves.
static bool rereadsOperand(const Problem &problem, const ChipInfo &chip) {
  double bytes = double(problem.batch) * double(problem.reduction) *
                 double(byteSize(problem.operand));
  double most = fit(chip).singleTapCopies;
  return bytes * double(problem.rows) > most * problem.lhsBytes ||
         bytes * double(problem.columns) > most * problem.rhsBytes;
}

/// Cycles per cache line that a unit's copies request: the copy engine of a
/// unit takes one row at a time, whatever else the units share. Other copies of
/// whole rows of plain images are counted by bytes. All `units` share the rate
/// at which caches deliver whole rows of groups.
static double getLineCycles(const Problem &problem, const ChipInfo &chip,
                            double units) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  bool areUnaligned = isUnaligned(problem, chip, problem.lhsRun) ||
                      isUnaligned(problem, chip, problem.rhsRun);
  if (facts.hasGroups) {
    if (!facts.reducesPositions || areUnaligned)
      return fit(chip).lineCycles;
    auto isWhole = [&](const Run &run) {
      return run.elements * byteSize(problem.operand) >=
             WarpgroupTile::kRowBytes;
    };
    bool areShared = isWhole(problem.lhsRun) && isWhole(problem.rhsRun);
    return fit(chip).splitLineCycles *
           (areShared ? std::min(1.0, units / fit(chip).groupLineUnits) : 1);
  }
  if (facts.hasVolumes && !facts.reducesPositions)
    return fit(chip).volumeLineCycles;
  bool areWhole = facts.leftLines == 1 && facts.rightLines == 1;
  if (!areWhole)
    return fit(chip).splitLineCycles;
  if (!facts.reducesPositions && facts.columnsOfTap == 0)
    return 0;
  bool areFar =
      rereadsOperand(problem, chip) && !areOperandsNear(problem, chip);
  return areFar ? fit(chip).farRowCycles : fit(chip).rowCycles;
}

/// Cache lines that copies request per step.
static double computeStepLines(const Problem &problem, const KeptTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  return computeLeftRows(problem, tile) * facts.leftLines +
         computeRightRows(tile) * facts.rightLines;
}

/// Rows of a step that lie outside an operand, which the copy engine fills with
/// zeros: those of the last tile along an operand whose rows more tiles read
/// than read the other's. If all tiles run at a time, that tile is the slowest.
static double countOutsideRows(const Problem &problem, const ChipInfo &chip,
                               const KeptTile &kept) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  const WarpgroupTile &tile = kept.tile;
  if (facts.reducesPositions || facts.haloTile || facts.hasGroups)
    return 0;
  int64_t rowTiles = ceilDiv(problem.rows, tile.rows);
  int64_t columnTiles = ceilDiv(problem.columns, tile.columns);
  bool areColumns = rowTiles >= columnTiles;
  if (areColumns ? kept.keepsRight() || facts.isRightTransposed
                 : kept.keepsLeft() || facts.isLeftTransposed)
    return 0;
  int64_t outside = areColumns ? columnTiles * tile.columns - problem.columns
                               : rowTiles * tile.rows - problem.rows;
  int64_t tiles = areColumns ? columnTiles : rowTiles;
  bool areTogether =
      countWarpgroupTiles(problem, tile) * tile.cluster <= chip.computeUnits;
  return double(outside) / (areTogether ? 1 : double(tiles));
}

/// Rows of a step that may start in the middle of cache lines, so that each
/// needs two: those of 32, 96 or 160 columns that are innermost in memory.
/// Every second tile has such rows, and the slowest tiles end last. The last of
/// a tile's boxes is not full.
static double countSplitRows(const Problem &problem, const KeptTile &kept) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  const WarpgroupTile &tile = kept.tile;
  int64_t boxColumns = WarpgroupTile::kRowBytes / byteSize(problem.operand);
  if (!facts.isRightTransposed || facts.reducesPositions || facts.hasGroups ||
      kept.keepsRight() || tile.columns % boxColumns == 0 ||
      problem.columns <= tile.columns)
    return 0;
  return double(ceilDiv(tile.columns, boxColumns) * tile.rightBytes() /
                (tile.columns * byteSize(problem.operand)));
}

/// Cycles of the copy engine for the rows of a step, one after another.
static double computeRowCycles(const Problem &problem, const ChipInfo &chip,
                               const KeptTile &kept) {
  double outside = countOutsideRows(problem, chip, kept);
  double split = countSplitRows(problem, kept);
  double inside = computeLeftRows(problem, kept) +
                  (split > 0 ? 0 : computeRightRows(kept)) - outside;
  return fit(chip).engineRowCycles * inside +
         fit(chip).outsideRowCycles * outside +
         fit(chip).splitRowCycles * split;
}

/// Rows of a step if some of them have fewer channels than a row holds, else 0.
/// Groups count cache lines instead.
static double countPartialRows(const Problem &problem, const KeptTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  bool hasOtherCosts =
      facts.hasGroups || (facts.reducesPositions && !facts.hasVolumes);
  if (hasOtherCosts || !(isPartial(problem, problem.lhsRun) ||
                         isPartial(problem, problem.rhsRun)))
    return 0;
  return computeLeftRows(problem, tile) + computeRightRows(tile);
}

/// Cycles for so many rows of either operand, of which some start inside
/// sectors.
static double computeUnalignedCycles(const Problem &problem,
                                     const ChipInfo &chip, double leftRows,
                                     double rightRows) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  if (facts.hasGroups && facts.reducesPositions)
    return 0; // Counted by cache lines.
  auto getShare = [&](const Run &run) {
    int64_t rows =
        run.elements * byteSize(problem.operand) / WarpgroupTile::kRowBytes;
    // The steps of a halo tile read the next rows of the same runs.
    bool isLong = rows >= (facts.haloTile ? 2 : 1);
    return isUnaligned(problem, chip, run) *
           (isLong ? fit(chip).longUnalignedShare : 1);
  };
  double left = getShare(problem.lhsRun) * leftRows;
  double right = getShare(problem.rhsRun) * rightRows;
  if (facts.hasGroups)
    return fit(chip).unalignedGroupRowCycles * (left + right);
  bool isFilterTransposed = facts.isRightTransposed && !facts.reducesPositions;
  return fit(chip).unalignedRowCycles *
         (left +
          (isFilterTransposed ? fit(chip).transposedRowFactor : 1) * right);
}

double conv::computeKeptCycles(const Problem &problem, const ChipInfo &chip,
                               const KeptTile &kept) {
  double rows = double(kept.keptBytes()) / WarpgroupTile::kRowBytes;
  const Run &run = kept.keepsLeft() ? problem.lhsRun : problem.rhsRun;
  // Groups have a cost of their own.
  bool arePartial =
      isPartial(problem, run) && !getWarpgroupFacts(problem).hasGroups;
  double partialCycles = arePartial ? fit(chip).partialKeptRowCycles * rows : 0;
  return std::max(double(kept.keptBytes() * chip.computeUnits) /
                      fit(chip).copyBytesPerClock,
                  partialCycles +
                      computeUnalignedCycles(problem, chip,
                                             kept.keepsLeft() ? rows : 0,
                                             kept.keepsRight() ? rows : 0));
}

/// Cycles in which lanes copy `lines` lines of an operand to shared memory: the
/// path from the last-level cache and the load units take turns. Vectors that
/// share a sector find it in the first-level cache.
static double computeGatherCycles(const ChipInfo &chip,
                                  const GatheredOperand &operand,
                                  int64_t lines) {
  double bytes = double(lines * WarpgroupTile::kRowBytes);
  return bytes / chip.calibration->lineBuffer.unitBytesPerClock +
         bytes / double(operand.copyBytes) /
             chip.calibration->access.loadLanesPerClock;
}

/// Time of the rows that lanes copy over that of rows which are whole sectors.
static double getRowFactor(const ChipInfo &chip, const GatherFacts &facts) {
  auto areLines = [](const GatheredOperand &operand) {
    return operand.alignment % WarpgroupTile::kRowBytes == 0;
  };
  auto areVectors = [](const GatheredOperand &operand) {
    return operand.copyBytes == kVectorBytes;
  };
  const Gather &gather = facts.gather;
  if (areLines(gather.left) && areLines(gather.right))
    return fit(chip).alignedGatherFactor;
  // Copies of less than a vector wait for the load units instead.
  bool isBound = facts.isFilterGradient ||
                 (areVectors(gather.left) && areVectors(gather.right));
  return isBound && gather.isUnaligned(chip.sectorBytes)
             ? fit(chip).unalignedGatherFactor
             : 1;
}

/// Cycles in which lanes copy the operands of a step. They fill what is beyond
/// the reduction with zeros, without loads.
static double computeGatherCycles(const Problem &problem, const ChipInfo &chip,
                                  const GatherFacts &facts,
                                  const WarpgroupTile &tile) {
  int64_t elements = WarpgroupTile::kRowBytes / byteSize(problem.operand);
  double filled =
      double(problem.reduction) / double(roundUp(problem.reduction, elements));
  return getRowFactor(chip, facts) * filled *
         (computeGatherCycles(chip, facts.gather.left, tile.rows) +
          computeGatherCycles(chip, facts.gather.right, tile.rightColumns()));
}

/// Cycles in which lanes load `rows` rows of an operand: their own, load by
/// load, or those of the load units and of the path from the last-level cache.
static double computeLoadedCycles(const ChipInfo &chip,
                                  const LoadedOperand &operand, int64_t rows) {
  double ofLoad =
      fit(chip).loadedElementCycles +
      fit(chip).loadedCheckCycles * double(operand.registers - 1) +
      fit(chip).loadedVectorCycles / double(operand.loadsOfVector());
  double bytes = double(rows * WarpgroupTile::kRowBytes);
  return std::max(double(operand.countLoads(rows)) * ofLoad,
                  bytes / chip.calibration->lineBuffer.unitBytesPerClock +
                      bytes / double(operand.loadBytes) /
                          chip.calibration->access.loadLanesPerClock);
}

double conv::computeCopyCycles(const Problem &problem, const ChipInfo &chip,
                               const KeptTile &kept, double stepBytes,
                               double units) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem);
  const WarpgroupTile &tile = kept.tile;
  double stepCycles =
      std::hypot(fit(chip).copyLatencyCycles / double(tile.stages - 1),
                 units * stepBytes / fit(chip).copyBytesPerClock);
  double idle = fit(chip).idleCopyShare;
  double busy = idle + (1 - idle) * units / double(chip.computeUnits);
  if (const GatherFacts *gathered = getGatherFacts(problem, tile))
    return std::max(stepCycles,
                    busy * computeGatherCycles(problem, chip, *gathered, tile));
  if (const LoadFacts *facts = getLoadFacts(problem, tile))
    return std::max(
        stepCycles,
        busy * (computeLoadedCycles(chip, facts->loaded.left, tile.rows) +
                computeLoadedCycles(chip, facts->loaded.right, tile.columns)));
  stepCycles = std::max(
      {stepCycles, computeRowCycles(problem, chip, kept),
       busy * getLineCycles(problem, chip, units) *
           computeStepLines(problem, kept),
       busy * fit(chip).partialRowCycles * countPartialRows(problem, kept),
       busy * computeUnalignedCycles(problem, chip,
                                     computeLeftRows(problem, kept),
                                     computeRightRows(kept))});
  int64_t rows = facts.reducesPositions ? tile.columns : tile.rows;
  if (facts.hasStrides)
    stepCycles =
        std::max(stepCycles, fit(chip).stridedRowCycles * double(rows));
  if (facts.hasVolumes && facts.reducesPositions)
    stepCycles = std::max(stepCycles, fit(chip).volumeRowCycles * double(rows));
  return stepCycles;
}
