//===- StagedModel.cpp - the cost of tiles that are staged ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of the main loop keeps three units of a compute unit busy: matrix
// units (or multiply-adds), shared memory, and the load path. They overlap as
// far as there are waves to switch between. A step is never shorter than a
// load's latency, since a tile is loaded one step ahead. The chip's time
// follows from the rounds of workgroups the busiest compute unit runs, against
// the time that device memory needs for the bytes. What is counted here for a
// step of an AMD kernel goes into a model of its own, `UnitModel.cpp`.
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/StagedModel.h"

#include "UnitModel.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace conv;

static const StagedCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->staged;
}

/// Registers that the compiler takes beside accumulators, as a multiple of what
/// is counted, before it spills. Measured on kernels for all chips: up to 1.75
/// where there are 256 registers, since loads are hoisted.
static constexpr double kTemporaries = 1.75;
/// Share of the accumulation registers that accumulators may take.
static constexpr double kAccumulationShare = 0.8;
/// Loop counters, base addresses, lane numbers, constants.
static constexpr int64_t kFixedRegisters = 20;
/// Of a piece of input: its position's offset, first row and column, and a
/// mask.
static constexpr int64_t kRegistersPerInputPiece = 4;
static constexpr int64_t kRegistersPerFilterPiece = 2;
/// Of a load that is one of several for a piece: counted in weight gradients.
static constexpr int64_t kRegistersPerJoinedLoad = 2;
/// A lane's load is not faster for less.
static constexpr int64_t kLeastLoadBytes = 4;

static bool isHost(const ChipInfo &chip) {
  return chip.backend == Backend::Host;
}

/// Whether the code generator leaves loads where the main loop starts them
/// (`conv.schedule_fence`).
static bool keepsLoadsEarly(const ChipInfo &chip) {
  return chip.backend == Backend::AMDGPU;
}

/// Whether neighbours in memory are of different rows. An element alone is not
/// transposed.
static bool isTransposed(const Run &run) {
  return run.elements > 1 && !run.isAlongReduction;
}

int64_t conv::reductionGranule(const MatrixAtom &atom) {
  int64_t perPiece = kPieceBytes / byteSize(atom.operand);
  return std::lcm<int64_t>(atom.k, atom.groupsOfK() * perPiece);
}

int64_t conv::computeAvailableRegisters(const ChipInfo &chip,
                                        int64_t subgroups) {
  int64_t wavesPerSimd = ceilDiv(subgroups, chip.simdsPerComputeUnit);
  return std::min<int64_t>(chip.registersPerLane,
                           chip.registerFilePerLane / wavesPerSimd);
}

int64_t conv::computeNeededRegisters(const RegisterCost &registers) {
  int64_t others = registers.total() - registers.accumulators;
  return registers.accumulators +
         static_cast<int64_t>(std::ceil(kTemporaries * double(others)));
}

/// 16-byte pieces of one operand's tile that a work-item copies.
static int64_t piecesPerWorkItem(const ChipInfo &chip,
                                 const Candidate &candidate, int64_t rows) {
  int64_t bytes = rows * candidate.gemmK * byteSize(candidate.atom->operand);
  return ceilDiv(bytes,
                 kPieceBytes * candidate.subgroups() * chip.subgroupSize);
}

/// Bytes a lane holds of A and of B for one atom's rows and one granule of the
/// reduction.
static int64_t fragmentBytesA(const MatrixAtom &atom) {
  return atom.rowsOfA() *
         std::max(kPieceBytes, atom.kPerLane * byteSize(atom.operand));
}
static int64_t fragmentBytesB(const MatrixAtom &atom) {
  return std::max(kPieceBytes, atom.kPerLane * byteSize(atom.operand));
}

/// Granules of the reduction whose fragments are in registers at a time.
static int64_t countGranulesInFlight(const ChipInfo &chip,
                                     const Candidate &candidate) {
  int64_t granules = candidate.gemmK / reductionGranule(*candidate.atom);
  // Where nothing keeps matrix instructions apart from loads, the compiler
  // hoists all loads of a step. An FMA atom is many instructions by itself.
  bool hoistsAll =
      candidate.atom->kind == AtomKind::WMMA && chip.accumulationRegisters == 0;
  return hoistsAll ? granules : granules > 2 ? 2 : 1;
}

bool conv::copiesAsync(const ChipInfo &chip, const Run &run,
                       int64_t elementBytes) {
  if (const LaneCopies *copies = chip.getLaneCopies()) {
    // Transposing reads bring the reduction of 16-bit elements together.
    bool isReadable = run.isAlongReduction ||
                      (copies->hasTransposingReads && elementBytes == 2);
    return isReadable && run.elements * elementBytes % copies->bytes == 0;
  }
  return chip.asyncCopyBytes > 0 && run.isAlongReduction &&
         run.elements * elementBytes % chip.asyncCopyBytes == 0;
}

/// Whether both tiles arrive in the order of lanes, without registers.
static bool copiesInLaneOrder(const ChipInfo &chip,
                              const Candidate &candidate) {
  return candidate.loop == MainLoop::AsyncStaged && chip.getLaneCopies();
}

/// Neighbouring elements that a lane loads at a time: along a row of the tile,
/// or of as many of its rows as a lane has pieces of.
static int64_t countLoadElements(const ChipInfo &chip,
                                 const Candidate &candidate, int64_t rows,
                                 const Run &run) {
  int64_t longest = kPieceBytes / byteSize(candidate.atom->operand);
  if (copiesInLaneOrder(chip, candidate))
    return longest;
  if (keepsLoadsEarly(chip) && !run.isAlongReduction)
    longest = std::gcd(longest, piecesPerWorkItem(chip, candidate, rows));
  return std::gcd(longest, run.elements);
}

/// Registers that MFMA loops keep for the loads of an operand that is
/// transposed on its way: each block of rows has a load for every element of a
/// piece.
static int64_t countJoinRegisters(const ChipInfo &chip,
                                  const Candidate &candidate, int64_t rows,
                                  const Run &run) {
  if (candidate.atom->kind != AtomKind::MFMA || !keepsLoadsEarly(chip) ||
      run.isAlongReduction || copiesInLaneOrder(chip, candidate))
    return 0;
  int64_t longest = kPieceBytes / byteSize(candidate.atom->operand);
  int64_t blocks = piecesPerWorkItem(chip, candidate, rows) /
                   countLoadElements(chip, candidate, rows, run);
  return kRegistersPerJoinedLoad * blocks * longest;
}

RegisterCost conv::computeRegisters(const Problem &problem,
                                    const ChipInfo &chip,
                                    const Candidate &candidate) {
  const MatrixAtom &atom = *candidate.atom;
  auto [rows, columns] = candidate.subgroup;
  int64_t inputPieces =
      piecesPerWorkItem(chip, candidate, candidate.workgroup[0]);
  int64_t filterPieces =
      piecesPerWorkItem(chip, candidate, candidate.workgroup[1]);
  int64_t registerBytes = 4;
  int64_t bytesA = columns / atom.m * fragmentBytesA(atom);
  // The rows of A that an FMA atom reads are the same for all lanes; half of
  // one atom's are on the way while the other half is used.
  if (atom.kind == AtomKind::FMA)
    bytesA = fragmentBytesA(atom) / 2;
  int64_t bytesB = rows / atom.n * fragmentBytesB(atom);
  RegisterCost cost;
  cost.accumulators = rows * columns / chip.subgroupSize;
  auto isStaged = [&](const Run &run) {
    return candidate.loop != MainLoop::AsyncStaged ||
           !copiesAsync(chip, run, byteSize(atom.operand));
  };
  cost.staging = (isStaged(problem.lhsRun) * inputPieces +
                  isStaged(problem.rhsRun) * filterPieces) *
                 kPieceBytes / registerBytes;
  cost.fragments = countGranulesInFlight(chip, candidate) * (bytesA + bytesB) /
                   registerBytes;
  cost.addresses = kFixedRegisters + kRegistersPerInputPiece * inputPieces +
                   kRegistersPerFilterPiece * filterPieces +
                   countJoinRegisters(chip, candidate, candidate.workgroup[0],
                                      problem.lhsRun) +
                   countJoinRegisters(chip, candidate, candidate.workgroup[1],
                                      problem.rhsRun);
  return cost;
}

int64_t conv::computeSharedBytes(const Candidate &candidate) {
  return candidate.stages * (candidate.workgroup[0] + candidate.workgroup[1]) *
         candidate.gemmK * byteSize(candidate.atom->operand);
}

Rejection conv::checkStaged(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate) {
  int64_t workItems = candidate.subgroups() * chip.subgroupSize;
  if (computeSharedBytes(candidate) > chip.sharedMemoryBytes)
    return Rejection::SharedMemory;
  if (workItems > chip.maxWorkgroupSize)
    return Rejection::WorkgroupSize;
  for (int64_t rows : candidate.workgroup) {
    int64_t bytes = rows * candidate.gemmK * byteSize(candidate.atom->operand);
    if (bytes % (kPieceBytes * workItems) != 0)
      return Rejection::UnevenCopy;
  }
  if (isHost(chip)) // The register tile is the atom, which fits.
    return Rejection::None;
  RegisterCost registers = computeRegisters(problem, chip, candidate);
  int64_t available = computeAvailableRegisters(chip, candidate.subgroups());
  // What is usually allocated is known better where the phases of a step are
  // apart, and loads are wide. Should it be too little, another schedule takes
  // the place.
  auto isWide = [&](const Run &run) {
    return run.elements * byteSize(candidate.atom->operand) >= kPieceBytes;
  };
  bool isPhased = keepsLoadsEarly(chip) &&
                  candidate.atom->kind == AtomKind::WMMA &&
                  isWide(problem.lhsRun) && isWide(problem.rhsRun);
  int64_t needed =
      isPhased ? computeExpectedRegisters(chip, *candidate.atom, registers)
               : computeNeededRegisters(registers);
  bool fits = needed <= available;
  // Accumulation registers hold nothing but accumulators, so neither side may
  // count on the whole file.
  if (chip.accumulationRegisters > 0)
    fits &= double(registers.accumulators) <=
            kAccumulationShare * chip.accumulationRegisters;
  return fits ? Rejection::None : Rejection::Registers;
}

/// Cache lines that rows of a tile touch, as a multiple of what they need. Rows
/// made of several runs are counted as if these followed each other.
static double countLineWaste(const ChipInfo &chip, const Candidate &candidate,
                             int64_t rows, const Run &run) {
  int64_t along = run.isAlongReduction ? candidate.gemmK : rows;
  if (chip.cacheLineBytes == 0 || run.elements < along)
    return 1;
  int64_t bytes = along * byteSize(candidate.atom->operand);
  return double(roundUp(bytes, chip.cacheLineBytes)) / double(bytes);
}

/// Cycles of the load path for the tile of one operand.
static double computeLoadCycles(const ChipInfo &chip,
                                const Candidate &candidate, int64_t rows,
                                const Run &run) {
  int64_t width = countLoadElements(chip, candidate, rows, run);
  int64_t loads = rows * candidate.gemmK / width;
  int64_t bytes =
      std::max(width * byteSize(candidate.atom->operand), kLeastLoadBytes);
  return std::max(double(loads * bytes) *
                      countLineWaste(chip, candidate, rows, run) /
                      chip.sharedCacheBytesPerClock,
                  double(loads) / fit(chip).loadLanesPerClock);
}

/// Whether loads stay in their places from one step to the next, so that no
/// vector instruction moves them (`conv.placed_load`). MFMA loops do that only
/// where places never change.
static bool keepsPlaces(const Problem &problem, const ChipInfo &chip,
                        const Candidate &candidate, const Run &run) {
  bool stays = candidate.atom->kind == AtomKind::MFMA
                   ? run.elements == problem.reduction
                   : run.elements % candidate.gemmK == 0;
  return keepsLoadsEarly(chip) && candidate.loop != MainLoop::AsyncStaged &&
         run.isAlongReduction && stays;
}

/// Vector instructions of a wave that bring one operand's tile.
static double countCopyInstructions(const Problem &problem,
                                    const ChipInfo &chip,
                                    const Candidate &candidate, int64_t rows,
                                    const Run &run) {
  auto pieces = double(piecesPerWorkItem(chip, candidate, rows));
  int64_t longest = kPieceBytes / byteSize(candidate.atom->operand);
  int64_t width = countLoadElements(chip, candidate, rows, run);
  double ofLoad = fit(chip).loadInstructions +
                  (run.takesDivisions ? fit(chip).positionInstructions : 0);
  if (keepsPlaces(problem, chip, candidate, run))
    ofLoad = 0;
  // Blocks of whole pieces are transposed, too; that was fitted to loops whose
  // phases are apart.
  bool isJoined =
      width < longest || (candidate.atom->kind == AtomKind::WMMA &&
                          keepsLoadsEarly(chip) && isTransposed(run));
  return pieces * (double(longest) / double(width) * ofLoad +
                   (isJoined ? fit(chip).joinInstructions : 0));
}

/// Cycles in which vector instructions of a wave's step occupy a SIMD unit.
static double computeVectorCycles(const Problem &problem, const ChipInfo &chip,
                                  const Candidate &candidate) {
  double instructions =
      double(candidate.stages) * fit(chip).stepInstructions +
      countCopyInstructions(problem, chip, candidate, candidate.workgroup[0],
                            problem.lhsRun) +
      countCopyInstructions(problem, chip, candidate, candidate.workgroup[1],
                            problem.rhsRun);
  // Multiply-adds of the table are packed, two for each lane.
  double lanesPerClock = chip.fmaPerClock / 2.0 / chip.simdsPerComputeUnit;
  return instructions * chip.subgroupSize / lanesPerClock;
}

/// Bytes of a tile that is written to shared memory, as if there were no
/// conflicts and writes were as fast as reads.
static double countWrittenBytes(const ChipInfo &chip,
                                const Candidate &candidate, int64_t rows,
                                const Run &run) {
  int64_t rowBytes = candidate.gemmK * byteSize(candidate.atom->operand);
  int64_t bankBytes = 4;
  bool hasConflicts = keepsLoadsEarly(chip) && isTransposed(run) &&
                      !copiesInLaneOrder(chip, candidate) &&
                      rowBytes < bankBytes * chip.sharedMemoryBanks;
  return double(rows * rowBytes) *
         (hasConflicts ? 1 + fit(chip).transposedConflicts : 1) *
         chip.sharedWritePasses;
}

/// Cycles of shared memory in which both tiles are written.
static double computeWriteCycles(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate) {
  return (countWrittenBytes(chip, candidate, candidate.workgroup[0],
                            problem.lhsRun) +
          countWrittenBytes(chip, candidate, candidate.workgroup[1],
                            problem.rhsRun)) /
         (chip.sharedMemoryBytesPerClock * chip.computeUnitsOfProcessor);
}

/// Bytes of a tile of the result, and of what its epilogue reads.
static double countStoredBytes(const Problem &problem,
                               const Candidate &candidate) {
  return double(candidate.workgroup[0] * candidate.workgroup[1]) *
         (double(byteSize(problem.result)) +
          problem.epilogueBytes / double(problem.products) /
              double(problem.batch) / double(problem.rows) /
              double(problem.columns));
}

/// Fills in what one step of one workgroup asks of each unit.
static void countStep(const Problem &problem, const ChipInfo &chip,
                      const Candidate &candidate, Cost &cost) {
  const MatrixAtom &atom = *candidate.atom;
  double waves = double(candidate.subgroups());
  double atomsK = double(candidate.gemmK) / atom.k;
  double atomsM = double(candidate.subgroup[1]) / atom.m;
  double atomsN = double(candidate.subgroup[0]) / atom.n;
  cost.matrixCycles = atomsM * atomsN * atomsK * atom.cycles *
                      std::ceil(waves / double(countSimds(chip)));

  double granules = double(candidate.gemmK) / double(reductionGranule(atom));
  // Transposing reads of columns that 16 rows of an atom hold take two passes.
  bool hasConflicts = copiesInLaneOrder(chip, candidate) &&
                      !problem.rhsRun.isAlongReduction && atom.m <= 16;
  double readBytes =
      waves * chip.subgroupSize * granules *
      ((hasConflicts ? 2 : 1) * atomsM * double(fragmentBytesA(atom)) +
       atomsN * double(fragmentBytesB(atom)));
  cost.sharedCycles = readBytes / (chip.sharedMemoryBytesPerClock *
                                   chip.computeUnitsOfProcessor) +
                      computeWriteCycles(problem, chip, candidate);

  cost.loadCycles = (computeLoadCycles(chip, candidate, candidate.workgroup[0],
                                       problem.lhsRun) +
                     computeLoadCycles(chip, candidate, candidate.workgroup[1],
                                       problem.rhsRun)) /
                    chip.computeUnitsOfProcessor;
}

/// Length of the average product as a part of the longest one's.
static double computeReductionShare(const Problem &problem) {
  if (problem.products == 1)
    return 1;
  double asLongest = 2 * double(problem.products * problem.batch) *
                     double(problem.rows * problem.columns) *
                     double(problem.reduction);
  return std::min(1.0, problem.usefulFlops / asLongest);
}

/// What the model of AMD units asks for.
static UnitWork getUnitWork(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate, const Cost &cost) {
  UnitWork work;
  work.waves = candidate.subgroups();
  work.stages = candidate.stages;
  work.steps = double(cost.steps) * computeReductionShare(problem);
  work.overlapsSteps = candidate.atom->kind == AtomKind::MFMA;
  work.joinsLoads =
      work.overlapsSteps && !copiesInLaneOrder(chip, candidate) &&
      (isTransposed(problem.lhsRun) || isTransposed(problem.rhsRun));
  work.copiesInLaneOrder = copiesInLaneOrder(chip, candidate);
  work.atomCycles = candidate.atom->cycles;
  work.matrixCycles =
      cost.matrixCycles / double(ceilDiv(work.waves, countSimds(chip)));
  work.vectorCycles = computeVectorCycles(problem, chip, candidate);
  work.pieces = piecesPerWorkItem(chip, candidate, candidate.workgroup[0]) +
                piecesPerWorkItem(chip, candidate, candidate.workgroup[1]);
  work.sharedCycles = cost.sharedCycles;
  work.sharedWriteCycles = computeWriteCycles(problem, chip, candidate);
  work.loadCycles = cost.loadCycles;
  // Parts of a reduction are stored as they are summed.
  work.storedBytes =
      problem.splits > 1
          ? double(candidate.workgroup[0] * candidate.workgroup[1] *
                   byteSize(candidate.atom->accumulator))
          : countStoredBytes(problem, candidate);
  return work;
}

/// Cycles of a step of a workgroup among others. With one wave on a SIMD unit,
/// half of the shorter activities are hidden, with two a third is not, and more
/// waves wait for the same units.
static double computeStepCycles(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate, const Cost &cost) {
  int64_t resident = cost.residentWorkgroups;
  if (keepsLoadsEarly(chip))
    return computeUnitStep(chip, getUnitWork(problem, chip, candidate, cost),
                           resident) /
           double(resident);
  double longest =
      std::max({cost.matrixCycles, cost.sharedCycles, cost.loadCycles});
  double others =
      cost.matrixCycles + cost.sharedCycles + cost.loadCycles - longest;
  return longest + others / (1 + std::min(cost.wavesPerSimd, 2.0)) +
         fit(chip).barrierCycles;
}

/// Fills in how many workgroups a compute unit holds.
static void computeOccupancy(const ChipInfo &chip, const Candidate &candidate,
                             Cost &cost) {
  if (isHost(chip)) {
    cost.residentWorkgroups = 1;
    cost.wavesPerSimd = 1;
    return;
  }
  int64_t registers =
      keepsLoadsEarly(chip)
          ? computeExpectedRegisters(chip, *candidate.atom, cost.registers)
          : cost.registers.total();
  int64_t perWave = roundUp(registers, chip.registerGranule);
  int64_t waves = std::min<int64_t>(chip.maxWavesPerSimd,
                                    chip.registerFilePerLane / perWave) *
                  countSimds(chip);
  int64_t byRegisters = waves / candidate.subgroups();
  int64_t byShared =
      chip.sharedMemoryOfUnit * chip.computeUnitsOfProcessor / cost.sharedBytes;
  // More would not be wrong, but no unit gets more than its share of the grid.
  int64_t share = ceilDiv(cost.workgroups, countUnits(chip));
  cost.residentWorkgroups =
      std::max<int64_t>(1, std::min({byRegisters, byShared, share}));
  cost.wavesPerSimd = double(cost.residentWorkgroups * candidate.subgroups()) /
                      double(countSimds(chip));
}

/// Cycles for which a step lasts at least, until the tile of a later one is
/// there: each of the stages but one has a tile on its way.
static double computeTileLatency(const ChipInfo &chip,
                                 const Candidate &candidate) {
  if (isHost(chip))
    return 0;
  return chip.calibration->launch.loadLatencyNs * chip.clockGHz /
         double(std::max<int64_t>(1, candidate.stages - 1));
}

/// Cycles of a round of `workgroups` that run together on one compute unit.
static double computeRound(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate, const Cost &cost,
                           int64_t workgroups) {
  double latency =
      isHost(chip) ? 0 : chip.calibration->launch.loadLatencyNs * chip.clockGHz;
  double step = std::max(double(workgroups) * cost.stepCycles,
                         computeTileLatency(chip, candidate));
  double ends = chip.calibration->launch.setupCycles +
                countStoredBytes(problem, candidate) /
                    chip.calibration->launch.loadBytesPerClock;
  // Products of several dgrad phases are of different lengths. The first tile
  // is waited for, and the last result is not.
  double steps = double(cost.steps) * computeReductionShare(problem);
  return latency + steps * step + double(workgroups) * ends;
}

/// Cycles of all `workgroups` of one unit.
static double computeCycles(const Problem &problem, const ChipInfo &chip,
                            const Candidate &candidate, const Cost &cost,
                            int64_t workgroups) {
  int64_t resident = cost.residentWorkgroups;
  if (keepsLoadsEarly(chip))
    return computeUnitCycles(chip, getUnitWork(problem, chip, candidate, cost),
                             resident, workgroups);
  int64_t last = workgroups % resident;
  return double(workgroups / resident) *
             computeRound(problem, chip, candidate, cost, resident) +
         (last ? computeRound(problem, chip, candidate, cost, last) : 0);
}

/// Seconds in which each tap reads its part of the left operand again from
/// below the dies' caches, if what their units read at a time does not fit.
static double computeTapSeconds(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate, const Cost &cost) {
  const Run &run = problem.lhsRun;
  if (!run.isAlongReduction || run.elements >= problem.reduction)
    return 0;
  int64_t elementBytes = byteSize(candidate.atom->operand);
  int64_t readTogether = cost.residentWorkgroups * countUnits(chip) /
                         chip.dies * candidate.workgroup[0] * run.elements *
                         elementBytes;
  if (chip.dieCacheBytes == 0 || readTogether <= chip.dieCacheBytes)
    return 0;
  double ofAllTaps = double(problem.products * problem.batch * problem.rows) *
                     double(problem.reduction * elementBytes) *
                     computeReductionShare(problem);
  return (ofAllTaps + problem.resultBytes) / computeFarBandwidth(problem, chip);
}

/// Seconds in which memory is busy. Those of a combine are counted with it.
static double computeMemorySeconds(const Problem &problem, const ChipInfo &chip,
                                   const Candidate &candidate,
                                   const Cost &cost) {
  double seconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  if (!keepsLoadsEarly(chip))
    return seconds;
  seconds -= problem.intermediateBytes / (chip.memoryGBs * 1e9);
  return std::max(seconds, computeTapSeconds(problem, chip, candidate, cost));
}

/// Whether a step lasts until its loads have arrived.
static bool waitsForLoads(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate, const Cost &cost) {
  int64_t resident = cost.residentWorkgroups;
  if (keepsLoadsEarly(chip))
    return waitsForLoads(chip, getUnitWork(problem, chip, candidate, cost),
                         resident);
  return computeTileLatency(chip, candidate) >
         double(resident) * cost.stepCycles;
}

static Limit computeLimit(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate, const Cost &cost) {
  if (cost.memorySeconds > cost.computeSeconds)
    return Limit::Memory;
  if (waitsForLoads(problem, chip, candidate, cost))
    return Limit::Latency;
  if (cost.matrixCycles >= std::max(cost.sharedCycles, cost.loadCycles))
    return Limit::MatrixUnits;
  return cost.sharedCycles >= cost.loadCycles ? Limit::SharedMemory
                                              : Limit::Loads;
}

/// What a staged kernel takes, as a multiple of what is computed here.
static double getStagedSlowdown(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  bool isAsync = candidate.loop == MainLoop::AsyncStaged;
  bool areTransposed =
      isTransposed(problem.lhsRun) && isTransposed(problem.rhsRun);
  double slowdown = isAsync         ? fit(chip).asyncStagedSlowdown
                    : areTransposed ? fit(chip).transposedStagedSlowdown
                                    : fit(chip).registerStagedSlowdown;
  for (const Run *run : {&problem.lhsRun, &problem.rhsRun}) {
    int64_t bytes = run->elements * byteSize(candidate.atom->operand);
    bool isAlone = isTransposed(*run) && !areTransposed;
    if (isAlone || bytes % kPieceBytes != 0)
      slowdown *= fit(chip).transposingSlowdown;
  }
  return slowdown;
}

Cost conv::computeStagedCost(const Problem &problem, const ChipInfo &chip,
                             const Candidate &candidate) {
  Cost cost;
  int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
  int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
  if (!isHost(chip))
    cost.registers = computeRegisters(problem, chip, candidate);
  cost.sharedBytes = computeSharedBytes(candidate);
  cost.workItems = candidate.subgroups() * chip.subgroupSize;
  cost.workgroups = problem.products * problem.batch * rowTiles * columnTiles;
  cost.steps = ceilDiv(problem.reduction, candidate.gemmK);
  double computed = double(cost.workgroups) * double(cost.steps) *
                    double(candidate.workgroup[0]) *
                    double(candidate.workgroup[1]) * double(candidate.gemmK);
  cost.tileEfficiency = problem.usefulFlops / 2 / computed;

  computeOccupancy(chip, candidate, cost);
  countStep(problem, chip, candidate, cost);
  cost.stepCycles = computeStepCycles(problem, chip, candidate, cost);
  int64_t perUnit = ceilDiv(cost.workgroups, countUnits(chip));
  cost.waveEfficiency =
      double(cost.workgroups) / (double(perUnit) * double(countUnits(chip)));
  double cycles = computeCycles(problem, chip, candidate, cost, perUnit);

  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.computeSeconds = cycles / (chip.clockGHz * 1e9);
  cost.memorySeconds = computeMemorySeconds(problem, chip, candidate, cost);
  cost.seconds =
      getStagedSlowdown(problem, chip, candidate) *
          std::max(cost.computeSeconds, cost.memorySeconds) +
      (keepsLoadsEarly(chip) ? computeCombineSeconds(problem, chip) : 0) +
      double(perUnit) *
          computeScatterCycles(problem, chip, candidate.workgroup[0],
                               candidate.workgroup[1]) /
          (chip.clockGHz * 1e9) +
      double(problem.launches - 1) * chip.calibration->launch.launchSeconds +
      (isHost(chip) ? 0 : chip.calibration->launch.startSeconds);
  cost.limit = computeLimit(problem, chip, candidate, cost);
  return cost;
}

std::vector<std::pair<std::string, double>>
conv::describeUnit(const Problem &problem, const ChipInfo &chip,
                   const Candidate &candidate, const Cost &cost) {
  UnitWork work = getUnitWork(problem, chip, candidate, cost);
  double longest = std::max(cost.computeSeconds, cost.memorySeconds);
  constexpr double kMicro = 1e6;
  return {{"waves", double(work.waves)},
          {"stages", double(work.stages)},
          {"steps", work.steps},
          {"matrix", work.matrixCycles},
          {"vector", work.vectorCycles},
          {"shared", work.sharedCycles},
          {"shared_writes", work.sharedWriteCycles},
          {"loads", work.loadCycles},
          {"stored_bytes", work.storedBytes},
          {"pieces", double(work.pieces)},
          {"joins_loads", double(work.joinsLoads)},
          {"lane_copies", double(work.copiesInLaneOrder)},
          {"atom_cycles", work.atomCycles},
          {"overlaps", double(work.overlapsSteps)},
          {"resident", double(cost.residentWorkgroups)},
          {"workgroups", double(ceilDiv(cost.workgroups, countUnits(chip)))},
          {"simds", double(countSimds(chip))},
          {"ghz", chip.clockGHz},
          {"memory_us", cost.memorySeconds * kMicro},
          {"other_us", (cost.seconds - longest) * kMicro}};
}
