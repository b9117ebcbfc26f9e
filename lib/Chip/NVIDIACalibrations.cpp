//===- NVIDIACalibrations.cpp - what NVIDIA chips were seen to take -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of H200 kernels were fitted together, for all directions, to
// schedules of some hundred layers; the comments of the records name them.
//   * registerStagedSlowdown and asyncStagedSlowdown: 14 layers on an H200, 1.5
//     to 2.8 and 1.2 to 2.1. transposedStagedSlowdown and transposingSlowdown:
//     310 schedules of 120 layers on H100s, 2.2 to 10 and 1.0 to 1.8.
//     scatterCycles and sparseScatterCycles: 16 layers in NCHW on an H200.
//   * splitSum: scatteredSeconds by 4 schedules of 2 layers in NCHW on an
//     H200, and 14 pairs of schedules of 6 gradients of filters on an H100,
//     0.6e-11 to 2e-11.
//   * lineBuffer.unitBytesPerClock also bounds the copies of lanes: 66
//     schedules of 16 problems with unaligned rows took 0.83 to 1.25 of what is
//     predicted with it on an H100, 1.05 in the geometric mean.
//   * direct.queue: seconds and rowAloneCycles by 120 schedules of 20 depthwise
//     problems on an H100, of which small ones took 0.6 to 1.7 of the time.
//   * launch.prefetchedBytes: limits of 3, 4.5 and 6 MiB on 170 layers on an
//     H200; launch.prefetchSeconds: 285 warpgroup kernels without split-K
//     slices, 0.27 us in the mean.
//   * state: bench/results/decoding_h200.json.
//   * dynamic: bench/results/token_mixing_h100.json.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace conv;

static constexpr Calibration kHopper = {
    .source = "H200",
    .launch = {.setupCycles = 400,
               .startSeconds = 1.04e-6,
               .launchSeconds = 4e-6,
               .prefetchedBytes = 3 << 20,
               .prefetchSeconds = 0.26e-6,
               .splitWaves = 4,
               .mostSplits = 64},
    .access = {.loadLatencyNs = 400,
               .loadBytesPerClock = 64,
               .loadLanesPerClock = 16,
               .scatterCycles = 0.63,
               .sparseScatterCycles = 1.46,
               .wholeScatterCycles = 0.1},
    .staged = {.registerStagedSlowdown = 1.9,
               .asyncStagedSlowdown = 1.5,
               .transposedStagedSlowdown = 4.5,
               .transposingSlowdown = 1.5,
               .barrierCycles = 40,
               .leastLoadBytes = 4,
               .divisionCycles = 0.22,
               .temporaries = 1.75,
               .fixedRegisters = 20,
               .inputAccessRegisters = 4,
               .filterAccessRegisters = 2},
    .lane = {.startSeconds = 0.45e-6,
             .storeSeconds = 0.175e-12,
             .loadBytesPerClock = 39.5,
             .factor = 0.175,
             .norm = 3,
             .idleFactor = 9.7,
             .idlePower = 0.6,
             .roundSeconds = 0.5e-6,
             .aloneFactor = 1.28,
             .wideFactor = 1.12,
             .wideRows = 4,
             .shortFactor = 1.1,
             .stagedFactor = 1.1,
             .otherSlowdown = 1,
             .turnedSlowdown = 1.3,
             .fixedRegisters = 54,
             .sumRegisters = 1.8},
    .warpgroup = {.matrixSlowdown = 1.125,
                  .powerPerMatrixCycle = 1.05,
                  .powerPerByte = 0.0047,
                  .lineCycles = 3.3,
                  .volumeLineCycles = 2.6,
                  .volumeRowCycles = 4.2,
                  .rowCycles = 2.2,
                  .farRowCycles = 2.9,
                  .singleTapCopies = 1.5,
                  .nearShare = 0.3,
                  .clusterShare = 0.1,
                  .splitLineCycles = 2.45,
                  .groupLineUnits = 96,
                  .partialRowCycles = 4.2,
                  .writeShare = 0.75,
                  .cachedTileBytes = 163 << 10,
                  .cachedStageBytes = 128 << 10,
                  .copyLatencyCycles = 1490,
                  .copyBytesPerClock = 10900,
                  .stridedRowCycles = 2.4,
                  .idleCopyShare = 0.45,
                  .unalignedRowCycles = 10,
                  .longUnalignedShare = 0.45,
                  .engineRowCycles = 1.7,
                  .outsideRowCycles = 4.5,
                  .splitRowCycles = 3.8,
                  .partialKeptRowCycles = 10,
                  .unalignedGroupRowCycles = 6.6,
                  .unalignedGatherFactor = 1.25,
                  .alignedGatherFactor = 0.7,
                  .loadedElementCycles = 20,
                  .loadedCheckCycles = 3,
                  .loadedVectorCycles = 90,
                  .transposedRowFactor = 1.1,
                  .rereadShare = 0.1,
                  .firstSteps = 2.25,
                  .epilogueCyclesPerColumn = 11.25,
                  .storeCyclesPerRow = 4.8,
                  .columnSectorCycles = 0.64,
                  .partColumnSectorCycles = 3.6,
                  .oddElementCycles = 0.2,
                  .partSectorSeconds = 25e-12,
                  .plainCyclesPerColumn = 5,
                  .plainChunks = 2,
                  .shortPipelineCycles = 1000,
                  .shortPipelineStages = 4,
                  .copiedEpilogueShare = 0.2,
                  .hiddenOfOneConsumer = 0.405,
                  .hiddenEpilogue = 0.575,
                  .overlap = 2.2,
                  .convertCycles = 150,
                  .convertCyclesPerRow = 1.6,
                  .convertCyclesPerColumn = 6,
                  .chainCycles = 32,
                  .promotionCycles = 320,
                  .fewTilesOfUnit = 3,
                  .longSteps = 16,
                  .exchangeCycles = 350,
                  .exchangeBytesPerClock = 7},
    .lineBuffer = {.fragmentCycles = 11,
                   .tileCycles = 450,
                   .epilogueCyclesPerColumn = 10,
                   .copyCycles = 1300,
                   .unitBytesPerClock = 45,
                   .copyBytesPerClock = 4400,
                   .unalignedRowCycles = 8,
                   .gradientCyclesPerColumn = 60,
                   .launchCycles = 4100,
                   .launchLoads = 6,
                   .filterLoadCycles = 340,
                   .memoryShare = 0.88,
                   .memoryStartSeconds = 3e-6},
    .weightStationary = {.matrixSlowdown = 0.98,
                         .copyBytesPerClock = 40,
                         .sliceCycles = 360,
                         .epilogueCyclesPerColumn = 30,
                         .exposedStores = 0.4,
                         .launchCycles = 5000,
                         .accessCycles = 200,
                         .memoryShare = 0.76,
                         .memoryStartSeconds = 4.3e-6},
    .direct = {.isCompared = true,
               .traffic = 1e9, // Queues and others have their own.
               .memoryEfficiency = 0.8,
               .longRunBytes = 128,
               .shortReductionRunCost = 0.2,
               .partSectorCost = 2,
               .countedCycles = 1,
               .countedReductionCycles = 1,
               .instructionsPerBox = 8,
               .instructionsPerStored = 4,
               .fixedRegisters = 40,
               .queue = {.memoryEfficiency = 1.29,
                         .haloCost = 0.81,
                         .copyCost = 0.57,
                         .conflictCost = 0.1,
                         .inStep = 0.34,
                         .seconds = 2e-6,
                         .shortRunCost = 0.37,
                         .partStoreCost = 0.5,
                         .rowUnitCycles = 1.23,
                         .rowAloneCycles = 1.1,
                         .rowSetupCycles = 210,
                         .atomCycles = 1.21,
                         .lineCycles = 10,
                         .matrixUnitCycles = 100,
                         .matrixAloneCycles = 65,
                         .rowRegisters = 48},
               .blocks = {.memoryEfficiency = 0.77,
                          .shortRunCost = 0.15,
                          .stepCycles = 930,
                          .unitCycles = 230,
                          .loadCycles = 41},
               .bands = {.seconds = 1.7e-6,
                         .memoryEfficiency = 0.58,
                         .copyCycles = 5000,
                         .stepCycles = 90,
                         .transposeCycles = 336,
                         .sumCycles = 1100},
               .lanes = {.seconds = 0.3e-6,
                         .positionCycles = 1.3,
                         .channelPower = 0.4,
                         .idleCost = 0.2,
                         .busySubgroups = 16,
                         .totalCycles = 200}},
    .splitSum = {.launchSeconds = 1.0e-6,
                 .sliceSeconds = 3.75e-8,
                 .bandwidthShare = 0.7,
                 .scatteredSeconds = 1.2e-11},
    .transform = {.efficiency = 0.8,
                  .scatteredFactor = 4,
                  .overlappedLaunchSeconds = 0.95e-6,
                  .waitSeconds = 1.3e-6,
                  .mostTurnedDistance = 4,
                  .fewestSkippedColumns = 16,
                  .fewestSkippedRows = 8},
    .state = {.itemsPerUnit = 512, .workItems = 128, .largeWorkItems = 512},
    .dynamic = {.prefersWorkgroups = true},
};

/// Nothing was timed on an A100: staged kernels take the model's time, direct
/// ones are not compared with them, and all other constants are an H200's.
static constexpr Calibration createAmpere() {
  Calibration calibration = kHopper;
  calibration.source = "assumed";
  AccessCalibration &access = calibration.access;
  access.scatterCycles = access.sparseScatterCycles = 0;
  access.wholeScatterCycles = 0;
  StagedCalibration &staged = calibration.staged;
  staged.registerStagedSlowdown = staged.asyncStagedSlowdown = 1;
  staged.transposedStagedSlowdown = staged.transposingSlowdown = 1;
  staged.divisionCycles = 0;
  calibration.lane = {};
  calibration.warpgroup = {};
  calibration.lineBuffer = {};
  calibration.weightStationary = {};
  calibration.splitSum = {};
  calibration.direct.isCompared = false;
  calibration.direct.traffic = 1.25;
  return calibration;
}

constexpr Calibration conv::kHopperCalibration = kHopper;
constexpr Calibration conv::kAmpereCalibration = createAmpere();
