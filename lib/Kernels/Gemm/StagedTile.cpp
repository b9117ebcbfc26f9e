//===- StagedTile.cpp - facts about staged tiles --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedTile.h"

#include "conv/Kernels/Gemm/TapFacts.h"
#include "conv/Support/IntegerMath.h"

#include <numeric>

using namespace conv;

int64_t conv::reductionOfRound(const MatrixAtom &atom) {
  int64_t perVector = kVectorBytes / byteSize(atom.operand);
  return std::lcm<int64_t>(atom.k, atom.groupsOfK() * perVector);
}

int64_t conv::vectorsPerWorkItem(const ChipInfo &chip,
                                 const Candidate &candidate, int64_t rows) {
  int64_t bytes = rows * candidate.gemmK * byteSize(candidate.atom->operand);
  return ceilDiv(bytes,
                 kVectorBytes * candidate.subgroups() * chip.subgroupSize);
}

int64_t conv::fragmentBytesA(const MatrixAtom &atom) {
  return atom.rowsOfA() *
         std::max(kVectorBytes, atom.kPerLane * byteSize(atom.operand));
}
int64_t conv::fragmentBytesB(const MatrixAtom &atom) {
  return std::max(kVectorBytes, atom.kPerLane * byteSize(atom.operand));
}

bool conv::copiesAsync(const ChipInfo &chip, const Run &run,
                       int64_t elementBytes) {
  if (const LaneCopies *copies = chip.getLaneCopies()) {
    // Transposing reads gather the reduction for 16-bit elements.
    bool isReadable = run.isAlongReduction ||
                      (copies->hasTransposingReads && elementBytes == 2);
    return isReadable && run.elements * elementBytes % copies->bytes == 0;
  }
  return chip.asyncCopyBytes > 0 && run.isAlongReduction &&
         run.elements * elementBytes % chip.asyncCopyBytes == 0;
}

bool conv::copiesInLaneOrder(const ChipInfo &chip, const Candidate &candidate) {
  return candidate.loop == StagedLoop::Async && chip.getLaneCopies();
}

int64_t conv::countLoadElements(const ChipInfo &chip,
                                const Candidate &candidate, int64_t rows,
                                const Run &run) {
  int64_t longest = kVectorBytes / byteSize(candidate.atom->operand);
  if (copiesInLaneOrder(chip, candidate))
    return longest;
  if (chip.hasBufferInstructions() && run.isApart)
    return 1;
  if (chip.hasBufferInstructions() && !run.isAlongReduction)
    longest = std::gcd(longest, vectorsPerWorkItem(chip, candidate, rows));
  return std::gcd(longest, chip.hasBufferInstructions() ? run.getJoined()
                                                        : run.elements);
}

bool conv::sharesElements(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) {
  const auto *facts = problem.facts.get<TapFacts>();
  int64_t rows = candidate.workgroup[0];
  int64_t workItems = candidate.subgroups() * chip.subgroupSize;
  return facts && facts->elementPeriod > 0 && chip.hasBufferInstructions() &&
         candidate.loop == StagedLoop::Registers &&
         facts->tapRun % candidate.gemmK != 0 &&
         countLoadElements(chip, candidate, rows, problem.lhsRun) == 1 &&
         rows % chip.subgroupSize == 0 &&
         (rows % workItems == 0 || workItems % rows == 0) &&
         facts->windowDistance * byteSize(candidate.atom->operand) <
             int64_t(chip.cacheLineBytes);
}

SharedElements conv::countSharedElements(const Problem &problem,
                                         const ChipInfo &chip,
                                         const Candidate &candidate) {
  const auto *facts = problem.facts.get<TapFacts>();
  int64_t tileRows = candidate.workgroup[0];
  int64_t workItems = candidate.subgroups() * chip.subgroupSize;
  SharedElements elements;
  elements.rows = std::max<int64_t>(1, tileRows / workItems);
  elements.loads = tileRows * candidate.gemmK / workItems;
  if (facts->guardedCoordinates > 0)
    elements.places = elements.rows * std::min(facts->elementPeriod,
                                               elements.loads / elements.rows);
  return elements;
}

int64_t conv::computeSharedBytes(const Candidate &candidate) {
  return candidate.stages * (candidate.workgroup[0] + candidate.workgroup[1]) *
         candidate.gemmK * byteSize(candidate.atom->operand);
}
