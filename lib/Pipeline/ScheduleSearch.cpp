//===- ScheduleSearch.cpp - schedules that compile well ---------*- C++ -*-===//
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
// starts, and with them all that are expected to have too many. The smallest of
// them is compiled after all if none is left, or if what is left is predicted
// to be much slower.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSearch.h"

#include "conv/Kernels/KernelLength.h"
#include "conv/Schedule/RankingMemo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::Result;

namespace {
/// What a search may cost. Operations are those of `CodeSize`, of which code
/// generators compile 3000 to 7000 a second (`KernelLength.h`).
struct SearchCosts {
  /// The most tries after the first one. Neighbours in the ranking have similar
  /// tiles, so several may spill.
  int tries = 12;
  /// Code with spills takes this many times as long to compile as other code.
  int64_t ofSpills = 2;
  /// The most operations of all tries together: enough for another one after a
  /// kernel whose workgroups take turns, in copies of its loop.
  int64_t operations = 8704;
  /// What a try costs besides, as a number of operations: ranking, lowering,
  /// and an object file.
  int64_t ofTry = 768;
  /// Schedules of fewer operations are too slow to be worth a try.
  int64_t leastOperations = 1024;
  /// The operations to aim at after a second schedule of more than the most,
  /// since their number is only nearly proportional to the elements of a step.
  /// After the first one, a schedule that is just small enough may be much
  /// faster than all others: half of a step of twice the most operations.
  int64_t aimedOperations = 3328;
  /// The most schedules that give way because of their operations, and the most
  /// times that no schedule is as small as was aimed at.
  int largeSchedules = 3, failures = 3;
  /// The most operations for which a staged GEMM is preferred to the other
  /// families' kernels, which rank after all that gave way.
  int64_t operationsOfLast = 5120;
  /// The most operations of a schedule that is compiled after all, if what it
  /// would give way to is predicted to take `worthwhile` times as long. They
  /// take half a second more to compile.
  int64_t operationsIfFaster = 6144;
  double worthwhile = 1.25;
};
} // namespace

static constexpr SearchCosts kCosts;

namespace {
/// Schedules that the cost model chooses but that are not compiled.
struct CodeLimits {
  int64_t operations;      ///< The most of a staged GEMM.
  bool onlyStaged = false; ///< Other kernels give way.
};

struct GaveWay {
  std::string schedule, reason;
};

/// A try with too many operations. It can still be compiled.
struct TooLarge {
  LoweredPair lowered;
  Exclusion excluded; ///< When it was chosen.
  size_t number;      ///< Among those that gave way.

  int64_t countOperations() const { return lowered.pair.codeSize.operations; }
};

/// The search for one pair.
class ScheduleSearch {
public:
  ScheduleSearch(ScheduleTries tries, ExplanationForm explain)
      : tries(std::move(tries)), explain(explain) {}

  Result<CompiledPair> run();

private:
  /// Compiles with the first schedule whose kernels are not too large. If none
  /// of the first `SearchCosts::largeSchedules` is, the smallest of them is
  /// taken.
  Result<CompiledPair> compileFirst();
  Result<LoweredPair> lower() const { return tries.lower(excluded); }
  Result<CompiledPair> compile(LoweredPair lowered) const {
    return tries.compile(std::move(lowered));
  }
  /// A try that is not compiled.
  void drop(const LoweredPair &lowered) {
    llvm::append_range(otherTimes, lowered.getTimes());
  }
  /// Excludes a schedule of so many `operations`, and those like it.
  void excludeLarge(const ChosenSchedule &schedule, int64_t operations);
  /// The operations that another try may have.
  int64_t countLeft() const {
    return kCosts.operations - operations - kCosts.ofTry;
  }
  /// Whether there is time for another try. If the last one had too many
  /// operations for that, only smaller schedules are left.
  bool fitNext(int64_t operationsOfLast);
  /// Excludes the schedules that spilled in the last try; false if none of them
  /// can give way.
  bool excludeSpills();
  void add(CompiledPair next);
  /// The best try, with the stage times of all tries.
  CompiledPair finish();

  ScheduleTries tries;
  ExplanationForm explain;
  CompiledPair best;
  std::vector<Spill> spills; ///< The last try's.
  Exclusion excluded;
  std::vector<StageTime> otherTimes;
  std::vector<GaveWay> gaveWay;
  int64_t operations = 0; ///< Of all tries, with what they cost besides.
};
} // namespace

void ScheduleSearch::excludeLarge(const ChosenSchedule &schedule,
                                  int64_t operations) {
  int64_t aimed = gaveWay.empty() ? kMaxOperations : kCosts.aimedOperations;
  excluded.stepElements =
      std::max<int64_t>(1, schedule.stepElements * aimed / operations);
  gaveWay.push_back(
      {schedule.text, std::to_string(operations) + " operations"});
}

/// The only schedule, if it is beyond `limits` and can give way.
static const ChosenSchedule *findTooLarge(const LoweredPair &lowered,
                                          const CodeLimits &limits) {
  const ChosenSchedule *schedule = lowered.getReplaceable();
  if (!schedule)
    return nullptr;
  bool isTooLarge = schedule->stepElements > 0
                        ? lowered.pair.codeSize.operations > limits.operations
                        : limits.onlyStaged;
  return isTooLarge ? schedule : nullptr;
}

/// Whether a schedule with too many operations is so much faster than `other`
/// that it is worth the time to compile it.
static bool isWorthwhile(const TooLarge &large, const LoweredPair &other) {
  const ChosenSchedule *schedule = large.lowered.getReplaceable();
  return schedule && schedule->seconds > 0 && other.schedules.size() == 1 &&
         large.countOperations() <= kCosts.operationsIfFaster &&
         other.schedules.front().seconds >
             kCosts.worthwhile * schedule->seconds;
}

Result<CompiledPair> ScheduleSearch::compileFirst() {
  CodeLimits limits{kMaxOperations};
  std::optional<TooLarge> smallest;
  int64_t elementsOfLast = 0;
  int failures = 0;
  while (gaveWay.size() < kCosts.largeSchedules) {
    Result<LoweredPair> lowered = lower();
    if (!lowered && !smallest)
      return lowered.error();
    if (!lowered) { // No schedule is so small.
      if (++failures > kCosts.failures)
        break;
      excluded.stepElements = (excluded.stepElements + elementsOfLast) / 2;
      continue;
    }
    const ChosenSchedule *schedule = findTooLarge(*lowered, limits);
    if (!schedule) {
      if (smallest && isWorthwhile(*smallest, *lowered)) {
        drop(*lowered);
        break;
      }
      if (smallest)
        drop(smallest->lowered);
      return compile(std::move(*lowered));
    }
    elementsOfLast = schedule->stepElements;
    if (elementsOfLast == 0) { // No other staged GEMM is left.
      drop(*lowered);
      break;
    }
    operations += kCosts.ofTry;
    TooLarge last{std::move(*lowered), excluded, gaveWay.size()};
    excludeLarge(*last.lowered.getReplaceable(), last.countOperations());
    if (!smallest) {
      smallest = std::move(last);
    } else {
      if (last.countOperations() < smallest->countOperations())
        std::swap(*smallest, last);
      drop(last.lowered);
    }
    limits.onlyStaged = smallest->countOperations() <= kCosts.operationsOfLast;
  }
  excluded = smallest->excluded;
  gaveWay.erase(gaveWay.begin() + smallest->number);
  return compile(std::move(smallest->lowered));
}

bool ScheduleSearch::excludeSpills() {
  size_t before = gaveWay.size();
  for (const Spill &spill : spills) {
    // A schedule that came with the input stays, whoever chose it.
    if (!spill.schedule.byHeuristic ||
        llvm::is_contained(excluded.spilled, spill.schedule.text))
      continue;
    excluded.spilled.push_back(spill.schedule.text);
    gaveWay.push_back({spill.schedule.text, describe(spill)});
  }
  return gaveWay.size() > before;
}

void ScheduleSearch::add(CompiledPair next) {
  spills = next.spills;
  if (countSpills(next.spills) < countSpills(best.spills))
    std::swap(best, next);
  llvm::append_range(otherTimes, next.times);
}

CompiledPair ScheduleSearch::finish() {
  llvm::append_range(best.times, otherTimes);
  llvm::raw_string_ostream os(best.explanation);
  // The last ones may have had nothing to give way to.
  llvm::erase_if(gaveWay, [&](const GaveWay &one) {
    return llvm::any_of(best.spills, [&](const Spill &kept) {
      return kept.schedule.text == one.schedule;
    });
  });
  for (const GaveWay &one : gaveWay)
    if (explain == ExplanationForm::Text)
      os << "gave way    " << one.schedule << ": " << one.reason << "\n";
    else if (explain == ExplanationForm::Json)
      os << llvm::json::Value(
                llvm::json::Object{{"function", best.entry.function},
                                   {"target", best.entry.target},
                                   {"gave_way", one.schedule},
                                   {"reason", one.reason}})
         << "\n";
  if (explain == ExplanationForm::Text && !gaveWay.empty())
    os << "\n";
  return std::move(best);
}

bool ScheduleSearch::fitNext(int64_t operationsOfLast) {
  int64_t left = countLeft();
  if (operationsOfLast <= left)
    return true;
  int64_t stepElements = spills.front().schedule.stepElements;
  if (spills.size() > 1 || stepElements == 0 || left < kCosts.leastOperations)
    return false;
  excluded.stepElements = stepElements * left / operationsOfLast;
  return true;
}

Result<CompiledPair> ScheduleSearch::run() {
  Result<CompiledPair> first = compileFirst();
  if (!first)
    return first;
  // All tries together take no longer than one try of the most cost.
  CodeSize size = first->codeSize;
  int64_t cost = (kCosts.ofSpills + 1) * size.cost;
  operations += kCosts.ofTry + size.operations;
  best = std::move(*first);
  spills = best.spills;
  for (int number = 0; number < kCosts.tries && cost <= size.most &&
                       excludeSpills() && fitNext(size.operations);
       ++number) {
    Result<LoweredPair> lowered = lower();
    if (!lowered) // No other schedule is left.
      break;
    if (findTooLarge(*lowered, CodeLimits{countLeft()})) {
      drop(*lowered);
      break;
    }
    Result<CompiledPair> next = compile(std::move(*lowered));
    if (!next)
      break;
    size = next->codeSize;
    cost += kCosts.ofSpills * size.cost;
    operations += kCosts.ofTry + size.operations;
    add(std::move(*next));
  }
  return finish();
}

Result<CompiledPair> mlir::conv::searchSchedules(ScheduleTries tries,
                                                 ExplanationForm explain) {
  return ScheduleSearch(std::move(tries), explain).run();
}

Result<CompiledPair> mlir::conv::compileBestTry(const FunctionSource &function,
                                                const Target &target,
                                                const CompileOptions &options,
                                                std::shared_ptr<Walk> raised) {
  RankingMemo memo;
  return searchSchedules(
      {[&](const Exclusion &excluded) {
         return lowerPair(function, target, options, excluded, memo,
                          std::exchange(raised, nullptr));
       },
       [&](LoweredPair lowered) {
         return compilePair(std::move(lowered), target, options);
       }},
      options.explain);
}
