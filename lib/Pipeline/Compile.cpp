//===- Compile.cpp - from MLIR text to an artifact --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a module into pairs of a function and a target, runs the pipelines on
// each pair in a context of its own, and gathers entries and code. The work of
// a stage is in its pipeline; the content of an entry is in ReadEntry.cpp.
//
//===----------------------------------------------------------------------===//

#include "conv/Pipeline/Compile.h"

#include "ErrorHandlers.h"
#include "ExplainSource.h"
#include "PrintModule.h"
#include "ScheduleSearch.h"

#include "conv/Schedule/DatabaseFile.h"
#include "conv/Support/Exceptions.h"
#include "conv/Support/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <atomic>
#include <mutex>

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

std::optional<Stage> mlir::conv::parseStage(std::string_view name) {
  for (Stage stage : {Stage::Conv, Stage::Linalg, Stage::Tiled, Stage::Gpu,
                      Stage::Llvm, Stage::Binary})
    if (getStageName(stage) == name)
      return stage;
  return std::nullopt;
}

std::string_view mlir::conv::getStageName(Stage stage) {
  constexpr std::string_view kNames[] = {"conv", "linalg", "tiled",
                                         "gpu",  "llvm",   "binary"};
  return kNames[size_t(stage)];
}

std::string mlir::conv::getChipNames() { return ::conv::chipNames(); }

/// Targets by name, each once.
static Result<std::vector<Target>>
parseTargets(const std::vector<std::string> &names) {
  installErrorHandlers();
  std::vector<Target> targets;
  llvm::StringSet<> seen;
  for (const std::string &name : names) {
    Result<Target> target = parseTarget(name);
    if (!target)
      return target.error();
    if (!seen.insert(target->name).second)
      return Error{ErrorKind::BadInput, "expects each target once, but got " +
                                            target->name + " again"};
    targets.push_back(*target);
  }
  if (targets.empty())
    return Error{ErrorKind::BadInput,
                 "expects at least one target, but got none"};
  return targets;
}

namespace {
/// Compiles pairs on several threads. Each result has a place of its own, so
/// that the order of completion does not matter.
class PairQueue {
public:
  explicit PairQueue(const CompileOptions &options) : options(options) {}

  /// `function` and `target` must outlive the queue. `raised` is the walk that
  /// has raised the function, or null.
  void add(const FunctionSource &function, const Target &target,
           std::shared_ptr<Walk> raised) {
    pairs.push_back({&function, &target, std::move(raised)});
  }

  std::vector<Result<CompiledPair>> run();

private:
  struct Pair {
    const FunctionSource *function;
    const Target *target;
    std::shared_ptr<Walk> raised;
  };
  void work(std::vector<std::optional<Result<CompiledPair>>> &results);

  const CompileOptions &options;
  std::vector<Pair> pairs;
  std::atomic<size_t> next = 0;
  size_t finished = 0;
  std::mutex progressMutex;
};
} // namespace

void PairQueue::work(
    std::vector<std::optional<Result<CompiledPair>>> &results) {
  for (size_t i; (i = next++) < pairs.size();) {
    std::optional<Error> thrown = ::conv::catchErrors([&] {
      results[i] = compileBestTry(*pairs[i].function, *pairs[i].target, options,
                                  std::move(pairs[i].raised));
    });
    if (thrown)
      results[i] = *thrown;
    std::lock_guard lock(progressMutex);
    ++finished;
    if (options.progress)
      options.progress(finished, pairs.size());
  }
}

std::vector<Result<CompiledPair>> PairQueue::run() {
  std::vector<std::optional<Result<CompiledPair>>> results(pairs.size());
  size_t threads = std::clamp<size_t>(options.threads, 1, pairs.size());
  std::vector<std::jthread> helpers =
      ::conv::startThreads(threads - 1, [&] { work(results); });
  work(results);
  helpers.clear(); // Joins the threads.
  std::vector<Result<CompiledPair>> all;
  for (std::optional<Result<CompiledPair>> &result : results)
    all.push_back(std::move(*result));
  return all;
}

/// Warnings about a compiled pair. A requested schedule is obeyed even if it
/// spills. PTX costs compile time when the driver first loads it, and nothing
/// is known of its registers.
static std::vector<std::string> listWarnings(const CompiledPair &pair) {
  std::vector<std::string> warnings = pair.warnings;
  if (pair.isAssembly)
    warnings.push_back("there is no assembler for " + pair.entry.target +
                       " here: @" + pair.entry.function + " is stored as " +
                       pair.extension +
                       ", which the driver compiles when it is loaded");
  for (const Spill &spill : pair.spills)
    warnings.push_back("the kernel of @" + pair.entry.function + " for " +
                       pair.entry.target + " has " + describe(spill) +
                       " with the schedule " + spill.schedule.text);
  return warnings;
}

/// Adds what was compiled to the artifact, and to the report if there is one.
static void addPair(CompiledPair &pair, artifact::Artifact &artifact,
                    CompileReport *report) {
  if (report)
    llvm::append_range(report->warnings, listWarnings(pair));
  artifact.addDataOf(pair.data);
  std::string path = artifact.addCode(std::move(pair.code), pair.extension);
  // "code/<sha256>.<extension>"
  size_t begin = path.find('/') + 1;
  std::string digest = path.substr(begin, path.find('.') - begin);
  for (artifact::Launch &launch : pair.entry.launches) {
    launch.code = path;
    launch.sha256 = digest;
  }
  artifact.manifest.entries.push_back(std::move(pair.entry));
  if (report) {
    llvm::append_range(report->times, pair.times);
    report->explanation += pair.explanation;
    report->code += pair.text;
  }
  for (CompiledPair &packing : pair.packing)
    addPair(packing, artifact, report);
}

Result<artifact::Artifact> mlir::conv::compile(const SourceFile &source,
                                               const CompileOptions &options,
                                               CompileReport *report) {
  Result<std::vector<Target>> targets = parseTargets(options.targets);
  if (!targets)
    return targets.error();
  Result<SplitSource> split = splitSource(source, options);
  if (!split)
    return split.error();

  PairQueue queue(options);
  for (const FunctionSource &function : split->functions)
    for (const Target &target : *targets)
      queue.add(function, target, std::exchange(split->raised, nullptr));

  if (report) {
    report->rest = std::move(split->rest);
    report->outlined = std::move(split->outlined);
    report->warnings = std::move(split->remarks);
    llvm::append_range(report->warnings, split->warnings);
  }
  artifact::Artifact artifact;
  artifact.addDataOf(split->data);
  artifact.manifest.compiler = getCompilerVersion();
  for (Result<CompiledPair> &pair : queue.run()) {
    if (!pair)
      return pair.error();
    addPair(*pair, artifact, report);
  }
  return artifact;
}

/// The only target, for output that is one text.
static Result<Target> parseOnlyTarget(const CompileOptions &options) {
  Result<std::vector<Target>> targets = parseTargets(options.targets);
  if (!targets)
    return targets.error();
  if (targets->size() != 1)
    return Error{ErrorKind::BadInput,
                 "expects one target for text output, but got " +
                     std::to_string(targets->size())};
  return targets->front();
}

Result<std::string> mlir::conv::compileToStage(const SourceFile &source,
                                               const CompileOptions &options,
                                               Stage stage) {
  Result<Target> target = parseOnlyTarget(options);
  if (!target)
    return target.error();
  return printModuleAfter(source, *target, options, stage);
}

Result<std::string> mlir::conv::listSchedules(const SourceFile &source,
                                              const CompileOptions &options) {
  Result<Target> target = parseOnlyTarget(options);
  if (!target)
    return target.error();
  return printScheduleSpaces(source, *target, options);
}

Result<std::string> mlir::conv::explain(const SourceFile &source,
                                        const CompileOptions &options) {
  Result<Target> target = parseOnlyTarget(options);
  if (!target)
    return target.error();
  return explainSource(source, *target, options);
}

Result<std::string> mlir::conv::readDatabaseState(const std::string &path) {
  auto file = ::conv::DatabaseFile::open(path);
  if (!file)
    return file.error();
  return (*file)->readState();
}

Result<std::string> mlir::conv::computeCode(const SourceFile &source,
                                            const CompileOptions &options) {
  Result<Target> target = parseOnlyTarget(options);
  if (!target)
    return target.error();
  if (options.schedule.empty())
    return Error{ErrorKind::BadInput, "expects a schedule, but got none"};
  return computeOnlyCode(source, *target, options);
}

Result<std::string> mlir::conv::compileToText(const SourceFile &source,
                                              const CompileOptions &options,
                                              CodeForm form) {
  if (Result<Target> target = parseOnlyTarget(options); !target)
    return target.error();
  CompileOptions printing = options;
  printing.print = form;
  CompileReport report;
  Result<artifact::Artifact> artifact = compile(source, printing, &report);
  if (!artifact)
    return artifact.error();
  return std::move(report.code);
}
