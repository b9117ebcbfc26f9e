//===- RankingMemo.h - rankings that are asked for again --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_RANKINGMEMO_H
#define CONV_SCHEDULE_RANKINGMEMO_H

#include "conv/Schedule/ScheduleSpace.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::conv {

/// The beginnings of rankings. A compilation whose schedule spills, or has too
/// many operations, starts again without that schedule, but with the same
/// rankings, which take most of the time until there are kernels. What is
/// remembered belongs to no context.
class RankingMemo {
public:
  /// The beginning of ranking number `turn` of a compilation, in the context of
  /// `op`; empty if it has not been remembered for the same `op`.
  std::vector<RankedSchedule> recall(size_t turn, ConvolutionOpInterface op,
                                     std::optional<Algorithm> only) const;
  void remember(size_t turn, ConvolutionOpInterface op,
                std::optional<Algorithm> only, ArrayRef<RankedSchedule> ranked);

private:
  /// Schedules of a ranking that are remembered: those within its reach, or all
  /// of most products, since those with few operations may rank last. Of those
  /// that a family without a model lists there are fewer, which are kept as
  /// text.
  static constexpr size_t kMost = 8192, kMostListed = 16;

  struct Remembered {
    RankedSchedule ranked; ///< Without `listed`.
    std::string listed;
  };
  llvm::StringMap<std::vector<Remembered>> rankings;
};

} // namespace mlir::conv

#endif // CONV_SCHEDULE_RANKINGMEMO_H
