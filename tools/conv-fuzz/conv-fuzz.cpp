//===- conv-fuzz.cpp - random problems, verified ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv-fuzz mutate` tests invalid inputs (MutateCommand.h). The other mode
// draws problems, compiles each for all targets, runs it with both kinds of
// data and compares the results. Problems that the compiler refuses do not
// count. A failure is shrunk to the smallest problem that still fails, and
// printed as commands that reproduce it.
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"
#include "CommandLine.h"
#include "ErrorLine.h"
#include "MutateCommand.h"
#include "Output.h"
#include "Problem.h"
#include "Progress.h"

#include "conv/Pipeline/Compile.h"

#include <cstdio>
#include <optional>
#include <sstream>

using namespace conv;
using namespace conv::tools;

/// By commas: the levels of this processor, and the simulated chips.
static std::string listTargets() {
  std::string list;
  for (const std::string &level : listHostTargets())
    list += level + ",";
  return list + "sim:gfx90a,sim:gfx942,sim:gfx950,sim:gfx1100,sim:gfx1201";
}

namespace {
struct FuzzFlags {
  uint64_t seed = 0;
  int64_t runs = 100;
  std::string targets = listTargets();
};

/// The error and its place.
struct Failure {
  std::string target;
  RandomKind kind;
  Error error;
};
} // namespace

/// This many refusals in a row mean that the targets are refused.
static constexpr int64_t kMaxRefusals = 1000;

static const char *const kFooter = R"(Examples:
  conv-fuzz --runs 20
  conv-fuzz --seed 7 --runs 1000 --targets sim:gfx942,host
  conv-fuzz mutate --runs 1000 --findings found examples

Exit codes: 0 all fine, 1 a failure was found, 2 bad usage, 3 not supported.)";

static std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

/// Compiles and checks one problem on one target.
static std::optional<Failure> check(const GenOptions &problem,
                                    const std::string &target,
                                    ExpectedResults (&expected)[2]) {
  auto fail = [&](RandomKind kind, const Error &error) {
    return Failure{target, kind, error};
  };
  Result<std::string> text = generate(problem);
  if (!text)
    return fail(RandomKind::Normal, text.error());
  mlir::conv::CompileOptions options;
  options.targets = {target};
  auto artifact = mlir::conv::compile({"fuzz.mlir", *text}, options);
  if (!artifact)
    return fail(RandomKind::Normal, artifact.error());
  for (RandomKind kind : {RandomKind::Integers, RandomKind::Normal}) {
    CheckOptions checks;
    checks.kind = kind;
    checks.sim.waveOrder = kind == RandomKind::Normal
                               ? runtime::WaveOrder::Random
                               : runtime::WaveOrder::InOrder;
    Result<CheckSummary> summary =
        checkTarget(*artifact, "fuzz", target, checks, expected[int(kind)]);
    if (!summary)
      return fail(kind, summary.error());
  }
  return std::nullopt;
}

static std::optional<Failure> check(const GenOptions &problem,
                                    const std::vector<std::string> &targets) {
  ExpectedResults expected[2];
  for (const std::string &target : targets)
    if (std::optional<Failure> failure = check(problem, target, expected))
      return failure;
  return std::nullopt;
}

/// Takes the first simpler problem that also fails, until none does.
static void shrink(GenOptions &problem, Failure &failure) {
  Progress progress("shrinking");
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const GenOptions &next : simplerProblems(problem)) {
      std::optional<Failure> still = check(next, {failure.target});
      if (!still || still->error.kind != failure.error.kind)
        continue;
      problem = next;
      failure = *still;
      smaller = true;
      break;
    }
  }
}

static void report(const GenOptions &problem, const Failure &failure) {
  bool simulated = failure.target.starts_with("sim:");
  std::printf("FAILED: %s\n", failure.error.message.c_str());
  std::printf("  conv-gen %s -o fuzz.mlir\n", formatArguments(problem).c_str());
  std::printf("  conv-run fuzz.mlir --verify%s --target %s%s\n",
              failure.kind == RandomKind::Integers ? " --integers" : "",
              failure.target.c_str(),
              simulated && failure.kind == RandomKind::Normal
                  ? " --sim-order random:0"
                  : "");
}

static int parseAndRun(int argc, char **argv) {
  FuzzFlags flags;
  CLI::App app("Compiles and verifies random convolutions, and shrinks what "
               "fails to the smallest problem.",
               "conv-fuzz");
  setUp(app, mlir::conv::getVersionLine());
  app.footer(kFooter);
  app.add_option("--seed", flags.seed, "Of the problems (default: 0)")
      ->check(isUnsigned());
  app.add_option("--runs", flags.runs, "How many problems (default: 100)")
      ->check(isWithin(1, 1000000000));
  app.add_option("--targets", flags.targets,
                 "Targets by commas: host, sim:gfx942, ... (default: all that "
                 "run here)");
  MutateFlags mutateFlags;
  CLI::App *mutate = addMutateCommand(app, mutateFlags);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  if (mutate->parsed())
    return runMutateCommand(mutateFlags);

  std::mt19937_64 random(flags.seed);
  std::optional<Progress> progress("fuzzing");
  int64_t refusals = 0; // In a row.
  for (int64_t run = 0; run < flags.runs;) {
    GenOptions problem = randomProblem(random);
    if (std::optional<Failure> failure = check(problem, split(flags.targets))) {
      bool refused = failure->error.kind == ErrorKind::Unsupported;
      if (refused && ++refusals < kMaxRefusals)
        continue;
      progress.reset();
      if (refused || failure->error.kind == ErrorKind::BadInput)
        return printError(app.get_name(), failure->error);
      shrink(problem, *failure);
      report(problem, *failure);
      return int(ErrorKind::WrongResult);
    }
    refusals = 0;
    progress->update(double(++run) / double(flags.runs));
  }
  progress.reset();
  std::printf("%lld problems verified on %s\n", (long long)flags.runs,
              flags.targets.c_str());
  return 0;
}

int main(int argc, char **argv) {
  mlir::conv::endWhereMemoryEnds();
  mlir::conv::tryTextInChild();
  return finish("conv-fuzz", parseAndRun(argc, argv));
}
