//===- StagedMemory.cpp - how long staged tiles keep memory busy *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where caches do not keep what several taps or groups read, memory delivers it
// again. On other chips, and for operands that fit the caches, the bytes of a
// kernel pass once.
//
//===----------------------------------------------------------------------===//

#include "StagedMemory.h"

#include "StagedStep.h"
#include "StagedTile.h"
#include "UnitModel.h"

#include "conv/Kernels/Gemm/StagedModel.h"

#include <algorithm>
#include <utility>

using namespace conv;

/// Seconds in which taps read the left operand again from below the dies'
/// caches: of everything that all taps of the concurrent tiles read, they read
/// again the part that does not fit into these caches.
static double computeTapSeconds(const Problem &problem, const ChipInfo &chip,
                                const Candidate &candidate, const Cost &cost) {
  const Run &run = problem.lhsRun;
  if (!run.isAlongReduction || run.elements >= problem.reduction ||
      chip.dieCacheBytes == 0)
    return 0;
  int64_t elementBytes = byteSize(candidate.atom->operand);
  // With strides, a window moves by more than the run of one tap.
  double ofRow =
      std::max(double(run.elements * elementBytes),
               problem.lhsBytes / double(problem.batch * problem.rows));
  double ofTiles = double(cost.residentWorkgroups * countUnits(chip) /
                          chip.dies * candidate.workgroup[0]) *
                   ofRow;
  // Around short runs, lines that the next taps read have to stay, too; other
  // tiles find them now and then. Whole lines are all missed if not all fit,
  // and some before, since there are results, filters and other tiles.
  double lines =
      computeLineShare(chip, candidate.atom->operand, run, run.getJoined());
  bool isShort = lines > 1;
  double full =
      ofTiles * lines * (isShort ? 2 : 1) / double(chip.dieCacheBytes);
  double kept = isShort ? 1 : chip.calibration->unit.keptShare;
  double missed =
      std::clamp((full - kept) / (isShort ? 1 : 1 - kept), 0.0, 1.0);
  if (missed == 0)
    return 0;
  double ofAllTaps = double(problem.products * problem.batch * problem.rows) *
                     double(problem.reduction * elementBytes) * lines *
                     problem.averageShare();
  double once = problem.lhsBytes * lines;
  return (once + missed * std::max(0.0, ofAllTaps - once) +
          problem.resultBytes) /
         computeFarBandwidth(problem, chip);
}

/// Seconds in which cache lines around short runs come from below the dies'
/// caches: one group ends before the next one reads the rest of its lines.
static double computeLineSeconds(const Problem &problem, const ChipInfo &chip,
                                 const Candidate &candidate) {
  double bytes = problem.resultBytes;
  for (auto [run, own] : {std::pair(&problem.lhsRun, problem.lhsBytes),
                          std::pair(&problem.rhsRun, problem.rhsBytes)}) {
    double lines = own * computeLineShare(chip, candidate.atom->operand, *run,
                                          run->getJoined());
    bool isKept = lines / double(problem.batch) <= double(chip.dieCacheBytes);
    bytes += isKept ? own : lines;
  }
  return bytes / computeFarBandwidth(problem, chip);
}

double conv::computeStagedMemorySeconds(const Problem &problem,
                                        const ChipInfo &chip,
                                        const Candidate &candidate,
                                        const Cost &cost) {
  double seconds = cost.memoryBytes / (chip.memoryGBs * 1e9);
  if (!chip.isClocked())
    return seconds;
  seconds -= problem.intermediateBytes / (chip.memoryGBs * 1e9);
  return std::max({seconds, computeTapSeconds(problem, chip, candidate, cost),
                   computeLineSeconds(problem, chip, candidate)});
}
