//===- Calibrations.cpp - what was measured of kernels --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of H200 kernels were fitted together, for all directions, to
// schedules of some hundred layers; the comments of Calibration.h name them.
//   * registerStagedSlowdown and asyncStagedSlowdown: 14 layers on an H200, 1.5
//     to 2.8 and 1.2 to 2.1. transposedStagedSlowdown: gradients of filters in
//     three dimensions, two of which took 3.4 and 5.1 times as long on an H200
//     as predicted with registerStagedSlowdown. transposingSlowdown: 60 layers
//     in NCHW on an H200. scatterCycles and sparseScatterCycles: 16 of them.
//     direct.traffic: depthwise layers on an H200.
// `unit` was fitted to the clock model (docs/amd-kernels.md).
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace conv;

static constexpr Calibration kHopper = {
    .source = "H200",
    .launch = {.loadLatencyNs = 400,
               .setupCycles = 400,
               .startSeconds = 1.04e-6,
               .launchSeconds = 4e-6,
               .loadBytesPerClock = 64,
               .splitWaves = 4,
               .mostSplits = 64},
    .staged = {.registerStagedSlowdown = 1.9,
               .asyncStagedSlowdown = 1.5,
               .transposedStagedSlowdown = 8,
               .transposingSlowdown = 1.6,
               .scatterCycles = 0.63,
               .sparseScatterCycles = 1.46,
               .wholeScatterCycles = 0.1,
               .scatteredSumSeconds = 2e-11,
               .laneStartSeconds = 1e-6,
               .laneStoreSeconds = 0.91e-12,
               .laneLoadBytesPerClock = 39.5,
               .laneFactor = 0.175,
               .laneIdleFactor = 9.7,
               .laneIdlePower = 0.51,
               .laneRoundSeconds = 0.39e-6,
               .laneAloneFactor = 1.28,
               .laneWideFactor = 1.12,
               .laneShortFactor = 1.5,
               .laneTurnedSlowdown = 1.7,
               .laneFixedRegisters = 54,
               .laneSumRegisters = 1.8,
               .barrierCycles = 40,
               .transposedConflicts = 1.4,
               .keptShare = 0.84,
               .shortRunLines = 0.5,
               .stepInstructions = 8,
               .loadInstructions = 2,
               .joinInstructions = 4,
               .positionInstructions = 16,
               .elementInstructions = 8,
               .elementPlaceInstructions = 22,
               .sharedPlaceInstructions = 0.5,
               .loadLanesPerClock = 16,
               .leastLoadBytes = 4,
               .temporaries = 1.75,
               .accumulationShare = 0.8,
               .fixedRegisters = 20,
               .inputPieceRegisters = 4,
               .filterPieceRegisters = 2,
               .joinedLoadRegisters = 2},
    .unit = {.overlapped = {.partsNorm = 3.9,
                            .chainNorm = 10,
                            .exposedWrites = 1,
                            .exposedPower = 1.4,
                            .ownWrites = 0,
                            .stepCycles = 255,
                            .latencyCycles = 590,
                            .setupCycles = 570,
                            .pieceCycles = 95,
                            .storeCycles = 1.2,
                            .vectorFactor = 1.8},
             .phased = {.partsNorm = 20,
                        .chainNorm = 3.1,
                        .exposedWrites = 6.2,
                        .exposedPower = 1.4,
                        .ownWrites = 2.8,
                        .stepCycles = 700,
                        .latencyCycles = 500,
                        .setupCycles = 130,
                        .pieceCycles = 125,
                        .storeCycles = 0.5,
                        .vectorFactor = 1.5},
             .laneCopies = {.partsNorm = 3.9,
                            .chainNorm = 10,
                            .exposedWrites = 1,
                            .exposedPower = 1.4,
                            .ownWrites = 0,
                            .stepCycles = 175,
                            .latencyCycles = 900,
                            .setupCycles = 570,
                            .pieceCycles = 95,
                            .storeCycles = 1.2,
                            .vectorFactor = 1.8},
             .laneCopyAtoms = 7,
             .missedLoads = 0.85,
             .matrixAccumulators = 1.25,
             .matrixOthers = 0.85,
             .vectorAccumulators = 1.15,
             .vectorOthers = 0.66,
             .transposedOthers = 0.12,
             .smallAtomRegisters = 17,
             .combineSeconds = 0.5e-6},
    .warpgroup = {.matrixSlowdown = 1.125,
                  .powerPerMatrixCycle = 1.05,
                  .powerPerByte = 0.0047,
                  .lineCycles = 3.3,
                  .volumeLineCycles = 2.6,
                  .volumeRowCycles = 4.2,
                  .rowCycles = 2.2,
                  .splitLineCycles = 2.45,
                  .partialRowCycles = 4.2,
                  .writeShare = 0.75,
                  .copyLatencyCycles = 1490,
                  .copyBytesPerClock = 10900,
                  .stridedRowCycles = 2.4,
                  .unalignedRowCycles = 10,
                  .longUnalignedShare = 0.5,
                  .unalignedGroupRowCycles = 6.6,
                  .transposedRowFactor = 1.3,
                  .rereadShare = 0.1,
                  .firstSteps = 2.25,
                  .epilogueCyclesPerColumn = 11.25,
                  .storeCyclesPerRow = 4.8,
                  .plainCyclesPerColumn = 5,
                  .plainChunks = 2,
                  .shortPipelineCycles = 1000,
                  .copiedEpilogueShare = 0.2,
                  .hiddenOfOneConsumer = 0.405,
                  .hiddenEpilogue = 0.575,
                  .overlap = 2.2,
                  .sumLaunchSeconds = 0.5e-6,
                  .partSeconds = 3.75e-8,
                  .intermediateShare = 0.7,
                  .convertCycles = 550,
                  .convertCyclesPerColumn = 7,
                  .chainCycles = 32,
                  .promotionCycles = 320,
                  .exchangeCycles = 350,
                  .exchangeBytesPerClock = 7},
    .lineBuffer = {.fragmentCycles = 11,
                   .tileCycles = 480,
                   .epilogueCyclesPerColumn = 14,
                   .copyCycles = 1300,
                   .unitBytesPerClock = 45,
                   .copyBytesPerClock = 4400,
                   .unalignedRowCycles = 8,
                   .gradientCyclesPerColumn = 60,
                   .launchCycles = 4100,
                   .launchElements = 24,
                   .elementCycles = 75},
    .weightStationary = {.matrixSlowdown = 1.1,
                         .copyBytesPerClock = 40,
                         .sliceCycles = 100,
                         .epilogueCyclesPerColumn = 40,
                         .launchCycles = 4000,
                         .pieceCycles = 60,
                         .memoryShare = 0.9},
    .direct = {.isCompared = true,
               .traffic = 1e9, // Queues and others have their own.
               .diagonalSeconds = 1.7e-6,
               .diagonalMemoryEfficiency = 0.58,
               .blockMemoryEfficiency = 0.77,
               .shortRunCost = 0.15,
               .longRunBytes = 128,
               .shortReductionRunCost = 0.2,
               .shortQueueRunCost = 0.37,
               .queueMemoryEfficiency = 1.29,
               .queueHaloCost = 0.81,
               .queueCopyCost = 0.57,
               .queueConflictCost = 0.1,
               .queueInStep = 0.34,
               .queueSeconds = 3.1e-6,
               .memoryEfficiency = 0.8,
               .countedCycles = 1,
               .countedReductionCycles = 1,
               .registers = {.fixed = 4,
                             .ofSum = 1,
                             .ofWindow = 4,
                             .ofTap = 4,
                             .ofReduction = 0,
                             .movedCost = 0,
                             .movedFilterCost = 1,
                             .mostReadAhead = 0,
                             .mostHoisted = 0},
               .instructionsPerBox = 8,
               .instructionsPerStored = 4,
               .rowUnitCycles = 1.23,
               .rowAloneCycles = 0.46,
               .rowSetupCycles = 210,
               .atomCycles = 1.21,
               .lineCycles = 10,
               .matrixUnitCycles = 80,
               .matrixAloneCycles = 52,
               .blockStepCycles = 930,
               .blockUnitCycles = 230,
               .blockLoadCycles = 41,
               .diagonalCopyCycles = 5000,
               .diagonalStepCycles = 90,
               .transposeCycles = 336,
               .diagonalSumCycles = 1100},
    .transform = {.efficiency = 0.8,
                  .scatteredFactor = 4,
                  .overlappedLaunchSeconds = 2.2e-6},
};

/// Where no kernel was timed, staged kernels take the model's time.
static constexpr Calibration createUnmeasured(std::string_view source) {
  Calibration calibration = kHopper;
  calibration.source = source;
  StagedCalibration &staged = calibration.staged;
  staged.registerStagedSlowdown = staged.asyncStagedSlowdown = 1;
  staged.transposedStagedSlowdown = staged.transposingSlowdown = 1;
  staged.scatterCycles = staged.sparseScatterCycles = 0;
  staged.wholeScatterCycles = 0;
  staged.scatteredSumSeconds = staged.laneFactor = 0;
  calibration.direct.isCompared = false;
  calibration.direct.traffic = 1.25;
  return calibration;
}

static constexpr Calibration createClocked() {
  Calibration calibration = createUnmeasured("the clock of lib/Clock");
  calibration.launch.startSeconds = 0; // Not part of the clock.
  calibration.launch.splitWaves = 16;
  calibration.launch.mostSplits = 32;
  calibration.direct.isCompared = true;
  calibration.direct.traffic = 1.125;
  calibration.direct.memoryEfficiency = 1;
  return calibration;
}

static constexpr Calibration createCDNA() {
  Calibration calibration = createClocked();
  calibration.direct.countedCycles = 1.5;
  calibration.direct.countedReductionCycles = 2.3;
  calibration.direct.registers = {.fixed = -36,
                                  .ofSum = 0.8,
                                  .ofWindow = 10,
                                  .ofTap = 12,
                                  .ofReduction = 61,
                                  .movedCost = 0.03,
                                  .movedFilterCost = 1.45,
                                  .mostReadAhead = 26,
                                  .mostHoisted = 32};
  return calibration;
}

static constexpr Calibration createRDNA() {
  Calibration calibration = createClocked();
  calibration.direct.countedCycles = 1;
  calibration.direct.countedReductionCycles = 1.1;
  return calibration;
}

constexpr Calibration conv::kHopperCalibration = kHopper;
constexpr Calibration conv::kAmpereCalibration = createUnmeasured("assumed");
constexpr Calibration conv::kCDNACalibration = createCDNA();
constexpr Calibration conv::kRDNACalibration = createRDNA();
constexpr Calibration conv::kHostCalibration = createUnmeasured("assumed");
