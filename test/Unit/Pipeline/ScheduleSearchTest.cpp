//===- ScheduleSearchTest.cpp - schedules that give way ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranking and the code of each schedule are made up here, so that these
// tests depend on neither the cost model nor a code generator.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSearch.h"
#include "Walk.h"

#include "conv/Kernels/KernelLength.h"

#include "mlir/IR/BuiltinOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

namespace {

using Names = std::vector<std::string>;

/// A schedule, and what its code is like.
struct Candidate {
  std::string name;
  int64_t spills = 0;
  int64_t operations = 1000;
  int64_t stepElements = 100;
  bool byHeuristic = true;
  double seconds = 0;
};

class ScheduleSearch : public testing::Test {
protected:
  /// Ranked candidates, best first.
  std::vector<Candidate> ranking;
  /// What each kernel costs; all tries together may cost 9 times as much.
  int64_t cost = 1;
  /// The names of those whose kernels were compiled, in order.
  Names compiled;

  static bool gaveWay(const CompiledPair &found, StringRef name) {
    return StringRef(found.explanation)
        .contains(("gave way    " + name + ":").str());
  }

  CompiledPair search() {
    auto found = searchSchedules(
        {[&](const Exclusion &excluded) { return lower(excluded); },
         [&](LoweredPair lowered) { return compile(std::move(lowered)); }},
        ExplanationForm::Text);
    EXPECT_TRUE(bool(found));
    return found ? std::move(*found) : CompiledPair();
  }

private:
  Result<LoweredPair> lower(const Exclusion &excluded) {
    for (const Candidate &candidate : ranking) {
      bool isLarge = excluded.stepElements > 0 &&
                     candidate.stepElements >= excluded.stepElements;
      bool spills = llvm::is_contained(excluded.spilled, candidate.name);
      // Schedules that are given stay, whatever is excluded.
      if (candidate.byHeuristic && (isLarge || spills))
        continue;
      LoweredPair lowered;
      lowered.pair.code = candidate.name;
      lowered.pair.codeSize = {cost, candidate.operations, 9};
      lowered.schedules = {{candidate.name, candidate.byHeuristic,
                            candidate.stepElements, candidate.seconds,
                            /*launches=*/1, /*launchesBefore=*/0}};
      lowered.walk = walk;
      return lowered;
    }
    return Error{ErrorKind::Unsupported, "no schedule is left"};
  }

  Result<CompiledPair> compile(LoweredPair lowered) {
    compiled.push_back(lowered.pair.code);
    auto candidate = llvm::find_if(ranking, [&](const Candidate &each) {
      return each.name == lowered.pair.code;
    });
    ::conv::artifact::Resources resources;
    resources.spills = candidate->spills;
    if (candidate->spills > 0)
      lowered.pair.spills = {{lowered.schedules.front(), resources}};
    return std::move(lowered.pair);
  }

  static IsolatedModule createModule() {
    MLIRContext context;
    return IsolatedModule::create(
        *OwningOpRef(ModuleOp::create(UnknownLoc::get(&context))), "test");
  }

  std::shared_ptr<Walk> walk = std::make_shared<Walk>(createModule());
};

TEST_F(ScheduleSearch, CompilesTheFirstOneIfItFits) {
  ranking = {{"a"}, {"b"}};
  EXPECT_EQ(search().explanation, "");
  EXPECT_EQ(compiled, (Names{"a"}));
}

TEST_F(ScheduleSearch, SchedulesThatSpillGiveWay) {
  ranking = {{"a", /*spills=*/5}, {"b", /*spills=*/3}, {"c"}, {"d"}};
  CompiledPair found = search();
  EXPECT_EQ(found.code, "c");
  EXPECT_EQ(compiled, (Names{"a", "b", "c"}));
  EXPECT_EQ(found.explanation,
            "gave way    a: 5 spilled registers, 0 bytes of scratch memory\n"
            "gave way    b: 3 spilled registers, 0 bytes of scratch memory\n"
            "\n");
}

// What is compiled is not among those that gave way.
TEST_F(ScheduleSearch, TheFewestSpillsStayIfAllSpill) {
  ranking = {{"a", /*spills=*/5}, {"b", /*spills=*/3}, {"c", /*spills=*/4}};
  CompiledPair found = search();
  EXPECT_EQ(found.code, "b");
  EXPECT_EQ(compiled, (Names{"a", "b", "c"}));
  EXPECT_TRUE(gaveWay(found, "a"));
  EXPECT_FALSE(gaveWay(found, "b"));
  EXPECT_TRUE(gaveWay(found, "c"));
}

TEST_F(ScheduleSearch, GivenSchedulesStay) {
  ranking = {{"a", /*spills=*/5}, {"b"}};
  ranking.front().byHeuristic = false;
  EXPECT_EQ(search().code, "a");
  EXPECT_EQ(compiled, (Names{"a"}));
}

// A code generator takes three times as long for code with spills, which are
// two tries more.
TEST_F(ScheduleSearch, TriesCostNoMoreThanTheMostExpensiveKernel) {
  cost = 4;
  ranking = {{"a", /*spills=*/5}, {"b"}};
  EXPECT_EQ(search().code, "a");
  cost = 3;
  EXPECT_EQ(search().code, "b");
}

TEST_F(ScheduleSearch, LongKernelsGiveWayBeforeTheyAreCompiled) {
  // Operations are nearly proportional to the elements of a step: with more
  // than 80 % of the first one's elements, there would be too many.
  ranking = {{"a", 0, kMaxOperations * 5 / 4, /*stepElements=*/100},
             {"b", 0, kMaxOperations, /*stepElements=*/90},
             {"c", 0, kMaxOperations, /*stepElements=*/79}};
  CompiledPair found = search();
  EXPECT_EQ(compiled, (Names{"c"}));
  EXPECT_EQ(found.explanation,
            "gave way    a: " + std::to_string(kMaxOperations * 5 / 4) +
                " operations\n\n");
}

TEST_F(ScheduleSearch, TheShortestIsCompiledIfAllAreTooLong) {
  ranking = {{"a", 0, kMaxOperations * 3, /*stepElements=*/100},
             {"b", 0, kMaxOperations * 2, /*stepElements=*/30}};
  CompiledPair found = search();
  EXPECT_EQ(compiled, (Names{"b"}));
  EXPECT_TRUE(gaveWay(found, "a"));
  EXPECT_FALSE(gaveWay(found, "b"));
}

// Only for AMD chips are seconds known.
TEST_F(ScheduleSearch, LongOnesAreCompiledIfOthersAreMuchSlower) {
  ranking = {{"a", 0, kMaxOperations * 3 / 2, /*stepElements=*/100},
             {"b", 0, 1000, /*stepElements=*/50}};
  ranking[0].seconds = 1;
  ranking[1].seconds = 2;
  CompiledPair found = search();
  EXPECT_EQ(found.code, "a");
  EXPECT_FALSE(gaveWay(found, "a"));
  EXPECT_FALSE(gaveWay(found, "b"));
  ranking[1].seconds = 1.2;
  EXPECT_EQ(search().code, "b");
  ranking[1].seconds = 2;
  ranking[0].operations = kMaxOperations * 3 / 2 + 1;
  EXPECT_EQ(search().code, "b");
  ranking[0].operations = kMaxOperations * 3 / 2;
  ranking[0].seconds = ranking[1].seconds = 0;
  EXPECT_EQ(search().code, "b");
}

// One that aims too low finds nothing; then larger ones are tried again.
TEST_F(ScheduleSearch, LargerOnesAreTriedWhereNoneIsAsSmallAsAimedAt) {
  ranking = {{"a", 0, kMaxOperations * 4, /*stepElements=*/100},
             {"b", 0, kMaxOperations, /*stepElements=*/50}};
  EXPECT_EQ(search().code, "b");
  EXPECT_EQ(compiled, (Names{"b"}));
}

} // namespace
