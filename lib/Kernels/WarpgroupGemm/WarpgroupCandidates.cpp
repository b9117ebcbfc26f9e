//===- WarpgroupCandidates.cpp - candidates of warpgroup_gemm -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tiles that warpgroups can multiply, given a problem's halo tiles, rows of
// columns and converted operands, with the most stages that fit. A tile that
// keeps a filter, or copies an operand of the epilogue, may get fewer.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupCost.h"

#include "../Parts/Warpgroup/WarpgroupTiles.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <numeric>

using namespace conv;

static const WarpgroupCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->warpgroup;
}

/// More stages do not make a pipeline faster. A reduction over positions, all
/// of whose steps are read from memory, gains from one more.
static constexpr int64_t kMaxStages = 7;
static constexpr int64_t kMaxGradientStages = 8;

/// The fewest stages of a tile that leaves room for the first-level cache: with
/// two, copies arrive late (bench/results/kernels.md, lanes that copy).
static constexpr int64_t kMinCachedStages = 3;

/// Copies of partial rows of the right operand are too slow unless they start
/// at multiples of this: otherwise each line is read twice.
static constexpr int64_t kRightRow = 32;

/// Most atoms of a consumer, in general and if each atom is a tap.
static constexpr int64_t kMaxAtoms = 4, kMaxTapAtoms = 9;

/// A lane has no registers for converted parts of more atoms.
static constexpr int64_t kMaxConvertedAtoms = 2;

/// Narrower tiles would read the rows too often if there are more columns.
static constexpr int64_t kMinColumns = 16;

/// The candidate's tile together with the operand that it keeps.
static KeptTile getKeptTile(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  WarpgroupTile tile = getWarpgroupTile(problem, candidate);
  return KeptTile(tile, getWarpgroupFacts(problem, tile).reuse,
                  chip.computeUnits, chip.sharedMemoryBytes);
}

KeptTile conv::getTileWithEpilogue(const Problem &problem, const ChipInfo &chip,
                                   const Candidate &candidate) {
  KeptTile kept = getKeptTile(problem, chip, candidate);
  if (getWarpgroupFacts(problem, kept.tile).hasEpilogueBoxes)
    kept.tile.copyEpilogue(kept.reduce(chip.sharedMemoryBytes));
  return kept;
}

/// Whether the tile has whole halo tiles, or all columns that share one.
static bool fitsHaloTiles(const WarpgroupFacts::HaloTile &haloTile,
                          const WarpgroupTile &tile) {
  if (haloTile.tapRows.areRows())
    return haloTile.tapRows.countLines(tile.rows) > 0;
  return haloTile.isReduced() ? tile.columns == haloTile.columns
                              : tile.hasWholeHaloTiles(haloTile.rows);
}

/// Whether a lane has registers for what `ConvertedLoop` keeps: the sums, of a
/// step and of all steps if they are added up, the parts of a step's left
/// elements, and the elements of the next step if they are loaded ahead. With
/// 160 columns or two atoms of 64, two consumers have just enough; with 96
/// columns, three spilled.
static bool fitsRegisters(const WarpgroupTile &tile) {
  constexpr int64_t kForAddresses = 16;
  constexpr int64_t kAtomElements = WarpgroupTile::kAtomRows *
                                    WarpgroupTile::kRowBytes / 4 /
                                    WarpgroupTile::kWarpgroupSize;
  int64_t atoms = tile.atomsPerConsumer();
  int64_t registers = (tile.addsSteps() ? 2 : 1) * tile.accumulators() +
                      kAtomElements * atoms * tile.convertedParts +
                      (atoms == 1 ? kAtomElements : 0) + kForAddresses;
  return registers <= tile.consumerRegisters();
}

/// Whether the producer has registers for the operands of this tile, if lanes
/// bring them (S24, S27).
static bool fitsProducer(const Problem &problem, const WarpgroupTile &tile) {
  if (!tile.isGathered())
    return true;
  const GatherFacts *gathered = getGatherFacts(problem, tile);
  const LoadFacts *loaded = getLoadFacts(problem, tile);
  return tile.consumers <= WarpgroupTile::kMaxGatherConsumers &&
         tile.fitsGatherAccumulators() &&
         (!gathered || (!tile.isConverted() && gathered->gather.fits(tile))) &&
         (!loaded || loaded->loaded.fits(tile));
}

/// Whether copies of a tap's columns are large: all of the tile's or of the
/// tap's, or enough rows to keep the copy engine busy.
static bool hasLargeBoxes(const WarpgroupFacts &facts,
                          const WarpgroupTile &tile) {
  constexpr int64_t kLarge = 32;
  if (facts.columnsOfTap == 0)
    return true;
  int64_t rows = std::gcd(tile.columns, facts.columnsOfTap);
  return rows >= std::min({tile.columns, facts.columnsOfTap, kLarge});
}

/// Whether a kernel with this tile exists for any number of stages. Atoms of
/// rows after the last one would multiply nothing.
static bool isPossible(const Problem &problem, const WarpgroupTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  // Groups have few columns, so most of what is copied is the filter.
  int64_t maxRows = tile.leftHaloTileBytes > 0 ? WarpgroupTile::kMaxRowsOfTaps
                    : facts.hasGroups && tile.hasSlots()
                        ? WarpgroupTile::kMaxRowsOfHaloTiles
                        : WarpgroupTile::kMaxRows;
  return facts.steps > 0 && tile.fitsWorkgroup(maxRows) &&
         fitsProducer(problem, tile) &&
         (!tile.isConverted() ||
          (!facts.haloTile && tile.hasWholeConvertedColumns() &&
           tile.atomsPerConsumer() <= kMaxConvertedAtoms &&
           fitsRegisters(tile))) &&
         tile.columns >= std::min(problem.columns, kMinColumns) &&
         (facts.haloTile ||
          tile.rows <= roundUp(problem.rows, WarpgroupTile::kAtomRows)) &&
         (!facts.hasRowsOfColumns || tile.hasWholeRowsOfColumns()) &&
         hasLargeBoxes(facts, tile) &&
         (!facts.isRightTransposed || tile.columns >= problem.columns ||
          tile.columns % kRightRow == 0) &&
         (!facts.haloTile || fitsHaloTiles(*facts.haloTile, tile));
}

int64_t conv::countWarpgroupTiles(const Problem &problem,
                                  const WarpgroupTile &tile) {
  return problem.products * problem.batch * ceilDiv(problem.rows, tile.rows) *
         ceilDiv(problem.columns, tile.columns);
}

int64_t conv::countResidentTiles(const ChipInfo &chip,
                                 const WarpgroupTile &tile) {
  return tile.cluster == 1 ? chip.computeUnits
                           : chip.residentClusters[tile.cluster - 1];
}

/// Whether workgroups can share tiles (S18) and would be idle otherwise. In
/// gradients of filters, neighbouring units of a cluster have no positions in
/// common: with large operands, split-K slices are faster; with small ones,
/// clusters, since nothing combines slices; both together are slower than
/// either alone (bench/results/kernels.md, clusters or slices).
static bool canShare(const Problem &problem, const ChipInfo &chip,
                     const WarpgroupTile &tile) {
  const WarpgroupFacts &facts = getWarpgroupFacts(problem, tile);
  double bytes = problem.lhsBytes + problem.rhsBytes;
  bool readsTooMuch =
      facts.reducesPositions || facts.columnsOfTap > 0
          ? problem.splits > 1 ||
                bytes > fit(chip).clusterShare * double(chip.cacheBytes)
          : facts.isFilterGradient && !areOperandsNear(problem, chip);
  return tile.cluster == 1 ||
         (!readsTooMuch && tile.hasWholeShares() &&
          tile.cluster <= facts.sharers &&
          countWarpgroupTiles(problem, tile) <= countResidentTiles(chip, tile));
}

/// Whether lanes read parts of sectors: they copy rows that start inside them,
/// or load single elements.
static bool readsPartSectors(const Problem &problem, const ChipInfo &chip,
                             const WarpgroupTile &tile) {
  const GatherFacts *gathered = getGatherFacts(problem, tile);
  return tile.isLoaded() ||
         (gathered && gathered->gather.isUnaligned(chip.sectorBytes));
}

/// Whether shared memory leaves room for the first-level cache, through which
/// lanes read parts of sectors that others share.
static bool leavesCache(const ChipInfo &chip, const KeptTile &kept) {
  int64_t stages = kept.tile.stages;
  return stages >= kMinCachedStages &&
         kept.sharedBytes() <= fit(chip).cachedTileBytes &&
         (stages == kMinCachedStages ||
          stages * kept.stageBytes() <= fit(chip).cachedStageBytes);
}

/// Whether lanes are ranked: where the copy engine cannot bring the operands,
/// or not in as few steps, and where it may take longer, for rows that start
/// inside sectors or skip positions of volumes. It brings those of groups in
/// less time, and clusters, which share a reduction without the sums of slices,
/// are faster than lanes with slices (bench/results/kernels.md, lanes that
/// copy).
static bool areLanesRanked(const Problem &problem, const ChipInfo &chip) {
  const auto *facts = problem.facts.get<GatherFacts>();
  if (!facts || !facts->hasWholeBoxes)
    return facts != nullptr;
  const WarpgroupFacts &boxes = getWarpgroupFacts(problem);
  if (boxes.hasVolumes && boxes.hasStrides && !boxes.reducesPositions)
    return true;
  bool sumsSlices = problem.splits > 1 && !facts->isFilterGradient;
  return facts->gather.isUnaligned(chip.sectorBytes) && !facts->hasGroups &&
         !sumsSlices;
}

/// Whether a producer is ranked. Lanes load elements to registers where nothing
/// else can bring the operands. In kernels of a few microseconds, they take
/// less time than the transforms that would make boxes of the operands
/// (bench/results/kernels.md, lanes that load). Where groups are merged, most
/// of what they load is multiplied with zeros, and other kernels are faster.
static bool isRanked(const Problem &problem, const ChipInfo &chip,
                     Producer producer) {
  switch (producer) {
  case Producer::CopyEngine:
    return getWarpgroupFacts(problem).steps > 0;
  case Producer::AsyncCopies:
    return areLanesRanked(problem, chip);
  case Producer::Registers: {
    const auto *facts = problem.facts.get<LoadFacts>();
    return facts && !facts->hasMergedGroups &&
           getWarpgroupFacts(problem).steps == 0 &&
           !problem.facts.get<GatherFacts>();
  }
  }
  return false;
}

/// Adds the candidates of a tile and its producer, with `most` stages or fewer.
static void addTile(const Problem &problem, const ChipInfo &chip,
                    Candidate candidate, int64_t most,
                    std::vector<Candidate> &candidates) {
  for (candidate.cluster = 1; candidate.cluster <= chip.maxCluster();
       ++candidate.cluster) {
    WarpgroupTile tile = getWarpgroupTile(problem, candidate);
    if (!isPossible(problem, tile) || !canShare(problem, chip, tile))
      continue;
    bool needsCache = readsPartSectors(problem, chip, tile);
    auto fits = [&](const Candidate &each) {
      KeptTile kept = getKeptTile(problem, chip, each);
      return kept.sharedBytes() <= chip.sharedMemoryBytes &&
             (!needsCache || leavesCache(chip, kept));
    };
    auto fitsKept = [&](const Candidate &each) {
      return fits(each) && getKeptTile(problem, chip, each).keeps();
    };
    auto fitsWithEpilogue = [&](const Candidate &each) {
      return getTileWithEpilogue(problem, chip, each).tile.isEpilogueCopied;
    };
    size_t before = candidates.size();
    addWithStages(candidates, candidate, most, fits);
    if (candidates.size() > before && !fitsKept(candidates.back()))
      addWithStages(candidates, candidate, most, fitsKept);
    if (candidates.size() > before &&
        getWarpgroupFacts(problem, tile).hasEpilogueBoxes &&
        !fitsWithEpilogue(candidates.back()))
      addWithStages(candidates, candidate, most, fitsWithEpilogue);
  }
}

std::vector<Candidate> conv::listWarpgroupCandidates(const Problem &problem,
                                                     const ChipInfo &chip,
                                                     const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  if (!isWarpgroupAtom(atom.kind))
    return candidates;
  const WarpgroupFacts &boxes = getWarpgroupFacts(problem);
  bool areTapsRows = boxes.haloTile && boxes.haloTile->tapRows.areRows();
  int64_t mostAtoms = areTapsRows ? kMaxTapAtoms : kMaxAtoms;
  int64_t mostStages = boxes.reducesPositions ? kMaxGradientStages : kMaxStages;
  for (auto [producer, name] : kProducers) {
    const WarpgroupFacts &facts =
        getWarpgroupFacts(problem, WarpgroupTile{.producer = producer});
    if (!isRanked(problem, chip, producer) ||
        (atom.kind == AtomKind::WGMMA3xTF32 && !facts.allows3xTF32) ||
        (atom.hasNarrowSums() && facts.promotion == 0))
      continue;
    auto add = [&](Candidate candidate) {
      candidate.promotion = facts.promotion;
      candidate.producer = producer;
      addTile(problem, chip, candidate, mostStages, candidates);
    };
    forEachWarpgroupTile(atom, add, mostAtoms);
  }
  return candidates;
}
