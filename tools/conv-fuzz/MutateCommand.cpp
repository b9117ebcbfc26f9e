//===- MutateCommand.cpp - conv-fuzz mutate ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every kind of input in turn, prints a line for each, and keeps inputs
// that crash a tool, take too long or trigger an error that reports a defect.
//
//===----------------------------------------------------------------------===//

#include "MutateCommand.h"

#include "CommandLine.h"
#include "ErrorLine.h"
#include "Supervisor.h"

#include "conv/Support/File.h"
#include "conv/Support/Split.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

using namespace conv;
using namespace conv::tools;

CLI::App *tools::addMutateCommand(CLI::App &app, MutateFlags &flags) {
  CLI::App *command = app.add_subcommand(
      "mutate", "Changes files at random and gives them to the tools, which "
                "must answer each with an exit code");
  command->get_formatter()->column_width(34);
  command->add_option("FOLDER", flags.folders, "Folders with .mlir files")
      ->required();
  command->add_option("--seed", flags.seed, "Of the changes (default: 0)")
      ->check(isUnsigned());
  command
      ->add_option("--runs", flags.runs, "Inputs of each kind (default: 1000)")
      ->check(isWithin(1, int64_t(1) << 40));
  command->add_option(
      "--kinds", flags.kinds,
      "By commas: text, bytecode, artifact, manifest, schedule, "
      "line, npy (default: all)");
  command
      ->add_option("--seconds", flags.seconds,
                   "Of the processor after which an input hangs (default: 20)")
      ->check(isWithin(1, 3600));
  command->add_option("--findings", flags.findings,
                      "Folder for inputs that were found; it is created");
  return command;
}

/// The trials of the kinds that a list between commas names.
static Result<std::vector<Trial>> choose(const std::vector<Trial> &trials,
                                         const std::string &kinds) {
  if (kinds == "all")
    return trials;
  std::vector<Trial> chosen;
  for (const std::string &kind : splitAtCommas(kinds)) {
    auto trial = std::find_if(trials.begin(), trials.end(),
                              [&](const Trial &t) { return t.name == kind; });
    if (trial != trials.end()) {
      chosen.push_back(*trial);
      continue;
    }
    std::string known;
    for (const Trial &other : trials)
      known += (known.empty() ? "" : ", ") + other.name;
    return Error{ErrorKind::BadInput,
                 "--kinds expects some of " + known + ", but got " + kind};
  }
  return chosen;
}

/// Prints a finding and writes its input.
static void keep(const MutateFlags &flags, const Trial &trial,
                 const Supervisor &supervisor, const Finding &finding) {
  std::printf("FOUND: %s %lld of seed %llu: %s\n", trial.name.c_str(),
              (long long)finding.number, (unsigned long long)flags.seed,
              finding.what.c_str());
  if (flags.findings.empty())
    return;
  std::string path = flags.findings + "/" + trial.name + "-" +
                     std::to_string(flags.seed) + "-" +
                     std::to_string(finding.number);
  if (Result<void> written =
          writeFile(path, supervisor.getInput(finding.number));
      !written)
    printError("conv-fuzz", written.error());
}

/// Runs one kind; returns the number of findings.
static int64_t runTrial(const MutateFlags &flags, const Trial &trial) {
  Supervisor supervisor(trial, flags.seed, flags.seconds);
  int64_t found = 0;
  Answers answers = supervisor.run(0, flags.runs, [&](const Finding &finding) {
    ++found;
    keep(flags, trial, supervisor, finding);
  });
  std::printf("%s: %lld inputs, %lld fine, %lld bad, %lld not supported, %lld "
              "found\n",
              trial.name.c_str(), (long long)flags.runs,
              (long long)answers.fine, (long long)answers.badInput,
              (long long)answers.unsupported, (long long)found);
  std::fflush(stdout);
  return found;
}

int tools::runMutateCommand(const MutateFlags &flags) {
  Result<std::vector<Trial>> trials = createTrials(flags.folders);
  if (!trials)
    return printError("conv-fuzz", trials.error());
  Result<std::vector<Trial>> chosen = choose(*trials, flags.kinds);
  if (!chosen)
    return printError("conv-fuzz", chosen.error());
  if (std::error_code error;
      !flags.findings.empty() &&
      !std::filesystem::is_directory(flags.findings, error) &&
      !std::filesystem::create_directories(flags.findings, error))
    return printError("conv-fuzz", Error{ErrorKind::System,
                                         "cannot create '" + flags.findings +
                                             "': " + error.message()});
  int64_t found = 0;
  for (const Trial &trial : *chosen)
    found += runTrial(flags, trial);
  return found ? int(ErrorKind::WrongResult) : 0;
}
