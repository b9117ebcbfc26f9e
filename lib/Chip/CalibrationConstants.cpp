//===- CalibrationConstants.cpp - constants by their names ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table for each record, in the order of its fields. A test compares the
// tables with the headers.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/CalibrationConstants.h"

using namespace conv;

namespace {
template <typename Record> struct Field {
  std::string_view name;
  double Record::*place;
};
} // namespace

static constexpr Field<LaunchCalibration> kLaunchCalibration[] = {
    {"setupCycles", &LaunchCalibration::setupCycles},
    {"startSeconds", &LaunchCalibration::startSeconds},
    {"launchSeconds", &LaunchCalibration::launchSeconds},
    {"prefetchSeconds", &LaunchCalibration::prefetchSeconds},
};

static constexpr Field<SplitSumCalibration> kSplitSumCalibration[] = {
    {"launchSeconds", &SplitSumCalibration::launchSeconds},
    {"sliceSeconds", &SplitSumCalibration::sliceSeconds},
    {"bandwidthShare", &SplitSumCalibration::bandwidthShare},
    {"scatteredSeconds", &SplitSumCalibration::scatteredSeconds},
};

static constexpr Field<TransformCalibration> kTransformCalibration[] = {
    {"efficiency", &TransformCalibration::efficiency},
    {"scatteredFactor", &TransformCalibration::scatteredFactor},
    {"overlappedLaunchSeconds", &TransformCalibration::overlappedLaunchSeconds},
    {"waitSeconds", &TransformCalibration::waitSeconds},
};

static constexpr Field<AccessCalibration> kAccessCalibration[] = {
    {"loadLatencyNs", &AccessCalibration::loadLatencyNs},
    {"loadBytesPerClock", &AccessCalibration::loadBytesPerClock},
    {"loadLanesPerClock", &AccessCalibration::loadLanesPerClock},
    {"scatterCycles", &AccessCalibration::scatterCycles},
    {"sparseScatterCycles", &AccessCalibration::sparseScatterCycles},
    {"wholeScatterCycles", &AccessCalibration::wholeScatterCycles},
};

static constexpr Field<StagedCalibration> kStagedCalibration[] = {
    {"registerStagedSlowdown", &StagedCalibration::registerStagedSlowdown},
    {"asyncStagedSlowdown", &StagedCalibration::asyncStagedSlowdown},
    {"transposedStagedSlowdown", &StagedCalibration::transposedStagedSlowdown},
    {"transposingSlowdown", &StagedCalibration::transposingSlowdown},
    {"barrierCycles", &StagedCalibration::barrierCycles},
    {"divisionCycles", &StagedCalibration::divisionCycles},
    {"overlappingWaves", &StagedCalibration::overlappingWaves},
    {"temporaries", &StagedCalibration::temporaries},
};

static constexpr Field<LaneCalibration> kLaneCalibration[] = {
    {"startSeconds", &LaneCalibration::startSeconds},
    {"storeSeconds", &LaneCalibration::storeSeconds},
    {"loadBytesPerClock", &LaneCalibration::loadBytesPerClock},
    {"factor", &LaneCalibration::factor},
    {"norm", &LaneCalibration::norm},
    {"idleFactor", &LaneCalibration::idleFactor},
    {"idlePower", &LaneCalibration::idlePower},
    {"roundSeconds", &LaneCalibration::roundSeconds},
    {"aloneFactor", &LaneCalibration::aloneFactor},
    {"wideFactor", &LaneCalibration::wideFactor},
    {"shortFactor", &LaneCalibration::shortFactor},
    {"stagedFactor", &LaneCalibration::stagedFactor},
    {"otherSlowdown", &LaneCalibration::otherSlowdown},
    {"turnedSlowdown", &LaneCalibration::turnedSlowdown},
    {"fixedRegisters", &LaneCalibration::fixedRegisters},
    {"sumRegisters", &LaneCalibration::sumRegisters},
};

static constexpr Field<LoopFit> kLoopFit[] = {
    {"partsNorm", &LoopFit::partsNorm},
    {"chainNorm", &LoopFit::chainNorm},
    {"exposedWrites", &LoopFit::exposedWrites},
    {"exposedPower", &LoopFit::exposedPower},
    {"ownWrites", &LoopFit::ownWrites},
    {"stepCycles", &LoopFit::stepCycles},
    {"latencyCycles", &LoopFit::latencyCycles},
    {"setupCycles", &LoopFit::setupCycles},
    {"accessCycles", &LoopFit::accessCycles},
    {"storeCycles", &LoopFit::storeCycles},
    {"vectorFactor", &LoopFit::vectorFactor},
};

static constexpr Field<UnitCalibration> kUnitCalibration[] = {
    {"laneCopyAtoms", &UnitCalibration::laneCopyAtoms},
    {"missedLoads", &UnitCalibration::missedLoads},
    {"matrixAccumulators", &UnitCalibration::matrixAccumulators},
    {"matrixOthers", &UnitCalibration::matrixOthers},
    {"vectorAccumulators", &UnitCalibration::vectorAccumulators},
    {"vectorOthers", &UnitCalibration::vectorOthers},
    {"transposedOthers", &UnitCalibration::transposedOthers},
    {"laneOthers", &UnitCalibration::laneOthers},
    {"laneReadCycles", &UnitCalibration::laneReadCycles},
    {"smallAtomRegisters", &UnitCalibration::smallAtomRegisters},
    {"combineSeconds", &UnitCalibration::combineSeconds},
    {"transposedConflicts", &UnitCalibration::transposedConflicts},
    {"keptShare", &UnitCalibration::keptShare},
    {"nearTapBytes", &UnitCalibration::nearTapBytes},
    {"shortRunLines", &UnitCalibration::shortRunLines},
    {"sharedLatency", &UnitCalibration::sharedLatency},
    {"stepInstructions", &UnitCalibration::stepInstructions},
    {"loadInstructions", &UnitCalibration::loadInstructions},
    {"joinInstructions", &UnitCalibration::joinInstructions},
    {"positionInstructions", &UnitCalibration::positionInstructions},
    {"elementInstructions", &UnitCalibration::elementInstructions},
    {"elementPlaceInstructions", &UnitCalibration::elementPlaceInstructions},
    {"sharedPlaceInstructions", &UnitCalibration::sharedPlaceInstructions},
    {"accumulationShare", &UnitCalibration::accumulationShare},
};

static constexpr Field<WarpgroupCalibration> kWarpgroupCalibration[] = {
    {"matrixSlowdown", &WarpgroupCalibration::matrixSlowdown},
    {"powerPerMatrixCycle", &WarpgroupCalibration::powerPerMatrixCycle},
    {"powerPerByte", &WarpgroupCalibration::powerPerByte},
    {"lineCycles", &WarpgroupCalibration::lineCycles},
    {"volumeLineCycles", &WarpgroupCalibration::volumeLineCycles},
    {"volumeRowCycles", &WarpgroupCalibration::volumeRowCycles},
    {"rowCycles", &WarpgroupCalibration::rowCycles},
    {"farRowCycles", &WarpgroupCalibration::farRowCycles},
    {"singleTapCopies", &WarpgroupCalibration::singleTapCopies},
    {"nearShare", &WarpgroupCalibration::nearShare},
    {"clusterShare", &WarpgroupCalibration::clusterShare},
    {"splitLineCycles", &WarpgroupCalibration::splitLineCycles},
    {"groupLineUnits", &WarpgroupCalibration::groupLineUnits},
    {"partialRowCycles", &WarpgroupCalibration::partialRowCycles},
    {"writeShare", &WarpgroupCalibration::writeShare},
    {"copyLatencyCycles", &WarpgroupCalibration::copyLatencyCycles},
    {"copyBytesPerClock", &WarpgroupCalibration::copyBytesPerClock},
    {"stridedRowCycles", &WarpgroupCalibration::stridedRowCycles},
    {"idleCopyShare", &WarpgroupCalibration::idleCopyShare},
    {"unalignedRowCycles", &WarpgroupCalibration::unalignedRowCycles},
    {"longUnalignedShare", &WarpgroupCalibration::longUnalignedShare},
    {"engineRowCycles", &WarpgroupCalibration::engineRowCycles},
    {"outsideRowCycles", &WarpgroupCalibration::outsideRowCycles},
    {"splitRowCycles", &WarpgroupCalibration::splitRowCycles},
    {"partialKeptRowCycles", &WarpgroupCalibration::partialKeptRowCycles},
    {"unalignedGroupRowCycles", &WarpgroupCalibration::unalignedGroupRowCycles},
    {"unalignedGatherFactor", &WarpgroupCalibration::unalignedGatherFactor},
    {"alignedGatherFactor", &WarpgroupCalibration::alignedGatherFactor},
    {"loadedElementCycles", &WarpgroupCalibration::loadedElementCycles},
    {"loadedCheckCycles", &WarpgroupCalibration::loadedCheckCycles},
    {"loadedVectorCycles", &WarpgroupCalibration::loadedVectorCycles},
    {"transposedRowFactor", &WarpgroupCalibration::transposedRowFactor},
    {"rereadShare", &WarpgroupCalibration::rereadShare},
    {"firstSteps", &WarpgroupCalibration::firstSteps},
    {"epilogueCyclesPerColumn", &WarpgroupCalibration::epilogueCyclesPerColumn},
    {"storeCyclesPerRow", &WarpgroupCalibration::storeCyclesPerRow},
    {"columnSectorCycles", &WarpgroupCalibration::columnSectorCycles},
    {"partColumnSectorCycles", &WarpgroupCalibration::partColumnSectorCycles},
    {"oddElementCycles", &WarpgroupCalibration::oddElementCycles},
    {"partSectorSeconds", &WarpgroupCalibration::partSectorSeconds},
    {"plainCyclesPerColumn", &WarpgroupCalibration::plainCyclesPerColumn},
    {"plainChunks", &WarpgroupCalibration::plainChunks},
    {"shortPipelineCycles", &WarpgroupCalibration::shortPipelineCycles},
    {"copiedEpilogueShare", &WarpgroupCalibration::copiedEpilogueShare},
    {"hiddenOfOneConsumer", &WarpgroupCalibration::hiddenOfOneConsumer},
    {"hiddenEpilogue", &WarpgroupCalibration::hiddenEpilogue},
    {"overlap", &WarpgroupCalibration::overlap},
    {"convertCycles", &WarpgroupCalibration::convertCycles},
    {"convertCyclesPerRow", &WarpgroupCalibration::convertCyclesPerRow},
    {"convertCyclesPerColumn", &WarpgroupCalibration::convertCyclesPerColumn},
    {"chainCycles", &WarpgroupCalibration::chainCycles},
    {"promotionCycles", &WarpgroupCalibration::promotionCycles},
    {"exchangeCycles", &WarpgroupCalibration::exchangeCycles},
    {"exchangeBytesPerClock", &WarpgroupCalibration::exchangeBytesPerClock},
};

static constexpr Field<LineBufferCalibration> kLineBufferCalibration[] = {
    {"fragmentCycles", &LineBufferCalibration::fragmentCycles},
    {"tileCycles", &LineBufferCalibration::tileCycles},
    {"epilogueCyclesPerColumn",
     &LineBufferCalibration::epilogueCyclesPerColumn},
    {"copyCycles", &LineBufferCalibration::copyCycles},
    {"unitBytesPerClock", &LineBufferCalibration::unitBytesPerClock},
    {"copyBytesPerClock", &LineBufferCalibration::copyBytesPerClock},
    {"unalignedRowCycles", &LineBufferCalibration::unalignedRowCycles},
    {"gradientCyclesPerColumn",
     &LineBufferCalibration::gradientCyclesPerColumn},
    {"launchCycles", &LineBufferCalibration::launchCycles},
    {"launchLoads", &LineBufferCalibration::launchLoads},
    {"filterLoadCycles", &LineBufferCalibration::filterLoadCycles},
    {"memoryShare", &LineBufferCalibration::memoryShare},
    {"memoryStartSeconds", &LineBufferCalibration::memoryStartSeconds},
};

static constexpr Field<WeightStationaryCalibration>
    kWeightStationaryCalibration[] = {
        {"matrixSlowdown", &WeightStationaryCalibration::matrixSlowdown},
        {"copyBytesPerClock", &WeightStationaryCalibration::copyBytesPerClock},
        {"sliceCycles", &WeightStationaryCalibration::sliceCycles},
        {"epilogueCyclesPerColumn",
         &WeightStationaryCalibration::epilogueCyclesPerColumn},
        {"exposedStores", &WeightStationaryCalibration::exposedStores},
        {"launchCycles", &WeightStationaryCalibration::launchCycles},
        {"accessCycles", &WeightStationaryCalibration::accessCycles},
        {"memoryShare", &WeightStationaryCalibration::memoryShare},
        {"memoryStartSeconds",
         &WeightStationaryCalibration::memoryStartSeconds},
};

static constexpr Field<DirectRegisters> kDirectRegisters[] = {
    {"fixed", &DirectRegisters::fixed},
    {"ofSum", &DirectRegisters::ofSum},
    {"ofAhead", &DirectRegisters::ofAhead},
    {"ofCopied", &DirectRegisters::ofCopied},
};

static constexpr Field<DirectQueueCalibration> kDirectQueueCalibration[] = {
    {"memoryEfficiency", &DirectQueueCalibration::memoryEfficiency},
    {"haloCost", &DirectQueueCalibration::haloCost},
    {"copyCost", &DirectQueueCalibration::copyCost},
    {"conflictCost", &DirectQueueCalibration::conflictCost},
    {"inStep", &DirectQueueCalibration::inStep},
    {"seconds", &DirectQueueCalibration::seconds},
    {"shortRunCost", &DirectQueueCalibration::shortRunCost},
    {"partStoreCost", &DirectQueueCalibration::partStoreCost},
    {"rowUnitCycles", &DirectQueueCalibration::rowUnitCycles},
    {"rowAloneCycles", &DirectQueueCalibration::rowAloneCycles},
    {"rowSetupCycles", &DirectQueueCalibration::rowSetupCycles},
    {"atomCycles", &DirectQueueCalibration::atomCycles},
    {"lineCycles", &DirectQueueCalibration::lineCycles},
    {"matrixUnitCycles", &DirectQueueCalibration::matrixUnitCycles},
    {"matrixAloneCycles", &DirectQueueCalibration::matrixAloneCycles},
};

static constexpr Field<DirectBlockCalibration> kDirectBlockCalibration[] = {
    {"memoryEfficiency", &DirectBlockCalibration::memoryEfficiency},
    {"shortRunCost", &DirectBlockCalibration::shortRunCost},
    {"stepCycles", &DirectBlockCalibration::stepCycles},
    {"unitCycles", &DirectBlockCalibration::unitCycles},
    {"loadCycles", &DirectBlockCalibration::loadCycles},
};

static constexpr Field<DirectBandCalibration> kDirectBandCalibration[] = {
    {"seconds", &DirectBandCalibration::seconds},
    {"memoryEfficiency", &DirectBandCalibration::memoryEfficiency},
    {"copyCycles", &DirectBandCalibration::copyCycles},
    {"stepCycles", &DirectBandCalibration::stepCycles},
    {"transposeCycles", &DirectBandCalibration::transposeCycles},
    {"sumCycles", &DirectBandCalibration::sumCycles},
};

static constexpr Field<DirectLaneCalibration> kDirectLaneCalibration[] = {
    {"seconds", &DirectLaneCalibration::seconds},
    {"positionCycles", &DirectLaneCalibration::positionCycles},
    {"channelPower", &DirectLaneCalibration::channelPower},
    {"idleCost", &DirectLaneCalibration::idleCost},
    {"busySubgroups", &DirectLaneCalibration::busySubgroups},
    {"totalCycles", &DirectLaneCalibration::totalCycles},
};

static constexpr Field<DirectRoundCalibration> kDirectRoundCalibration[] = {
    {"cycles", &DirectRoundCalibration::cycles},
    {"readCycles", &DirectRoundCalibration::readCycles},
};

static constexpr Field<DirectCalibration> kDirectCalibration[] = {
    {"traffic", &DirectCalibration::traffic},
    {"memoryEfficiency", &DirectCalibration::memoryEfficiency},
    {"longRunBytes", &DirectCalibration::longRunBytes},
    {"shortReductionRunCost", &DirectCalibration::shortReductionRunCost},
    {"partSectorCost", &DirectCalibration::partSectorCost},
    {"countedCycles", &DirectCalibration::countedCycles},
    {"countedReductionCycles", &DirectCalibration::countedReductionCycles},
    {"exposedShare", &DirectCalibration::exposedShare},
    {"instructionsPerBox", &DirectCalibration::instructionsPerBox},
    {"instructionsPerStored", &DirectCalibration::instructionsPerStored},
};

std::vector<CalibrationConstant> conv::listConstants(Calibration &calibration) {
  std::vector<CalibrationConstant> all;
  auto add = [&](const std::string &prefix, auto &record, auto &fields) {
    for (const auto &field : fields)
      all.push_back({prefix + std::string(field.name), &(record.*field.place)});
  };
  add("launch.", calibration.launch, kLaunchCalibration);
  add("access.", calibration.access, kAccessCalibration);
  add("staged.", calibration.staged, kStagedCalibration);
  add("lane.", calibration.lane, kLaneCalibration);
  add("unit.", calibration.unit, kUnitCalibration);
  add("unit.overlapped.", calibration.unit.overlapped, kLoopFit);
  add("unit.phased.", calibration.unit.phased, kLoopFit);
  add("unit.laneCopies.", calibration.unit.laneCopies, kLoopFit);
  add("warpgroup.", calibration.warpgroup, kWarpgroupCalibration);
  add("lineBuffer.", calibration.lineBuffer, kLineBufferCalibration);
  add("weightStationary.", calibration.weightStationary,
      kWeightStationaryCalibration);
  DirectCalibration &direct = calibration.direct;
  add("direct.", direct, kDirectCalibration);
  add("direct.registers.", direct.registers, kDirectRegisters);
  add("direct.queue.", direct.queue, kDirectQueueCalibration);
  add("direct.blocks.", direct.blocks, kDirectBlockCalibration);
  add("direct.bands.", direct.bands, kDirectBandCalibration);
  add("direct.lanes.", direct.lanes, kDirectLaneCalibration);
  add("direct.rounds.", direct.rounds, kDirectRoundCalibration);
  add("splitSum.", calibration.splitSum, kSplitSumCalibration);
  add("transform.", calibration.transform, kTransformCalibration);
  return all;
}
