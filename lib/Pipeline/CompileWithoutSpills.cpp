//===- CompileWithoutSpills.cpp - schedules without spills ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model estimates registers, but only the code generator knows them.
// Each try excludes the schedules that have spilled so far; if no try is free
// of spills, the one with the fewest spills stays. Schedules whose kernels have
// so many operations that a code generator takes seconds give way before it
// starts.
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
/// The most operations of a staged GEMM, and of all tries before the last one.
/// Code generators compile 3000 to 7000 operations a second. The kernels of
/// most layers have fewer than 2000; those with many dgrad phases, and those
/// that load operands element by element, may have 15,000.
static constexpr int64_t kMaxOperations = 4096, kMaxSpillingOperations = 6144;
/// The most schedules that give way because of their operations.
static constexpr int kMaxTooLarge = 4;

namespace {
struct GaveWay {
  std::string schedule, reason;
};

/// The tries for one pair.
class ScheduleSearch {
public:
  ScheduleSearch(const FunctionSource &function, const Target &target,
                 const CompileOptions &options)
      : function(function), target(target), options(options) {}

  Result<CompiledPair> run();

private:
  /// Compiles with the first schedule whose kernels are not too large. After
  /// `kMaxTooLarge` that are, the next one is taken whatever its size; if there
  /// is none, the last that gave way.
  Result<CompiledPair> compileFirst();
  /// Excludes the schedules that spilled in the last try; false if none of them
  /// can give way.
  bool excludeSpills();
  void exclude(const std::string &schedule, std::string reason) {
    excluded.push_back(schedule);
    gaveWay.push_back({schedule, std::move(reason)});
  }
  void add(CompiledPair next);
  /// The best try, with the stage times of all tries.
  CompiledPair finish();

  const FunctionSource &function;
  const Target &target;
  const CompileOptions &options;
  CompiledPair best;
  std::vector<Spill> spills; ///< The last try's.
  std::vector<std::string> excluded;
  std::vector<StageTime> otherTimes;
  std::vector<GaveWay> gaveWay;
};
} // namespace

Result<CompiledPair> ScheduleSearch::compileFirst() {
  for (int tries = 0; tries < kMaxTooLarge; ++tries) {
    Result<CompiledPair> pair =
        compilePair(function, target, options, excluded, kMaxOperations);
    if (pair && pair->tooLarge) {
      llvm::append_range(otherTimes, pair->times);
      exclude(*pair->tooLarge,
              std::to_string(pair->codeSize.operations) + " operations");
      continue;
    }
    if (pair || excluded.empty())
      return pair;
    break; // No other schedule is left.
  }
  Result<CompiledPair> last = compilePair(function, target, options, excluded);
  if (last || excluded.empty())
    return last;
  excluded.pop_back();
  gaveWay.pop_back();
  return compilePair(function, target, options, excluded);
}

bool ScheduleSearch::excludeSpills() {
  size_t before = excluded.size();
  for (const Spill &spill : spills)
    // A schedule that came with the input stays, whoever chose it.
    if (spill.schedule.byHeuristic &&
        !llvm::is_contained(excluded, spill.schedule.text))
      exclude(spill.schedule.text, describe(spill));
  return excluded.size() > before;
}

void ScheduleSearch::add(CompiledPair next) {
  spills = next.spills;
  if (countSpills(next.spills) < countSpills(best.spills))
    std::swap(best, next);
  llvm::append_range(otherTimes, next.times);
}

CompiledPair ScheduleSearch::finish() {
  llvm::append_range(best.times, otherTimes);
  best.gaveWay = std::move(excluded);
  for (const Spill &kept : best.spills)
    llvm::erase(best.gaveWay, kept.schedule.text);
  llvm::raw_string_ostream os(best.explanation);
  for (const GaveWay &one : gaveWay)
    if (options.explain == ExplanationForm::Text)
      os << "gave way    " << one.schedule << ": " << one.reason << "\n";
    else if (options.explain == ExplanationForm::Json)
      os << llvm::json::Value(
                llvm::json::Object{{"function", best.entry.function},
                                   {"target", best.entry.target},
                                   {"gave_way", one.schedule},
                                   {"reason", one.reason}})
         << "\n";
  if (options.explain == ExplanationForm::Text && !gaveWay.empty())
    os << "\n";
  return std::move(best);
}

Result<CompiledPair> ScheduleSearch::run() {
  Result<CompiledPair> first = compileFirst();
  if (!first)
    return first;
  // All tries together take no longer than one try of the most cost.
  int64_t most = first->codeSize.most;
  int64_t cost = (kCostOfSpills + 1) * first->codeSize.cost;
  int64_t operations = first->codeSize.operations;
  best = std::move(*first);
  spills = best.spills;
  for (int tries = 0; tries < kMaxTries && cost <= most &&
                      operations <= kMaxSpillingOperations && excludeSpills();
       ++tries) {
    Result<CompiledPair> next =
        compilePair(function, target, options, excluded);
    if (!next) // No other schedule is left.
      break;
    cost += kCostOfSpills * next->codeSize.cost;
    operations += next->codeSize.operations;
    add(std::move(*next));
  }
  return finish();
}

Result<CompiledPair>
mlir::conv::compileWithoutSpills(const FunctionSource &function,
                                 const Target &target,
                                 const CompileOptions &options) {
  return ScheduleSearch(function, target, options).run();
}
