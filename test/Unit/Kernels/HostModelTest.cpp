//===- HostModelTest.cpp - tests of the cost of host tiles ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/KernelModel.h"

#include "../../../lib/Kernels/Host/HostFacts.h"
#include "../../../lib/Kernels/Models.h"

#include <gtest/gtest.h>

using namespace conv;

namespace {

/// A product of a tensor with channels last, 512 rows by 64 columns, whose
/// columns are vectors.
Problem createProduct() {
  Problem problem;
  problem.rows = 512;
  problem.columns = 64;
  problem.reduction = 288;
  problem.operand = problem.result = NumericType::F32;
  problem.lhsRun = {.elements = 32, .isAlongReduction = true};
  problem.rhsRun = {.elements = 64};
  problem.facts.set(HostFacts{.lhs = {.distance = 32, .even = 8},
                              .rhs = {.distance = 1, .even = 64},
                              .resultRow = 64,
                              .resultColumn = 1});
  return problem;
}

/// The cost of a tile of 128 by 64 on one thread.
Cost predict(const Problem &problem) {
  ChipInfo chip = *lookupChip("host_v4");
  chip.computeUnits = 1;
  Candidate candidate{.atom = &chip.atoms.front(),
                      .workgroup = {128, 64},
                      .subgroup = {128, 64},
                      .gemmK = 144,
                      .stages = 1};
  return getHostModel().predict(problem, chip, candidate);
}

HostFacts withResult(const Problem &problem, int64_t row, int64_t column) {
  HostFacts facts = *problem.facts.get<HostFacts>();
  facts.resultRow = row;
  facts.resultColumn = column;
  return facts;
}

/// A dgrad phase has results that are two elements apart, either along the
/// vectors or across them, but far apart in the other direction.
TEST(HostModel, ResultsAreStoredAlongTheNearerIndex) {
  Problem problem = createProduct();
  problem.resultRowDistance = 56;
  auto seconds = [&](int64_t row, int64_t column) {
    problem.facts.set(withResult(problem, row, column));
    return predict(problem).seconds;
  };
  double along = seconds(/*row=*/3136, /*column=*/2);
  double across = seconds(/*row=*/2, /*column=*/3136);
  double apart = seconds(/*row=*/56, /*column=*/3136);
  // Vectors of sums are stored as they are, or element by element.
  EXPECT_LT(along, across);
  EXPECT_LT(across, apart);
}

/// Channels in memory are vectors of rows only if neighbouring rows are
/// neighbouring channels, and not taps.
TEST(HostModel, RowsOfTapsAreGathered) {
  Problem problem = createProduct();
  double channels = predict(problem).loadCycles;
  HostFacts facts = *problem.facts.get<HostFacts>();
  facts.rhs = {.distance = 64, .even = 3};
  problem.facts.set(facts);
  EXPECT_GT(predict(problem).loadCycles, 2 * channels);
}

/// Runs of 16 elements or more that are multiplied as they are stored are not
/// copied.
TEST(HostModel, LongRunsAreReadInPlace) {
  Problem problem = createProduct();
  auto loadCycles = [&](int64_t run, NumericType type) {
    problem.operand = type;
    problem.lhsRun.elements = run;
    return predict(problem).loadCycles;
  };
  double copied = loadCycles(15, NumericType::F32);
  EXPECT_LT(loadCycles(16, NumericType::F32), 0.5 * copied);
  EXPECT_GT(loadCycles(16, NumericType::BF16), 0.9 * copied); // Is widened.
}

/// So are shorter ones, and runs of several digits, if the rows of a register
/// tile are part of a line.
TEST(HostModel, RunsOfPartsOfALineAreReadInPlace) {
  Problem problem = createProduct();
  auto loadCycles = [&](int64_t run, int64_t range, int64_t line) {
    problem.lhsRun.elements = run;
    HostFacts facts = *problem.facts.get<HostFacts>();
    facts.lhs.range = range;
    facts.lhs.together = line;
    problem.facts.set(facts);
    return predict(problem).loadCycles;
  };
  double copied = loadCycles(8, 8, /*line=*/1);
  EXPECT_LT(loadCycles(8, 8, /*line=*/16), 0.5 * copied);
  EXPECT_LT(loadCycles(3, 9, /*line=*/16), 0.5 * copied);
  EXPECT_GT(loadCycles(3, 9, /*line=*/11), 0.8 * copied); // No part of a tile.
  EXPECT_GT(loadCycles(3, 6, /*line=*/16), copied);
}

} // namespace
