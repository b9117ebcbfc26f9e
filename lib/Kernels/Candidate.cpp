//===- Candidate.cpp - one way to run a main loop -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Candidate.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <limits>

using namespace conv;

/// Workgroups and work-items of one launch, in the integer types of drivers.
static constexpr int64_t kMaxWorkgroups = std::numeric_limits<int32_t>::max();
static constexpr int64_t kMaxWorkItems = std::numeric_limits<uint32_t>::max();

std::string_view conv::getName(Limit limit) {
  switch (limit) {
  case Limit::MatrixUnits:
    return "matrix units";
  case Limit::SharedMemory:
    return "shared memory";
  case Limit::Loads:
    return "loads";
  case Limit::Latency:
    return "load latency";
  case Limit::Memory:
    return "memory bandwidth";
  }
  return "";
}

std::string_view conv::getName(Rejection rejection) {
  switch (rejection) {
  case Rejection::None:
    return "";
  case Rejection::SharedMemory:
    return "S6 shared memory";
  case Rejection::WorkgroupSize:
    return "S7 workgroup size";
  case Rejection::UnevenCopy:
    return "S8 uneven copy";
  case Rejection::Registers:
    return "registers";
  case Rejection::LaunchSize:
    return "launch size";
  }
  return "";
}

bool conv::hasWarpgroups(const ChipInfo &chip) {
  return std::any_of(
      chip.atoms.begin(), chip.atoms.end(),
      [](const MatrixAtom &atom) { return isWarpgroupAtom(atom.kind); });
}

double conv::getWaitSeconds(const ChipInfo &chip) {
  return hasWarpgroups(chip) ? chip.calibration->transform.waitSeconds : 0;
}

int64_t conv::computeMaxWorkgroups(int64_t workItems) {
  return std::min(kMaxWorkgroups, kMaxWorkItems / workItems);
}

bool conv::fitsLaunch(std::span<const ResultShape> results,
                      const std::array<int64_t, 3> &tile, int64_t workItems) {
  double workgroups = 0;
  for (const ResultShape &shape : results)
    workgroups += double(ceilDiv(shape.batch, tile[0])) *
                  double(ceilDiv(shape.rows, tile[1])) *
                  double(ceilDiv(shape.columns, tile[2]));
  return workgroups <= double(computeMaxWorkgroups(workItems));
}

double conv::computeMemoryBytes(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate) {
  // The operand that neighbouring workgroups share is read once. The other one
  // is read once per tile of the first, unless the last-level cache keeps it.
  auto reread = [&](double bytes, int64_t times) {
    return bytes <= double(chip.cacheBytes) ? bytes : bytes * double(times);
  };
  int64_t rowTiles = ceilDiv(problem.rows, candidate.workgroup[0]);
  int64_t columnTiles = ceilDiv(problem.columns, candidate.workgroup[1]);
  double rest = problem.resultBytes + problem.epilogueBytes +
                2 * problem.intermediateBytes;
  if (candidate.columnsFastest)
    return problem.lhsBytes + reread(problem.rhsBytes, rowTiles) + rest;
  return problem.rhsBytes + reread(problem.lhsBytes, columnTiles) + rest;
}

/// Elements that are stored for each one that products compute: strides of a
/// gradient's window leave zeros between these.
static double countStoredShare(const Problem &problem) {
  double stored = problem.resultBytes / double(byteSize(problem.result));
  double computed = double(problem.products * problem.batch) /
                    double(problem.splits) * double(problem.rows) *
                    double(problem.columns);
  return std::max(1.0, stored / computed);
}

double conv::computeScatterCycles(const Problem &problem, const ChipInfo &chip,
                                  int64_t rows, int64_t columns) {
  // As many rows of fragments are stored at a time.
  constexpr int64_t kNeighbours = 8;
  const AccessCalibration &fit = chip.calibration->access;
  if (!problem.storesElements())
    return 0;
  double elements = double(rows * columns) * countStoredShare(problem);
  if (problem.resultRowDistance > 1)
    return elements * fit.sparseScatterCycles;
  // Elements of odd rows count as neighbours of elements of the next row: 1x1
  // windows in NCHW take about as long as these
  // (bench/calibration/sm_90a_h100.jsonl).
  bool isWhole = kNeighbours * byteSize(problem.result) >= chip.sectorBytes;
  return elements * (isWhole ? fit.wholeScatterCycles : fit.scatterCycles);
}

double conv::getPairCycles(const Problem &problem, const ChipInfo &chip,
                           bool areRows) {
  // A lane stores odd rows one element at a time, instead of a pair.
  bool areOdd = areRows && problem.hasOddResultRows;
  if (problem.splits > 1 || (problem.storesElements() && !areOdd))
    return 0;
  const AccessCalibration &fit = chip.calibration->access;
  return (areOdd ? 2 : 1) *
         (areRows ? fit.wholeScatterCycles : fit.scatterCycles);
}

double conv::computePairCycles(const Problem &problem, const ChipInfo &chip,
                               bool areRows) {
  return getPairCycles(problem, chip, areRows) *
         double(problem.products * problem.batch * problem.rows) *
         double(problem.columns) / double(chip.computeUnits);
}
