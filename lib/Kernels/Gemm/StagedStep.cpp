//===- StagedStep.cpp - costs of a step of staged tiles -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedStep.h"

#include "StagedTile.h"
#include "UnitModel.h"

#include "conv/Kernels/Gemm/TapFacts.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace conv;

static const StagedCalibration &fit(const ChipInfo &chip) {
  return chip.calibration->staged;
}

static const UnitCalibration &unit(const ChipInfo &chip) {
  return chip.calibration->unit;
}

double conv::computeLineShare(const ChipInfo &chip, NumericType operand,
                              const Run &run, int64_t most) {
  if (chip.cacheLineBytes == 0)
    return 1;
  int64_t size = byteSize(operand),
          bytes = std::min(run.getJoined(), most) * size;
  int64_t lines = roundUp(bytes, chip.cacheLineBytes);
  return double(std::max(bytes, std::min(lines, run.getPitch() * size))) /
         double(bytes);
}

/// Bytes of the cache lines that `elements` of a longer run touch in the mean,
/// as a multiple of their bytes: rows may start amid a line.
static double countCrossedLines(const ChipInfo &chip, NumericType operand,
                                const Run &run, int64_t elements) {
  int64_t line = chip.cacheLineBytes, size = byteSize(operand);
  if (line == 0)
    return 1;
  int64_t bytes = elements * size, pitch = run.getPitch() * size;
  // Lines are powers of two.
  int64_t alignment = (pitch | bytes | line) & -(pitch | bytes | line);
  int64_t touched = bytes + line - alignment;
  return double(std::max(bytes, std::min(touched, pitch))) / double(bytes);
}

/// Bytes of the cache lines that the runs of a tile touch, as a multiple of the
/// bytes that the tile needs. Other tiles find a share of the lines around
/// short runs in the cache of the unit.
static double countLineWaste(const ChipInfo &chip, const Candidate &candidate,
                             int64_t rows, const Run &run) {
  int64_t along = run.isAlongReduction ? candidate.gemmK : rows;
  NumericType operand = candidate.atom->operand;
  if (run.getJoined() >= along)
    return countCrossedLines(chip, operand, run, along);
  double lines = computeLineShare(chip, operand, run, along);
  return 1 + unit(chip).shortRunLines * (lines - 1);
}

namespace {
enum class Operand { Left, Right };
} // namespace

/// Whether lanes load single elements of an image whose positions are reduced,
/// and are next to each other in memory: gradients of filters with channels
/// first, whose windows start anywhere in a row.
static bool loadsPositions(const Problem &problem, const Run &run,
                           int64_t width) {
  return problem.facts.get<PositionFacts>() && !run.isApart &&
         !isTransposed(run) && width == 1;
}

/// Lines of the cache for each lane that loads single positions. Lanes of a row
/// have vectors that follow each other, so each load brings one element of all
/// of them, with the lines around the row, which starts anywhere in a line.
/// Rows of taps have lines in common if they are neighbours in a wave; about
/// half of them are, since tiles have rows in another order (`MatrixUnit`).
static double countPositionLines(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate, Operand side) {
  const auto *facts = problem.facts.get<PositionFacts>();
  const PositionFacts::Operand &operand =
      side == Operand::Left ? facts->lhs : facts->rhs;
  int64_t size = byteSize(problem.operand);
  int64_t lanesOfRow = std::min<int64_t>(candidate.gemmK * size / kVectorBytes,
                                         chip.subgroupSize);
  double lines = 1 + double(candidate.gemmK * operand.distance * size) /
                         double(chip.cacheLineBytes);
  int64_t alike = std::min(operand.alikeRows, chip.subgroupSize / lanesOfRow);
  return std::min(1.0, lines / double(lanesOfRow)) * 2 / double(1 + alike);
}

/// Cycles of the load path for each load of a lane, if neighbours in memory are
/// apart in the tile: a line of the cache for each, unless lanes take rows that
/// are near (`areRowsNearer` in Gemm/CopyShape.h). Other taps find such lines
/// in the cache of the unit if those of all channels between two taps fit.
static double computeApartCycles(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate, Operand side,
                                 int64_t width) {
  if (!chip.isClocked())
    return 0;
  const auto *facts = problem.facts.get<TapFacts>();
  // Lanes have neighbouring windows, which start anywhere in a line.
  if (side == Operand::Left && sharesElements(problem, chip, candidate)) {
    auto between = double((chip.subgroupSize - 1) * facts->windowDistance *
                          byteSize(problem.operand));
    return (1 + between / chip.cacheLineBytes) / double(chip.subgroupSize);
  }
  // Taps are innermost: each vector of the reduction has elements of several
  // channels, and lanes of a row have a line for each vector.
  if (facts && facts->tapRun == 1 && side == Operand::Left && width == 1) {
    int64_t longest = kVectorBytes / byteSize(problem.operand);
    return std::min(1.0, double(candidate.gemmK / longest) /
                             double(chip.subgroupSize));
  }
  const Run &run = side == Operand::Left ? problem.lhsRun : problem.rhsRun;
  if (loadsPositions(problem, run, width))
    return countPositionLines(problem, chip, candidate, side);
  bool isScattered = facts && facts->scattersFilter && side == Operand::Right;
  if (!run.isApart && !isScattered)
    return 0;
  if (!isScattered || facts->nearRows == 0)
    return 1;
  auto line = double(chip.cacheLineBytes);
  auto ofRow = double(facts->nearRows * byteSize(problem.operand));
  bool isCached = double(candidate.workgroup[1] * facts->tapRun) * ofRow <=
                  unit(chip).nearTapBytes;
  double misses = isCached ? 1.0 / double(facts->guardedTaps) : 1;
  return std::min(1.0, ofRow / line) *
         std::max(1.0, misses * line / chip.sharedCacheBytesPerClock);
}

/// Cycles in which the load path loads the tile of one operand.
static double computeLoadCycles(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate, Operand side) {
  bool isLeft = side == Operand::Left;
  int64_t rows = candidate.workgroup[isLeft ? 0 : 1];
  const Run &run = isLeft ? problem.lhsRun : problem.rhsRun;
  int64_t width = countLoadElements(chip, candidate, rows, run);
  int64_t loads = rows * candidate.gemmK / width;
  int64_t bytes = std::max(width * byteSize(candidate.atom->operand),
                           fit(chip).leastLoadBytes);
  double divisions = run.takesDivisions ? double(loads) : 0;
  double apart =
      double(loads) * computeApartCycles(problem, chip, candidate, side, width);
  double waste = isLeft && sharesElements(problem, chip, candidate)
                     ? 1
                     : countLineWaste(chip, candidate, rows, run);
  return std::max(
      {apart, double(loads * bytes) * waste / chip.sharedCacheBytesPerClock,
       double(loads) / chip.calibration->access.loadLanesPerClock,
       divisions * fit(chip).divisionCycles});
}

/// Whether the offsets of loads stay the same from step to step, so that no
/// vector instruction updates them (`conv.placed_load`). MFMA loops do that
/// only if the offsets never change.
static bool keepsPlaces(const Problem &problem, const Candidate &candidate,
                        const Run &run) {
  bool stays = candidate.atom->kind == AtomKind::MFMA
                   ? run.elements == problem.reduction
                   : run.elements % candidate.gemmK == 0;
  return candidate.loop != StagedLoop::Async && run.isAlongReduction && stays;
}

/// Vector instructions of a wave that find the elements of one operand, if
/// neighbours in memory are neither along the reduction nor loaded in blocks of
/// the reduction's order: images with positions innermost, and the filters of
/// their windows. None if that is not so.
static std::optional<double> countTapInstructions(const Problem &problem,
                                                  const ChipInfo &chip,
                                                  const Candidate &candidate,
                                                  Operand side) {
  const auto *facts = problem.facts.get<TapFacts>();
  if (!facts || facts->tapRun == 0 || copiesInLaneOrder(chip, candidate) ||
      problem.lhsRun.isAlongReduction)
    return std::nullopt;
  bool isLeft = side == Operand::Left;
  if (!isLeft && !facts->scattersFilter)
    return std::nullopt;
  int64_t rows = candidate.workgroup[isLeft ? 0 : 1];
  int64_t longest = kVectorBytes / byteSize(candidate.atom->operand);
  auto blocks = double(vectorsPerWorkItem(chip, candidate, rows));
  int64_t width = countLoadElements(chip, candidate, rows,
                                    isLeft ? problem.lhsRun : problem.rhsRun);
  blocks /= double(width);
  constexpr int64_t kMostTaps = 32; // A mask of a register.
  if (facts->tapRun % candidate.gemmK == 0 && facts->guardedTaps <= kMostTaps)
    return isLeft ? unit(chip).loadInstructions * blocks : 0;
  double ofPlace = unit(chip).elementInstructions *
                   double(1 + (isLeft ? facts->guardedCoordinates : 0));
  if (facts->tapRun % longest == 0)
    return ofPlace * blocks;
  if (!isLeft || width == 1)
    return std::nullopt;
  return double(longest) * blocks * ofPlace;
}

/// Vector instructions of a wave that find the elements of windows, which its
/// lanes share: rows of the tile have a mask and a place for each tap, and the
/// elements of the last step have conditions if it is not a whole one.
static double countSharedInstructions(const Problem &problem,
                                      const ChipInfo &chip,
                                      const Candidate &candidate) {
  constexpr double kOfMask = 2, kOfPlace = 2;
  SharedElements elements = countSharedElements(problem, chip, candidate);
  double ofPlaces = elements.places > 0 ? double(elements.rows) * kOfMask +
                                              double(elements.places) * kOfPlace
                                        : 0;
  bool isWhole = problem.reduction % candidate.gemmK == 0;
  return ofPlaces + (isWhole ? 0 : double(elements.loads));
}

/// Vector instructions of a wave that bring one operand's tile.
static double countCopyInstructions(const Problem &problem,
                                    const ChipInfo &chip,
                                    const Candidate &candidate, Operand side) {
  bool isLeft = side == Operand::Left;
  int64_t rows = candidate.workgroup[isLeft ? 0 : 1];
  const Run &run = isLeft ? problem.lhsRun : problem.rhsRun;
  auto vectors = double(vectorsPerWorkItem(chip, candidate, rows));
  int64_t longest = kVectorBytes / byteSize(candidate.atom->operand);
  int64_t width = countLoadElements(chip, candidate, rows, run);
  double ofLoad = unit(chip).loadInstructions +
                  (run.takesDivisions ? unit(chip).positionInstructions : 0);
  double ofTaps = 0;
  if (width == 1 && !run.takesDivisions) {
    ofLoad = unit(chip).elementInstructions;
    // Windows are in the left operand.
    if (isLeft)
      ofTaps = double(longest) * unit(chip).elementPlaceInstructions;
  }
  // All rows of a lane have the positions of one vector.
  if (loadsPositions(problem, run, width)) {
    ofLoad = unit(chip).loadInstructions + 1;
    ofTaps = run.takesDivisions
                 ? double(longest) * unit(chip).positionInstructions
                 : 0;
  }
  if (keepsPlaces(problem, candidate, run))
    ofLoad = ofTaps = 0;
  bool isTurned = candidate.atom->kind == AtomKind::WMMA && isTransposed(run);
  if (isTurned && width > 1)
    ofLoad = unit(chip).sharedPlaceInstructions;
  // A filter that is transposed, as for gradients of inputs, has no borders:
  // places of its loads never change.
  bool isFilter = !isLeft && problem.lhsRun.isAlongReduction;
  if (candidate.atom->kind == AtomKind::MFMA &&
      candidate.loop != StagedLoop::Async && isFilter && isTransposed(run) &&
      width > 1)
    ofLoad = 0;
  if (auto ofAll = countTapInstructions(problem, chip, candidate, side)) {
    ofLoad = 0;
    ofTaps = *ofAll;
  }
  if (isLeft && sharesElements(problem, chip, candidate)) {
    ofLoad = 0;
    ofTaps = countSharedInstructions(problem, chip, candidate);
  }
  // Blocks of whole vectors are transposed, too; that was fitted to loops whose
  // phases are apart.
  bool isJoined = width < longest || isTurned;
  // A register of 8-bit elements is joined in two steps.
  double steps = byteSize(candidate.atom->operand) == 1 ? 2 : 1;
  return ofTaps +
         vectors * (double(longest) / double(width) * ofLoad +
                    (isJoined ? steps * unit(chip).joinInstructions : 0));
}

double conv::computeVectorCycles(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate) {
  // If two tiles are in flight, an iteration has a step for each stage, whose
  // numbers are constants then.
  bool hasConstantStages =
      candidate.atom->kind == AtomKind::MFMA &&
      getPrefetchDistance(problem, chip, candidate) == candidate.stages;
  double instructions =
      double(hasConstantStages ? 1 : candidate.stages) *
          unit(chip).stepInstructions +
      countCopyInstructions(problem, chip, candidate, Operand::Left) +
      countCopyInstructions(problem, chip, candidate, Operand::Right);
  // The table counts packed multiply-adds, two for each lane.
  double lanesPerClock = chip.fmaPerClock / 2.0 / chip.simdsPerComputeUnit;
  return instructions * chip.subgroupSize / lanesPerClock;
}

/// Bytes of a tile written to shared memory, scaled for bank conflicts and for
/// writes that are slower than reads.
static double countWrittenBytes(const ChipInfo &chip,
                                const Candidate &candidate, int64_t rows,
                                const Run &run) {
  int64_t rowBytes = candidate.gemmK * byteSize(candidate.atom->operand);
  int64_t bankBytes = 4;
  // Only of multiply-adds of lanes (`SharedTile`). Loops with matrix
  // instructions still take longer than counted with such rows, since what
  // finds places there is counted too low: without this factor, choices are
  // worse on gfx942.
  bool hasConflicts = chip.isClocked() && isTransposed(run) &&
                      !copiesInLaneOrder(chip, candidate) &&
                      rowBytes < bankBytes * chip.sharedMemoryBanks;
  return double(rows * rowBytes) *
         (hasConflicts ? 1 + unit(chip).transposedConflicts : 1) *
         chip.sharedWritePasses;
}

double conv::computeWriteCycles(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  return (countWrittenBytes(chip, candidate, candidate.workgroup[0],
                            problem.lhsRun) +
          countWrittenBytes(chip, candidate, candidate.workgroup[1],
                            problem.rhsRun)) /
         (chip.sharedMemoryBytesPerClock * chip.computeUnitsOfProcessor);
}

double conv::countStoredBytes(const Problem &problem,
                              const Candidate &candidate) {
  return double(candidate.workgroup[0] * candidate.workgroup[1]) *
         (double(byteSize(problem.result)) +
          problem.epilogueBytes / double(problem.products) /
              double(problem.batch) / double(problem.rows) /
              double(problem.columns));
}

double conv::computeMatrixCycles(const ChipInfo &chip,
                                 const Candidate &candidate) {
  const MatrixAtom &atom = *candidate.atom;
  double atomsK = double(candidate.gemmK) / atom.k;
  double atomsM = double(candidate.subgroup[1]) / atom.m;
  double atomsN = double(candidate.subgroup[0]) / atom.n;
  return atomsM * atomsN * atomsK * atom.cycles *
         std::ceil(double(candidate.subgroups()) / double(countSimds(chip)));
}

void conv::countStep(const Problem &problem, const ChipInfo &chip,
                     const Candidate &candidate, Cost &cost) {
  const MatrixAtom &atom = *candidate.atom;
  double waves = double(candidate.subgroups());
  double atomsM = double(candidate.subgroup[1]) / atom.m;
  double atomsN = double(candidate.subgroup[0]) / atom.n;
  cost.matrixCycles = computeMatrixCycles(chip, candidate);
  double rounds = double(candidate.gemmK) / double(reductionOfRound(atom));
  // Transposing reads of columns take two passes if an atom has 16 rows.
  bool hasConflicts = copiesInLaneOrder(chip, candidate) &&
                      !problem.rhsRun.isAlongReduction && atom.m <= 16;
  double readBytes =
      waves * chip.subgroupSize * rounds *
      ((hasConflicts ? 2 : 1) * atomsM * double(fragmentBytesA(atom)) +
       atomsN * double(fragmentBytesB(atom)));
  cost.sharedCycles = readBytes / (chip.sharedMemoryBytesPerClock *
                                   chip.computeUnitsOfProcessor) +
                      computeWriteCycles(problem, chip, candidate);

  cost.loadCycles =
      (computeLoadCycles(problem, chip, candidate, Operand::Left) +
       computeLoadCycles(problem, chip, candidate, Operand::Right)) /
      chip.computeUnitsOfProcessor;
}
