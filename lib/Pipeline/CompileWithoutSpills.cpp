//===- CompileWithoutSpills.cpp - schedules without spills ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model estimates registers, but only the code generator knows them.
// Each try excludes the schedules that have spilled so far; if no try is free
// of spills, the one with the fewest spills stays.
//
//===----------------------------------------------------------------------===//

#include "CompileWithoutSpills.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::Result;

/// The most tries after the first one. Neighbours in the ranking have similar
/// tiles, so several may spill.
static constexpr int kMaxTries = 12;
/// Code with spills takes this many times as long to compile as other code.
static constexpr int64_t kCostOfSpills = 2;

namespace {
/// The tries for one pair.
class SpillSearch {
public:
  explicit SpillSearch(CompiledPair first)
      : best(std::move(first)), spills(best.spills) {}

  /// Excludes the schedules that spilled in the last try; false if none of them
  /// can give way.
  bool exclude();
  const std::vector<std::string> &getExcluded() const { return excluded; }
  void add(CompiledPair next);
  /// Returns the best try, with the stage times of all tries.
  CompiledPair finish(ExplanationForm form);

private:
  CompiledPair best;
  std::vector<Spill> spills; ///< The last try's.
  std::vector<std::string> excluded;
  std::vector<StageTime> otherTimes;
  std::vector<Spill> gaveWay;
};
} // namespace

bool SpillSearch::exclude() {
  size_t before = excluded.size();
  for (const Spill &spill : spills) {
    // A schedule that came with the input stays, whoever chose it.
    if (!spill.schedule.byHeuristic ||
        llvm::is_contained(excluded, spill.schedule.text))
      continue;
    excluded.push_back(spill.schedule.text);
    gaveWay.push_back(spill);
  }
  return excluded.size() > before;
}

void SpillSearch::add(CompiledPair next) {
  spills = next.spills;
  if (countSpills(next.spills) < countSpills(best.spills))
    std::swap(best, next);
  llvm::append_range(otherTimes, next.times);
}

CompiledPair SpillSearch::finish(ExplanationForm form) {
  llvm::append_range(best.times, otherTimes);
  best.gaveWay = std::move(excluded);
  for (const Spill &kept : best.spills)
    llvm::erase(best.gaveWay, kept.schedule.text);
  llvm::raw_string_ostream os(best.explanation);
  for (const Spill &spill : gaveWay)
    if (form == ExplanationForm::Text)
      os << "gave way    " << spill.schedule.text << ": " << describe(spill)
         << "\n";
    else if (form == ExplanationForm::Json)
      os << llvm::json::Value(
                llvm::json::Object{{"function", best.entry.function},
                                   {"target", best.entry.target},
                                   {"gave_way", spill.schedule.text},
                                   {"reason", describe(spill)}})
         << "\n";
  if (form == ExplanationForm::Text && !gaveWay.empty())
    os << "\n";
  return std::move(best);
}

Result<CompiledPair>
mlir::conv::compileWithoutSpills(const FunctionSource &function,
                                 const Target &target,
                                 const CompileOptions &options) {
  Result<CompiledPair> first = compilePair(function, target, options);
  if (!first || first->spills.empty())
    return first;
  // All tries together take no longer than one try of the most cost.
  int64_t most = first->codeSize.most;
  int64_t cost = (kCostOfSpills + 1) * first->codeSize.cost;
  SpillSearch search(std::move(*first));
  for (int tries = 0; tries < kMaxTries && cost <= most && search.exclude();
       ++tries) {
    Result<CompiledPair> next =
        compilePair(function, target, options, search.getExcluded());
    if (!next) // No other schedule is left.
      break;
    cost += kCostOfSpills * next->codeSize.cost;
    search.add(std::move(*next));
  }
  return search.finish(options.explain);
}
