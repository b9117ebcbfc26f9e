//===- Heuristics.h - candidates ranked by the cost model -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the schedules that a chip can run for a problem and ranks them
// by the cost model. The ranking decides if neither the user nor a database
// did.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_HEURISTICS_H
#define CONV_SCHEDULE_HEURISTICS_H

#include "conv/Kernels/KernelModel.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace conv {

/// A candidate that the chip can run.
struct RankedCandidate {
  Candidate candidate;
  Cost cost;
};

/// A candidate that a rule excluded.
struct RejectedCandidate {
  Candidate candidate;
  Rejection reason;
};

/// All candidates: the best first, ties in a fixed order.
struct Ranking {
  std::vector<RankedCandidate> accepted;
  std::vector<RejectedCandidate> rejected;
};

/// Tells which candidates are too slow to be predicted, since their least time
/// exceeds that of the best one so far. The rankings of all ways to form the
/// matrices of a convolution share one.
class RankingCut {
public:
  /// Keeps what takes up to `reach` times as long as the best candidate.
  explicit RankingCut(double reach) : reach(reach) {}

  /// Seconds above which candidates may be left out.
  double limit() const { return reach * best; }
  void note(double seconds) { best = std::min(best, seconds); }

private:
  double reach;
  double best = std::numeric_limits<double>::infinity();
};

/// Ranks the candidates that `chip` can run. `accepted` is empty only if the
/// chip has no atom for the problem's operands, no atom that takes halo tiles,
/// or if every launch would be too large. With a `cut`, all candidates within
/// its limit are ranked, perhaps others, and none is in `rejected`.
Ranking rankCandidates(const Problem &problem, const ChipInfo &chip,
                       RankingCut *cut = nullptr);

} // namespace conv

#endif // CONV_SCHEDULE_HEURISTICS_H
