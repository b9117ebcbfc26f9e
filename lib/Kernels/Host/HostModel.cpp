//===- HostModel.cpp - candidates of the host -----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup is the cache tile of one thread. Its time is that of counted
// instructions (`HostCalibration`): of the copies of both tiles, of the
// products, and of the results.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "HostFacts.h"
#include "HostTile.h"

#include "conv/Chip/HostCalibration.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Kernels/KernelModel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

using namespace conv;

static int64_t countBytes(const Candidate &candidate) {
  return countHostTileBytes(*candidate.atom, candidate.workgroup,
                            candidate.gemmK);
}

namespace {
/// The rows of an operand, and those of a tile.
struct Side {
  Side(int64_t rows, int64_t tile) : rows(rows), tile(tile) {}
  double countTiles() const { return double(ceilDiv(rows, tile)); }
  /// Rows of a tile in the average, as whole multiples: the last one has fewer.
  double average(int64_t multiple) const {
    int64_t whole = rows / tile * roundUp(std::min(rows, tile), multiple);
    return double(whole + roundUp(rows % tile, multiple)) / countTiles();
  }
  int64_t rows, tile;
};

/// How a tile reads the narrow operand.
static NarrowTile getNarrowTile(const Problem &problem, const ChipInfo &chip,
                                const MatrixAtom &atom, const Run &run,
                                const HostFacts::Rows &facts, int64_t rows,
                                int64_t tile) {
  NarrowRuns runs = {.line = facts.together};
  if (run.isAlongReduction) {
    runs.together = run.elements;
    runs.range = facts.range;
  } else if (facts.distance == 1 || facts.distance == 2) {
    runs.panel = chip.processor->vectorLanes;
  }
  return getNarrowTile(atom, problem.operand, rows, tile, runs);
}

/// A tile of average size, as wide and narrow operand.
struct Work {
  Work(const Problem &problem, const ChipInfo &chip,
       const Candidate &candidate);

  /// Instructions of an element that is copied.
  double countCopy(const Run &run, const HostFacts::Rows &rows,
                   bool isWide) const;
  double countCopies() const;
  double countPanel(double vectors) const;
  double countProducts() const;
  double countResults() const;

  const HostCalibration &fit;
  const MatrixAtom &atom;
  double lanes;
  bool hasMasks;  ///< Of loads, for elements as they are stored.
  double inPlace; ///< Elements of the narrow operand in a row; 0: it is copied.
  bool areTogether; ///< Its rows in a register tile are located as one.
  bool areResultsAcross = false;
  int64_t resultDistance = 0; ///< Of neighbours in a run of results; 0: none.
  const Run *wideRun, *narrowRun;
  HostFacts::Rows wideRows, narrowRows;
  double wide, narrow, step, reduction, blocks;
  double usedWide, usedNarrow; ///< Without what fills register tiles.
  /// Whole panels, and those of the rest, which have so many vectors.
  double panels, restPanels, rest;
};
} // namespace

Work::Work(const Problem &problem, const ChipInfo &chip,
           const Candidate &candidate)
    : fit(*chip.calibration->host), atom(*candidate.atom),
      lanes(double(chip.processor->vectorLanes)),
      hasMasks(8 * byteSize(problem.operand) >=
               chip.processor->leastMaskedBits) {
  bool isAlongRows = problem.resultRowDistance == 1;
  bool isLeftWide =
      ::isLeftWide(atom, problem.rows, problem.columns, isAlongRows);
  wideRun = isLeftWide ? &problem.lhsRun : &problem.rhsRun;
  narrowRun = isLeftWide ? &problem.rhsRun : &problem.lhsRun;
  if (const auto *facts = problem.facts.get<HostFacts>()) {
    wideRows = isLeftWide ? facts->lhs : facts->rhs;
    narrowRows = isLeftWide ? facts->rhs : facts->lhs;
    int64_t along = isLeftWide ? facts->resultRow : facts->resultColumn;
    int64_t across = isLeftWide ? facts->resultColumn : facts->resultRow;
    areResultsAcross = ::areResultsAcross(along, across);
    resultDistance = areResultsAcross ? across : along;
  }
  Side left(problem.rows, candidate.workgroup[0]);
  Side right(problem.columns, candidate.workgroup[1]);
  const Side &ofWide = isLeftWide ? left : right;
  const Side &ofNarrow = isLeftWide ? right : left;
  NarrowTile tile = getNarrowTile(problem, chip, atom, *narrowRun, narrowRows,
                                  ofNarrow.rows, ofNarrow.tile);
  inPlace = double(tile.inPlace);
  areTogether = tile.areTogether;
  usedWide = ofWide.average(1);
  usedNarrow = ofNarrow.average(1);
  wide = ofWide.average(int64_t(lanes));
  narrow = ofNarrow.average(tile.rows);
  step = double(tile.rows);
  panels = double(ofWide.rows / atom.m) / ofWide.countTiles();
  rest = double(ceilDiv(ofWide.rows % atom.m, int64_t(lanes)));
  restPanels = rest > 0 ? 1 / ofWide.countTiles() : 0;
  reduction = double(problem.reduction);
  blocks = double(ceilDiv(problem.reduction, candidate.gemmK));
}

/// Rows that one vector has (`HostPack`): no more than are evenly spaced.
static double countTogether(const HostFacts::Rows &rows, double lanes) {
  constexpr int64_t kFewest = 4;
  bool hasVectors = rows.distance == 1 || rows.distance == 2;
  return hasVectors && rows.even >= kFewest
             ? std::min(lanes, double(std::bit_floor(uint64_t(rows.even))))
             : 1;
}

double Work::countCopy(const Run &run, const HostFacts::Rows &rows,
                       bool isWide) const {
  double run1 = double(run.elements);
  if (run.isAlongReduction && run1 > 1 && isWide) {
    // Most runs of a square are inside together. What is left of them after
    // whole squares is loaded alone.
    double alone = double(run.elements % kHostLanes) / run1;
    return fit.placeInstructions / run1 +
           (1 - alone) * fit.transposedInstructions +
           alone * fit.gatheredInstructions;
  }
  if (run.isAlongReduction && run1 > 1) {
    if (hasMasks)
      run1 = std::max(run1, double(rows.range));
    return fit.copiedRunInstructions / run1 +
           fit.copiedInstructions / std::min(lanes, run1);
  }
  // Neighbours in memory need not be neighbouring rows.
  if (run1 > 1 && rows.distance == 1)
    return fit.copiedInstructions / std::min(lanes, run1);
  // Lines that are partly outside (`HostPack::isTransposedWithMasks`).
  bool hasLines = hasMasks && rows.line >= kHostLanes &&
                  rows.even < kHostLanes &&
                  (rows.lineDistance == 1 || rows.lineDistance == 2);
  if (isWide && hasLines)
    return fit.maskedLineInstructions;
  double together = countTogether(rows, lanes);
  return together > 1 ? fit.maskedInstructions / together
                      : fit.gatheredInstructions;
}

double Work::countCopies() const {
  double ofWide = wide * countCopy(*wideRun, wideRows, /*isWide=*/true);
  double ofNarrow = inPlace > 0 ? 0
                                : narrow * countCopy(*narrowRun, narrowRows,
                                                     /*isWide=*/false);
  return reduction * (ofWide + ofNarrow);
}

/// In units of issue: a step of a register tile is limited by multiply-adds,
/// by loads, or by their latency. A panel comes from the second cache once for
/// all rows of the narrow operand.
double Work::countPanel(double vectors) const {
  // Half a vector takes as long as a whole one.
  vectors = std::ceil(vectors);
  double ofStep =
      std::max({step * vectors, step + vectors, fit.latencyCycles * fit.ports});
  double ends = fit.registerTileInstructions + 2 * step * vectors;
  double steps = reduction / double(atom.k);
  double runs = inPlace > 0 ? blocks + reduction / inPlace : 0;
  double places = areTogether ? fit.placesTogether : step;
  return narrow / step *
             (steps * ofStep + blocks * ends +
              runs * places * fit.placeInstructions) +
         steps * vectors * fit.panelInstructions;
}

double Work::countProducts() const {
  double ofWhole = panels * countPanel(double(atom.m) / lanes);
  return restPanels > 0 ? ofWhole + restPanels * countPanel(rest) : ofWhole;
}

/// Results that are a few elements apart are vectors, too, but those of runs
/// across the tile are loaded one by one.
double Work::countResults() const {
  double elements = usedWide * usedNarrow;
  bool hasVectors = 0 < resultDistance && resultDistance <= kHostMostApart;
  double ofElement =
      hasVectors
          ? fit.resultInstructions * double(resultDistance) / double(kHostLanes)
          : fit.resultInstructions;
  if (areResultsAcross)
    ofElement += 1;
  return (areResultsAcross ? usedWide : usedNarrow) *
             fit.resultRunInstructions +
         elements * ofElement;
}

namespace {
class HostModel final : public KernelModel {
public:
  int64_t countWorkItems(const ChipInfo &, const Candidate &) const override {
    return 1;
  }
  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override;
  Rejection check(const Problem &, const ChipInfo &chip,
                  const Candidate &candidate) const override {
    return countBytes(candidate) <= chip.sharedMemoryBytes
               ? Rejection::None
               : Rejection::SharedMemory;
  }
  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override;
};
} // namespace

/// A block of `most` elements or a little less. Of a narrow operand that is
/// read in place, blocks have whole runs or equal parts of them, whose length
/// is known when the kernel is compiled; parts have whole lines of the wide
/// operand if that is possible.
static int64_t alignToRuns(int64_t most, int64_t run, const MatrixAtom &atom,
                           int64_t wideLine) {
  if (most >= run)
    return most / run * run;
  int64_t fewest = ceilDiv(run, most);
  for (int64_t multiple :
       {std::lcm(int64_t(atom.k), wideLine), int64_t(atom.k)})
    for (int64_t parts = fewest; parts < 2 * fewest; ++parts)
      if (run % (parts * multiple) == 0)
        return run / parts;
  return most;
}

/// Elements of the reduction in a block: equal blocks of which a panel takes no
/// more than its share of the first cache, and both operands fit the memory of
/// a tile beside the sums. They have whole lines of the wide operand, that is,
/// neighbours along the innermost digit, if these are short. 0 if no block
/// does.
static int64_t getReductionBlock(const Problem &problem, const ChipInfo &chip,
                                 const MatrixAtom &atom,
                                 std::array<int64_t, 2> tile, int64_t inPlace,
                                 int64_t wideLine) {
  constexpr int64_t kMultiple = 8;
  auto cacheBytes = double(chip.processor->firstCacheBytes);
  int64_t ofPanel = int64_t(chip.calibration->host->panelShare * cacheBytes) /
                    atom.m / byteSize(atom.operand);
  int64_t sumBytes = countHostTileBytes(atom, tile, /*gemmK=*/0);
  int64_t bytes = countHostTileBytes(atom, tile, /*gemmK=*/1) - sumBytes;
  int64_t ofTile = (chip.sharedMemoryBytes - sumBytes) / bytes;
  int64_t most = std::min(ofPanel, ofTile / kMultiple * kMultiple);
  if (most < kMultiple)
    return 0;
  int64_t lines = std::lcm(kMultiple, wideLine);
  int64_t multiple = lines <= most / 2 ? lines : kMultiple;
  if (inPlace > 0) {
    most = alignToRuns(most, inPlace, atom, wideLine);
    multiple = std::gcd(most, inPlace);
  }
  if (problem.reduction <= most)
    return roundUp(problem.reduction, kMultiple);
  most = most / multiple * multiple;
  int64_t blocks = ceilDiv(problem.reduction, most);
  return roundUp(ceilDiv(problem.reduction, blocks), multiple);
}

std::vector<Candidate> HostModel::listCandidates(const Problem &problem,
                                                 const ChipInfo &chip,
                                                 const MatrixAtom &atom) const {
  std::vector<Candidate> candidates;
  if (!chip.isProcessor())
    return candidates;
  const HostCalibration &fit = *chip.calibration->host;
  bool leftIsWide = isLeftWide(atom, problem.rows, problem.columns,
                               problem.resultRowDistance == 1);
  auto [narrowRows, wideRows] = leftIsWide
                                    ? std::pair(problem.columns, problem.rows)
                                    : std::pair(problem.rows, problem.columns);
  // Tiles have as equal numbers of rows, in whole vectors, and of panels as
  // possible.
  const Run &narrowRun = leftIsWide ? problem.rhsRun : problem.lhsRun;
  // Panels with a vector that is never used are those of another atom, and so
  // are those of less than a vector, unless rows are as few.
  bool isNarrower = atom.m < chip.processor->vectorLanes;
  if (isNarrower ? wideRows > atom.m
                 : atom.m > 2 * chip.processor->vectorLanes &&
                       roundUp(wideRows, chip.processor->vectorLanes) < atom.m)
    return candidates;
  const auto *facts = problem.facts.get<HostFacts>();
  HostFacts::Rows ofNarrow = !facts       ? HostFacts::Rows()
                             : leftIsWide ? facts->rhs
                                          : facts->lhs;
  auto read = [&](int64_t tile) {
    return getNarrowTile(problem, chip, atom, narrowRun, ofNarrow, narrowRows,
                         tile);
  };
  NarrowTile ofLine = read(narrowRows);
  int64_t wideLine = !facts       ? 1
                     : leftIsWide ? facts->lhs.line
                                  : facts->rhs.line;
  int64_t lanes = chip.processor->vectorLanes;
  // Tiles are whole vectors, or whole register tiles of a line.
  int64_t multiple = ofLine.areTogether ? ofLine.rows : lanes;
  int64_t lastNarrow = 0, allPanels = ceilDiv(wideRows, int64_t(atom.m));
  for (int64_t most : fit.narrowRows) {
    int64_t equal = ceilDiv(narrowRows, ceilDiv(narrowRows, most));
    int64_t narrow =
        std::min(roundUp(most, multiple), roundUp(equal, multiple));
    if (std::exchange(lastNarrow, narrow) == narrow)
      continue;
    int64_t lastPanels = 0;
    for (int64_t most : fit.widePanels) {
      int64_t panels = ceilDiv(allPanels, ceilDiv(allPanels, most));
      if (std::exchange(lastPanels, panels) == panels)
        continue;
      int64_t wide = panels * atom.m;
      std::array<int64_t, 2> tile =
          leftIsWide ? std::array{wide, narrow} : std::array{narrow, wide};
      int64_t block = getReductionBlock(problem, chip, atom, tile,
                                        read(narrow).inPlace, wideLine);
      if (block > 0)
        candidates.push_back(Candidate{.atom = &atom,
                                       .workgroup = tile,
                                       .subgroup = tile,
                                       .gemmK = block,
                                       .stages = 1});
    }
  }
  return candidates;
}

Cost HostModel::predict(const Problem &problem, const ChipInfo &chip,
                        const Candidate &candidate) const {
  const HostCalibration &fit = *chip.calibration->host;
  Work work(problem, chip, candidate);
  Cost cost;
  cost.workItems = 1;
  cost.residentWorkgroups = 1;
  cost.wavesPerSimd = 1;
  cost.sharedBytes = countBytes(candidate);
  cost.workgroups = problem.products * problem.batch *
                    ceilDiv(problem.rows, candidate.workgroup[0]) *
                    ceilDiv(problem.columns, candidate.workgroup[1]);
  cost.steps = ceilDiv(problem.reduction, candidate.gemmK);
  double ofStep = fit.ports * double(cost.steps);
  cost.matrixCycles = work.countProducts() / ofStep;
  cost.loadCycles = work.countCopies() / ofStep;
  cost.stepCycles = cost.matrixCycles + cost.loadCycles;
  double cycles =
      chip.calibration->launch.setupCycles +
      double(cost.steps) * cost.stepCycles * problem.averageShare() +
      work.countResults() / fit.ports;
  int64_t perUnit = ceilDiv(cost.workgroups, int64_t(chip.computeUnits));
  cost.waveEfficiency =
      double(cost.workgroups) / double(perUnit * chip.computeUnits);
  cost.tileEfficiency =
      problem.usefulFlops / 2 /
      (double(cost.workgroups) * work.wide * work.narrow * work.reduction);
  cost.memoryBytes = computeMemoryBytes(problem, chip, candidate);
  cost.memorySeconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  cost.computeSeconds = double(perUnit) * cycles / (chip.clockGHz * 1e9);
  cost.seconds =
      std::max(cost.computeSeconds, cost.memorySeconds) +
      double(problem.launches - 1) * chip.calibration->launch.launchSeconds;
  cost.limit = cost.memorySeconds > cost.computeSeconds ? Limit::Memory
               : cost.loadCycles > cost.matrixCycles    ? Limit::Loads
                                                        : Limit::MatrixUnits;
  return cost;
}

const KernelModel &conv::getHostModel() {
  static const HostModel model;
  return model;
}
