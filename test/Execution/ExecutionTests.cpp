//===- ExecutionTests.cpp - tests that run convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all execution tests do: compile for all targets at once, run each,
// compare. Run one with --gtest_filter.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "CheckTarget.h"

#include "conv/Chip/Chip.h"
#include "conv/Pipeline/Compile.h"
#include "conv/Runtime/Driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <span>

using namespace conv;
using namespace conv::test;

static const std::string kSimPrefix = "sim:";

const std::vector<std::string> &test::allTargets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> all = tools::listHostTargets();
    for (const char *chip :
         {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"})
      all.push_back(kSimPrefix + chip);
    return all;
  }();
  return targets;
}

std::string test::generateText(const GenOptions &options) {
  Result<std::string> text = generate(options);
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return "";
  }
  return *text;
}

/// One function on all targets with one kind of data; adds to `total`.
static void checkFunction(const artifact::Artifact &artifact,
                          const std::string &function,
                          const std::vector<std::string> &targets,
                          RandomKind kind, tools::CheckSummary &total) {
  tools::ExpectedResults expected;
  tools::CheckOptions options;
  options.kind = kind;
  options.seed = 1;
  // Test programs run beside each other already.
  options.sim.threads = 1;
  options.sim.checks = true;
  if (kind == RandomKind::Normal) {
    options.sim.waveOrder = runtime::WaveOrder::Random;
    options.sim.seed = 1;
  }
  for (const std::string &target : targets) {
    Result<tools::CheckSummary> summary =
        tools::checkTarget(artifact, function, target, options, expected);
    if (!summary) {
      ADD_FAILURE() << summary.error().message;
      continue;
    }
    EXPECT_GT(summary->elements, 0);
    total.elements += summary->elements;
    total.exact += summary->exact;
    total.worstRatio = std::max(total.worstRatio, summary->worstRatio);
  }
}

std::string test::prepackFilter(std::string text) {
  size_t type = text.find("%w: tensor<");
  text.insert(text.find('>', type) + 1, " {conv.prepack}");
  return text;
}

void test::checkEverywhere(const std::string &text,
                           const std::vector<std::string> &targets,
                           const std::string &algorithm) {
  mlir::conv::CompileOptions options;
  options.targets = targets;
  options.algorithm = algorithm;
  // What the simulator accepts, the GPU's own code generator must too.
  for (const std::string &target : targets)
    if (target.starts_with(kSimPrefix))
      options.targets.push_back(target.substr(kSimPrefix.size()));
  Result<artifact::Artifact> artifact =
      mlir::conv::compile({"test.mlir", text}, options);
  ASSERT_TRUE(artifact) << artifact.error().message << "\n" << text;
  std::set<std::string> functions;
  for (const artifact::Entry &entry : artifact->manifest.entries)
    functions.insert(entry.function);
  // Functions that pack are checked with those that read what they pack.
  for (const artifact::Entry &entry : artifact->manifest.entries)
    for (const artifact::PackedArgument &packed : entry.packed)
      functions.erase(packed.function);
  tools::CheckSummary total;
  for (const std::string &function : functions)
    for (RandomKind kind : {RandomKind::Integers, RandomKind::Normal})
      checkFunction(*artifact, function, targets, kind, total);
  auto record = [](const char *name, auto value) {
    testing::Test::RecordProperty(name, std::to_string(value));
  };
  record("runs", 2 * functions.size() * targets.size());
  record("elements", total.elements);
  record("exact", total.exact);
  record("worst_ratio", total.worstRatio);
}

namespace {
/// A test that is a function object.
class FunctionTest : public testing::Test {
public:
  explicit FunctionTest(std::function<void()> body) : body(std::move(body)) {}
  void TestBody() override { body(); }

private:
  std::function<void()> body;
};
} // namespace

void test::addTest(const std::string &suite, const std::string &name,
                   std::function<void()> body) {
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__,
                        __LINE__,
                        [body = std::move(body)]() -> testing::Test * {
                          return new FunctionTest(body);
                        });
}

bool test::isExhaustive() {
  static const bool isSet = std::getenv("CONV_EXHAUSTIVE");
  return isSet;
}

std::vector<std::string> test::takeTurn(int chips) {
  static size_t turn = 0, turnOfLevels = 0;
  const std::vector<std::string> &all = allTargets();
  if (isExhaustive())
    return all;
  size_t levels = tools::listHostTargets().size();
  std::vector<std::string> targets = {
      tools::listHostTargets()[turnOfLevels++ % levels]};
  for (int i = 0; i < chips; ++i)
    targets.push_back(all[levels + turn++ % (all.size() - levels)]);
  return targets;
}

void test::addRotated(const std::string &suite, const std::string &name,
                      GenOptions options, bool typesTakeTurns) {
  static std::set<std::string> known;
  static size_t turnOfTypes = 0;
  if (!known.insert(suite + "." + name).second)
    return;
  std::span<const char *const> commands = kCommands;
  if (typesTakeTurns && !isExhaustive())
    commands = commands.subspan(turnOfTypes++ % commands.size(), 1);
  for (const char *command : commands) {
    options.type = *lookupDriverCommand(command);
    addTest(suite, name + "_" + command, [options, targets = takeTurn()] {
      checkEverywhere(generateText(options), targets);
    });
  }
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const ChipInfo &chip : allChips())
    if (chip.backend == Backend::Host &&
        std::ranges::count(tools::listHostTargets(), chip.name) == 0)
      std::cerr << chip.name << " is not checked: it is for an " << chip.product
                << ", and this machine has none\n";
  addDirectTests();
  addFormTests();
  addForwardTests();
  addDirectionTests();
  addDynamicTests();
  addEpilogueTests();
  addTypeTests();
  addFunctionTests();
  addHostDirectTests();
  addHostTests();
  addLaneCopyTests();
  addPlaceTests();
  addTileTests();
  addResourceTests();
  addRunTimeSizeTests();
  addSplitTests();
  addStateTests();
  addWinogradTests();
  return RUN_ALL_TESTS();
}
