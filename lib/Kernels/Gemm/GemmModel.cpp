//===- GemmModel.cpp - candidates that stage tiles ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule space is small and generated: subgroup tiles of a power of two
// of atoms (on clocked chips also of three or five), up to eight subgroups, and
// up to 256 bytes of the reduction per step. The smallest candidate of each
// atom fits every chip; the largest has the fewest workgroups.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "StagedTile.h"
#include "UnitModel.h"
#include "conv/Kernels/Gemm/GemmFacts.h"
#include "conv/Kernels/Gemm/StagedModel.h"
#include "conv/Kernels/KernelModel.h"
#include "conv/Support/IntegerMath.h"

using namespace conv;

/// Most subgroups of a GPU workgroup: two waves on each of four SIMD units.
static constexpr int64_t kMaxSubgroups = 8;
/// The longest row of a tile in shared memory.
static constexpr int64_t kMaxRowBytes = 256;
/// The longest row of a tile of subgroups of five atoms. With twice as long
/// rows, they take more than 256 registers, and LLVM loses the order of loads
/// and products: matrix units are busy for 0.55 of a loop in conv-clock, and
/// for 0.84 with four atoms.
static constexpr int64_t kMaxRowBytesOfFive = 128;

/// A main loop with its number of stages: one tile is multiplied while the
/// others arrive.
struct Staging {
  StagedLoop loop;
  int64_t stages;
};

/// The ways to stage tiles of a problem's operands in shared memory.
static std::vector<Staging> listStagings(const Problem &problem,
                                         const ChipInfo &chip) {
  std::vector<Staging> stagings = {{StagedLoop::Registers, 2}};
  // Half the shared memory allows more workgroups; not measured elsewhere.
  if (chip.isClocked())
    stagings.push_back({StagedLoop::Registers, 1});
  int64_t bytes = byteSize(problem.operand);
  // With an operand through registers, async loops are no faster.
  if (!copiesAsync(chip, problem.lhsRun, bytes) ||
      !copiesAsync(chip, problem.rhsRun, bytes))
    return stagings;
  std::vector<int64_t> all = {3, 4};
  if (chip.getLaneCopies()) {
    const auto *facts = problem.facts.get<GemmFacts>();
    if (facts && !facts->hasLaneOrder)
      return stagings;
    all = {2, 3, 4};
  }
  for (int64_t stages : all)
    stagings.push_back({StagedLoop::Async, stages});
  return stagings;
}

/// Whether subgroup tiles may have five atoms along a side. In conv-clock, they
/// are slower if WMMA loops transpose an operand: they load it in short
/// vectors. Phases of strided gradients have a loop each, whose code would be
/// too long.
static bool allowsFiveAtoms(const Problem &problem, const MatrixAtom &atom,
                            int64_t rowBytes) {
  bool isTransposed =
      !problem.lhsRun.isAlongReduction || !problem.rhsRun.isAlongReduction;
  return rowBytes <= kMaxRowBytesOfFive && problem.products == 1 &&
         !(atom.kind == AtomKind::WMMA && isTransposed);
}

/// Atoms along one side of a subgroup tile, for steps of `rowBytes` of the
/// reduction. Three and five atoms were not measured on other chips. In
/// conv-clock they are slower in two cases: if both operands are transposed on
/// their way, blocks of such tiles are loaded in shorter vectors; and rows
/// shorter than cache lines load each line twice.
static std::vector<int64_t> listAtomCounts(const Problem &problem,
                                           const ChipInfo &chip,
                                           const MatrixAtom &atom,
                                           int64_t rowBytes) {
  bool areTransposed =
      !problem.lhsRun.isAlongReduction && !problem.rhsRun.isAlongReduction;
  if (!chip.isClocked() || areTransposed || rowBytes < chip.cacheLineBytes)
    return {1, 2, 4, 8};
  if (!allowsFiveAtoms(problem, atom, rowBytes))
    return {1, 2, 3, 4, 8};
  return {1, 2, 3, 4, 5, 8};
}

/// Adds all candidates with this atom.
static void addCandidates(const Problem &problem, const ChipInfo &chip,
                          const MatrixAtom &atom, const Staging &staging,
                          std::vector<Candidate> &candidates) {
  constexpr std::array<int64_t, 4> multiples = {1, 2, 4, 8};
  int64_t round = reductionOfRound(atom);
  for (int64_t gemmK = round;
       gemmK <= 8 * round && gemmK * byteSize(atom.operand) <= kMaxRowBytes;
       gemmK *= 2) {
    const std::vector<int64_t> atoms =
        listAtomCounts(problem, chip, atom, gemmK * byteSize(atom.operand));
    for (int64_t atomsN : atoms)
      for (int64_t atomsM : atoms)
        for (int64_t alongRows : multiples)
          for (int64_t alongColumns : multiples) {
            if (alongRows * alongColumns > kMaxSubgroups)
              continue;
            std::array<int64_t, 2> subgroup = {atomsN * atom.n,
                                               atomsM * atom.m};
            candidates.push_back(Candidate{
                .atom = &atom,
                .workgroup = {subgroup[0] * alongRows,
                              subgroup[1] * alongColumns},
                .subgroup = subgroup,
                .gemmK = gemmK,
                .stages = staging.stages,
                .loop = staging.loop,
            });
          }
  }
}

/// Whether a workgroup that is alone on its unit waits for its own accesses. A
/// second stage hides most of that where steps overlap.
static bool waitsAlone(const Candidate &candidate) {
  return candidate.atom->kind != AtomKind::MFMA || candidate.stages == 1 ||
         candidate.loop == StagedLoop::Async;
}

/// Workgroups of the launch's last round, at most all of them, if a unit has
/// several and the last one of a launch would be alone for long.
static int64_t countLastRound(const Problem &problem, const ChipInfo &chip,
                              const Candidate &candidate) {
  if (!chip.hasSubgroupPriorities() || !problem.launchesOneProduct() ||
      !waitsAlone(candidate))
    return 0;
  int64_t launched = problem.batch *
                     ceilDiv(problem.rows, candidate.workgroup[0]) *
                     ceilDiv(problem.columns, candidate.workgroup[1]);
  int64_t units = countUnits(chip);
  if (launched <= units)
    return 0;
  int64_t distance = copiesInLaneOrder(chip, candidate)
                         ? 0
                         : getPrefetchDistance(problem, chip, candidate);
  int64_t resident = computeExpectedResident(
      chip, candidate, distance, !loadsVectors(problem, chip, candidate));
  return resident > 1 ? std::min(launched, resident * units) : 0;
}

/// "A of B".
static std::string formatShare(int64_t taken, std::string_view unit,
                               int64_t available) {
  return std::to_string(taken) + " " + std::string(unit) + " of " +
         std::to_string(available);
}

namespace {
class GemmModel final : public KernelModel {
public:
  int64_t countWorkItems(const ChipInfo &chip,
                         const Candidate &candidate) const override {
    return candidate.subgroups() * chip.subgroupSize;
  }

  Rejection check(const Problem &problem, const ChipInfo &chip,
                  const Candidate &candidate) const override {
    return checkStaged(problem, chip, candidate);
  }

  std::string explainRejection(const Problem &problem, const ChipInfo &chip,
                               const Candidate &candidate,
                               Rejection reason) const override {
    int64_t workItems = countWorkItems(chip, candidate);
    switch (reason) {
    case Rejection::SharedMemory:
      return formatShare(computeSharedBytes(candidate), "bytes",
                         chip.sharedMemoryBytes);
    case Rejection::WorkgroupSize:
      return formatShare(workItems, "work-items", chip.maxWorkgroupSize);
    case Rejection::UnevenCopy:
      return std::to_string(workItems) + " work-items";
    case Rejection::Registers:
      return "up to " +
             formatShare(
                 computeNeededRegisters(
                     chip, computeRegisters(problem, chip, candidate)),
                 "registers",
                 computeAvailableRegisters(chip, candidate.subgroups()));
    case Rejection::LaunchSize:
    case Rejection::None:
      break;
    }
    return "";
  }

  Cost predict(const Problem &problem, const ChipInfo &chip,
               const Candidate &candidate) const override {
    return computeStagedCost(problem, chip, candidate);
  }

  std::vector<std::pair<std::string, double>>
  listTerms(const Problem &problem, const ChipInfo &chip,
            const Candidate &candidate, const Cost &cost) const override {
    return describeUnit(problem, chip, candidate, cost);
  }

  bool isSlower(const Problem &problem, const ChipInfo &chip,
                const Candidate &candidate, double seconds) const override {
    return isStagedSlower(problem, chip, candidate, seconds);
  }

  void complete(const Problem &problem, const ChipInfo &chip,
                Candidate &candidate) const override {
    candidate.lastRound = countLastRound(problem, chip, candidate);
  }

  std::vector<Candidate> listCandidates(const Problem &problem,
                                        const ChipInfo &chip,
                                        const MatrixAtom &atom) const override {
    std::vector<Candidate> candidates;
    if (chip.isProcessor() || isWarpgroupAtom(atom.kind) ||
        problem.hasHaloTiles || problem.hasChannelRows)
      return candidates;
    for (const Staging &staging : listStagings(problem, chip))
      addCandidates(problem, chip, atom, staging, candidates);
    return candidates;
  }
};
} // namespace

const KernelModel &conv::getGemmModel() {
  static const GemmModel model;
  return model;
}
