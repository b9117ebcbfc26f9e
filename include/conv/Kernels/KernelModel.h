//===- KernelModel.h - what a family knows of its candidates ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The part of a family that sees no IR: the candidates for a problem, whether a
// chip can run them, and their costs. All families predict in one time scale,
// so that their candidates are ranked together.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_KERNELMODEL_H
#define CONV_KERNELS_KERNELMODEL_H

#include "conv/Kernels/Candidate.h"

#include <string>
#include <utility>
#include <vector>

namespace conv {

/// The candidates and costs of one kernel family.
class KernelModel {
public:
  virtual ~KernelModel();

  /// All candidates with this atom, whose operand types match the problem; none
  /// if the family cannot compute it. The caller sets the raster order and the
  /// candidate's model.
  virtual std::vector<Candidate>
  listCandidates(const Problem &problem, const ChipInfo &chip,
                 const MatrixAtom &atom) const = 0;

  /// Work-items of a workgroup.
  virtual int64_t countWorkItems(const ChipInfo &chip,
                                 const Candidate &candidate) const = 0;

  /// Whether the chip can run a candidate, and if not, why, except for the
  /// launch size. The default suits families that list only what fits.
  virtual Rejection check(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) const {
    return Rejection::None;
  }

  /// How much a candidate takes of what it is rejected for, and what the chip
  /// has: "81920 bytes of 65536".
  virtual std::string explainRejection(const Problem &problem,
                                       const ChipInfo &chip,
                                       const Candidate &candidate,
                                       Rejection reason) const {
    return "";
  }

  /// Why there would be no candidate for a problem if the chip had any amount
  /// of memory, registers and work-items; empty if there is no such reason, or
  /// none that has a name.
  virtual std::string findObstacle(const Problem &problem,
                                   const ChipInfo &chip) const {
    return "";
  }

  /// Decides what a candidate that `check` accepts leaves open, on which its
  /// cost does not depend. Ranking does without it: only candidates that become
  /// schedules are completed.
  virtual void complete(const Problem &problem, const ChipInfo &chip,
                        Candidate &candidate) const {}

  /// Predicts a candidate that `check` accepts.
  virtual Cost predict(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate) const = 0;

  /// The terms of a prediction for a clocked chip by name, for fits of the
  /// model (`bench/calibration`).
  virtual std::vector<std::pair<std::string, double>>
  listTerms(const Problem &problem, const ChipInfo &chip,
            const Candidate &candidate, const Cost &cost) const {
    return {};
  }

  /// Whether `predict` certainly gives more than `seconds`, found in a fraction
  /// of its time, so that it need not be called.
  virtual bool isSlower(const Problem &problem, const ChipInfo &chip,
                        const Candidate &candidate, double seconds) const {
    return false;
  }

  /// Whether kernels may start before the previous kernel of a stream has
  /// ended; others wait for it (`getWaitSeconds`).
  virtual bool startsEarly() const { return false; }

  /// Whether neighbouring workgroups share columns rather than rows if both
  /// raster orders move the same bytes.
  virtual bool prefersRows(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate) const {
    return false;
  }
};

/// The models of all families, in the order in which candidates are listed.
std::span<const KernelModel *const> getKernelModels();

/// Whether the chip can run the candidate, and if not, why.
Rejection checkCandidate(const Problem &problem, const ChipInfo &chip,
                         const Candidate &candidate);

/// Predicts a candidate that `checkCandidate` accepts, with what its kernel
/// waits for transforms.
Cost computeCost(const Problem &problem, const ChipInfo &chip,
                 const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_KERNELMODEL_H
