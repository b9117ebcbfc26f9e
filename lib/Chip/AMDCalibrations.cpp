//===- AMDCalibrations.cpp - what AMD chips are expected to take ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No AMD device was timed. Each constant has one of four sources:
//   * clock: fitted to the cycles that lib/Clock counts (docs/amd-kernels.md);
//   * code: counted in the assembly that LLVM generates;
//   * published: white papers and microbenchmarks of the architecture;
//   * assumed: an H200's value, since only that was timed.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace conv;

/// Staged tiles: their steps are predicted by `kUnit`, not by slowdowns.
static constexpr StagedCalibration kStaged = {
    .registerStagedSlowdown = 1, // Clock, as the next three.
    .asyncStagedSlowdown = 1,
    .transposedStagedSlowdown = 1,
    .transposingSlowdown = 1,
    .barrierCycles = 0,  // Clock: part of a loop's `stepCycles`.
    .leastLoadBytes = 4, // Published.
    .temporaries = 1.75, // Code, as the next three.
    .fixedRegisters = 20,
    .inputAccessRegisters = 4,
    .filterAccessRegisters = 2};

/// Clock, except instructions, registers and `accumulationShare`: code.
static constexpr UnitCalibration kUnit = {.overlapped = {.partsNorm = 5,
                                                         .chainNorm = 20,
                                                         .exposedWrites = 1.5,
                                                         .exposedPower = 1.4,
                                                         .ownWrites = 1,
                                                         .stepCycles = 0,
                                                         .latencyCycles = 590,
                                                         .setupCycles = 570,
                                                         .accessCycles = 95,
                                                         .storeCycles = 1.2,
                                                         .vectorFactor = 1},
                                          .phased = {.partsNorm = 20,
                                                     .chainNorm = 3.1,
                                                     .exposedWrites = 6.2,
                                                     .exposedPower = 1.4,
                                                     .ownWrites = 2.8,
                                                     .stepCycles = 700,
                                                     .latencyCycles = 720,
                                                     .setupCycles = 130,
                                                     .accessCycles = 125,
                                                     .storeCycles = 0.5,
                                                     .vectorFactor = 1.5},
                                          .laneCopies = {.partsNorm = 3.9,
                                                         .chainNorm = 10,
                                                         .exposedWrites = 1,
                                                         .exposedPower = 1.4,
                                                         .ownWrites = 0,
                                                         .stepCycles = 175,
                                                         .latencyCycles = 840,
                                                         .setupCycles = 570,
                                                         .accessCycles = 95,
                                                         .storeCycles = 1.2,
                                                         .vectorFactor = 1.8},
                                          .laneCopyAtoms = 7,
                                          .missedLoads = 0.85,
                                          .matrixAccumulators = 1.25,
                                          .matrixOthers = 0.85,
                                          .vectorAccumulators = 1.15,
                                          .vectorOthers = 0.66,
                                          .transposedOthers = 0.16,
                                          .laneOthers = 1.2,
                                          .laneReadCycles = 12,
                                          .smallAtomRegisters = 17,
                                          .combineSeconds = 0.5e-6,
                                          .transposedConflicts = 1.4,
                                          .keptShare = 0.84,
                                          .nearTapBytes = 16 << 10,
                                          .shortRunLines = 0.5,
                                          .sharedLatency = 110,
                                          .stepInstructions = 8,
                                          .loadInstructions = 2,
                                          .joinInstructions = 4,
                                          .positionInstructions = 16,
                                          .elementInstructions = 8,
                                          .elementPlaceInstructions = 22,
                                          .sharedPlaceInstructions = 0.5,
                                          .accumulationShare = 0.8,
                                          .joinedLoadRegisters = 2,
                                          .secondTileWorkgroups = 4,
                                          .secondTileSteps = 16,
                                          .twoStageSecondTileSteps = 6,
                                          .reducedRowBytes = 64};

/// Code: fitted to allocations by LLVM on all chips.
static constexpr DirectRegisters kDirectRegisters = {
    .fixed = 8, .ofSum = 1.5, .ofAhead = 0.75, .ofCopied = 0.6};

/// Without copies that bypass registers, and without `mma_sync`, there are no
/// queues, blocks or bands.
static constexpr DirectCalibration createDirect(double countedCycles,
                                                double countedReductionCycles) {
  return {.isCompared = true, // Clock, as the next two.
          .traffic = 1.125,
          .memoryEfficiency = 1, // Clock, as the next three.
          .countedCycles = countedCycles,
          .countedReductionCycles = countedReductionCycles,
          .instructionsPerBox = 8, // Assumed, as the next one.
          .instructionsPerStored = 4,
          .registers = kDirectRegisters};
}

/// By the clock: caches deliver what the next block reads again hardly faster
/// than the memory does.
static constexpr StreamCalibration kStream = {.positions = 16,
                                              .runPositions = 512,
                                              .idealShare = 40,
                                              .leastShare = 20,
                                              .itemsPerUnit = 128,
                                              .products = 1800,
                                              .filterBytes = 192,
                                              .keptBytes = 64,
                                              .keptOfGroups = 192,
                                              .keptPart = 10,
                                              .waveBytes = 128,
                                              .kernelsOfLine = 64,
                                              .columns = 512};

static constexpr Calibration createClocked(const DirectCalibration &direct,
                                           double loadLatencyNs) {
  return {.source = "the clock of lib/Clock",
          .launch = {.setupCycles = 200,    // Clock.
                     .startSeconds = 0,     // Not part of the clock.
                     .launchSeconds = 4e-6, // Assumed.
                     .splitWaves = 16,      // Clock, as the next one.
                     .mostSplits = 32},
          // Scattered stores are part of a loop's `storeCycles`.
          .access = {.loadLatencyNs = loadLatencyNs, // Clock.
                     .loadBytesPerClock = 64,  // Published, as the next one.
                     .loadLanesPerClock = 16}, // 4 bytes of each.
          .staged = kStaged,
          .unit = kUnit,
          .direct = direct,
          .transform = {.efficiency = 0.8, // Assumed, as the next one.
                        .scatteredFactor = 4,
                        .mostTurnedDistance = 4, // An H200's, as the next two.
                        .fewestSkippedColumns = 16,
                        .fewestSkippedRows = 8},
          .state = {.itemsPerUnit = 0, .workItems = 128, .largeWorkItems = 128},
          .dynamic = {.stream = kStream}};
}

/// Waits of direct kernels, with their queues, are 1000 to 1350 clocks on both.
constexpr Calibration conv::kCDNACalibration =
    createClocked(createDirect(1.5, 2.3), 600);
constexpr Calibration conv::kRDNACalibration =
    createClocked(createDirect(1, 1.1), 450);
