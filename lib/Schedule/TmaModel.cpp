//===- TmaModel.cpp - candidates of the tma main loop -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were measured on an H200. Copies and matrix instructions
// overlap, so a step takes what the slower of the two takes; nothing is
// multiplied while a tile is stored.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/TmaModel.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>

using namespace conv;

/// Bytes that copies bring to one compute unit in a clock.
static constexpr double kCopyBytesPerClock = 58;
/// Barriers of a step that nothing hides.
static constexpr double kStepCycles = 24;
/// From the launch to the first product, and from the last one to the end.
static constexpr double kLaunchCycles = 4000;
/// A tile's way through registers and shared memory, for a warpgroup: its
/// start, and every column of an atom.
static constexpr double kEpilogueCycles = 200;
static constexpr double kEpilogueCyclesPerColumn = 14;
/// Share of the memory's bandwidth at which what one kernel writes for another
/// one goes there and back, while nothing is multiplied.
static constexpr double kIntermediateShare = 0.35;
/// Stages beyond which a ring does not become faster.
static constexpr int64_t kMaxStages = 7;

TmaTile conv::getTmaTile(const Candidate &candidate) {
  return {candidate.workgroup[0], candidate.workgroup[1], candidate.stages,
          candidate.subgroups()};
}

/// As many stages as fit `bytes`, up to kMaxStages; 0 if there is no ring.
static int64_t computeStages(TmaTile tile, int64_t bytes) {
  for (tile.stages = kMaxStages; tile.stages >= 2; --tile.stages)
    if (tile.sharedBytes() <= bytes)
      return tile.stages;
  return 0;
}

/// Whether there are such kernels for the problem, whatever their stages.
static bool isPossible(const Problem &problem, const TmaTile &tile) {
  return tile.rows <= 256 && tile.columns <= tile.maxColumns() &&
         tile.accumulators() <= tile.maxAccumulators() &&
         (!problem.isTmaRhsTransposed || tile.hasWholeRowsOfColumns());
}

std::vector<Candidate> conv::listTmaCandidates(const Problem &problem,
                                               const ChipInfo &chip,
                                               const MatrixAtom &atom) {
  std::vector<Candidate> candidates;
  if (problem.tmaSteps == 0)
    return candidates;
  for (int64_t consumers = 1; consumers <= 3; ++consumers)
    for (int64_t atoms = 1; atoms <= 4; ++atoms) {
      int64_t rows = atoms * TmaTile::kAtomRows;
      TmaTile tile{consumers * rows, atom.n, 0, consumers};
      if (!isPossible(problem, tile))
        continue;
      if (int64_t stages = computeStages(tile, chip.sharedMemoryBytes))
        candidates.push_back({.atom = &atom,
                              .workgroup = {tile.rows, tile.columns},
                              .subgroup = {rows, tile.columns},
                              .gemmK = TmaTile::kRowElements,
                              .stages = stages});
    }
  return candidates;
}

/// Cycles from the last product of a tile to the first one of the next.
static double computeEpilogueCycles(const Problem &problem,
                                    const TmaTile &tile) {
  double tailBytesPerElement =
      problem.tailBytes / (double(problem.products) * double(problem.rows) *
                           double(problem.columns));
  return kEpilogueCycles +
         kEpilogueCyclesPerColumn * double(tile.atomsPerConsumer()) *
             double(tile.columns) *
             (1 + tailBytesPerElement / double(byteSize(problem.result)));
}

Cost conv::computeTmaCost(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) {
  TmaTile tile = getTmaTile(candidate);
  const MatrixAtom &atom = *candidate.atom;
  Cost cost;
  cost.registers.accumulators = tile.accumulators();
  cost.sharedBytes = tile.sharedBytes();
  cost.workgroups = problem.products * problem.batch *
                    ceilDiv(problem.rows, tile.rows) *
                    ceilDiv(problem.columns, tile.columns);
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = double(1 + tile.consumers);
  cost.steps = problem.tmaSteps;
  cost.tileEfficiency =
      problem.flops() / 2 /
      (double(cost.workgroups) * double(cost.steps) * double(tile.rows) *
       double(tile.columns) * double(TmaTile::kRowElements));
  int64_t perUnit = ceilDiv(cost.workgroups, chip.computeUnits);
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(chip.computeUnits));

  cost.matrixCycles = double(tile.rows / atom.m) * atom.cycles /
                      chip.simdsPerComputeUnit *
                      double(TmaTile::kRowElements / atom.k);
  cost.loadCycles = double(tile.stageBytes()) / kCopyBytesPerClock;
  cost.stepCycles = std::max(cost.matrixCycles, cost.loadCycles) + kStepCycles;

  double cycles = double(problem.launches) * kLaunchCycles +
                  double(perUnit) * (double(cost.steps) * cost.stepCycles +
                                     computeEpilogueCycles(problem, tile));

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  cost.seconds =
      std::max(cost.computeSeconds, cost.memorySeconds) +
      problem.intermediateBytes / (kIntermediateShare * chip.memoryGBs * 1e9);
  if (cost.memorySeconds > cost.computeSeconds)
    cost.limit = Limit::Memory;
  else
    cost.limit = cost.matrixCycles >= cost.loadCycles ? Limit::MatrixUnits
                                                      : Limit::Loads;
  return cost;
}
