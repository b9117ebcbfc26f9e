//===- KernelModel.h - what a family knows of its candidates ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The part of a family that sees no IR: which candidates there are for a
// problem, whether a chip can run them, and what they cost. All families
// predict in one time scale, so that they are ranked together.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_KERNELMODEL_H
#define CONV_KERNELS_KERNELMODEL_H

#include "conv/Kernels/Candidate.h"

#include <vector>

namespace conv {

/// The candidates of one family of kernels.
class KernelModel {
public:
  virtual ~KernelModel();

  /// All candidates with this atom, whose operands are the problem's; none if
  /// the family cannot compute it. The raster order and the candidate's model
  /// are set later.
  virtual std::vector<Candidate>
  listCandidates(const Problem &problem, const ChipInfo &chip,
                 const MatrixAtom &atom) const = 0;

  /// Work-items of a workgroup.
  virtual int64_t countWorkItems(const ChipInfo &chip,
                                 const Candidate &candidate) const = 0;

  /// Whether the chip can run one of them, and why not, but for the size of the
  /// launch. The default is for families that list only what fits.
  virtual Rejection check(const Problem &problem, const ChipInfo &chip,
                          const Candidate &candidate) const {
    return Rejection::None;
  }

  /// Predicts a candidate that `check` accepts.
  virtual Cost predict(const Problem &problem, const ChipInfo &chip,
                       const Candidate &candidate) const = 0;

  /// Whether neighbours share columns, and not rows, if both raster orders move
  /// the same bytes.
  virtual bool prefersRows(const Problem &problem, const ChipInfo &chip,
                           const Candidate &candidate) const {
    return false;
  }
};

/// The models of all families, in the order in which candidates are listed.
std::span<const KernelModel *const> getKernelModels();

/// Whether the chip can run the candidate, and why not.
Rejection checkCandidate(const Problem &problem, const ChipInfo &chip,
                         const Candidate &candidate);

/// Predicts a candidate that `checkCandidate` accepts.
Cost computeCost(const Problem &problem, const ChipInfo &chip,
                 const Candidate &candidate);

} // namespace conv

#endif // CONV_KERNELS_KERNELMODEL_H
