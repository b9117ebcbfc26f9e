//===- RankingMemo.cpp - rankings that are asked for again ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/RankingMemo.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::conv;

/// What tells rankings of a compilation apart, and those of other compilations.
static std::string getKey(size_t turn, ConvolutionOpInterface op,
                          std::optional<Algorithm> only) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << turn << " " << (only ? stringifyAlgorithm(*only) : "") << " ";
  op->print(os, OpPrintingFlags().useLocalScope());
  return key;
}

std::vector<RankedSchedule>
RankingMemo::recall(size_t turn, ConvolutionOpInterface op,
                    std::optional<Algorithm> only) const {
  std::vector<RankedSchedule> ranked;
  if (rankings.empty())
    return ranked;
  auto found = rankings.find(getKey(turn, op, only));
  if (found == rankings.end())
    return ranked;
  for (const auto &[one, listed] : found->second) {
    ranked.push_back(one);
    if (!listed.empty())
      ranked.back().listed =
          cast<ScheduleAttr>(parseAttribute(listed, op->getContext()));
  }
  return ranked;
}

void RankingMemo::remember(size_t turn, ConvolutionOpInterface op,
                           std::optional<Algorithm> only,
                           ArrayRef<RankedSchedule> ranked) {
  std::vector<Remembered> &kept = rankings[getKey(turn, op, only)];
  kept.clear();
  kept.reserve(std::min(ranked.size(), kMost));
  size_t listed = 0;
  for (const RankedSchedule &one : ranked.take_front(kMost)) {
    if (one.listed && ++listed > kMostListed)
      return;
    kept.push_back({one, ""});
    kept.back().ranked.listed = nullptr;
    llvm::raw_string_ostream os(kept.back().listed);
    if (one.listed)
      os << Attribute(one.listed);
  }
}
