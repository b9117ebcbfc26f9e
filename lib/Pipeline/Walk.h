//===- Walk.h - lowers a module stage by stage ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `Walk` owns a context and a module and runs one pipeline after another on
// the module. An error before the end of the conv stage is the input's fault; a
// later error is a defect of the compiler and is reported as one.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_WALK_H
#define CONV_LIB_PIPELINE_WALK_H

#include "CompilePair.h"
#include "Diagnostics.h"

#include "conv/Pipeline/CheckSource.h"

#include <chrono>

namespace mlir::conv {

struct BackendPipelines;

/// A module on its way down.
class Walk {
public:
  explicit Walk(const SourceFile &source) : Walk(source.name) {
    module = parseSource(source, &context);
  }
  explicit Walk(const IsolatedModule &source)
      : Walk(source.getSourceName().str()) {
    module = source.restore(&context);
  }
  /// Goes on with a module that another walk took to a stage.
  Walk(const IsolatedModule &source, Stage stage) : Walk(source) {
    reached = stage;
    finishedConv = true;
  }

  bool isParsed() const { return bool(module); }
  ModuleOp getModule() { return *module; }
  const std::vector<StageTime> &getTimes() const { return times; }

  LogicalResult checkFunctions();
  void setTarget(const Target &target);
  /// Keeps the cost model from choosing these schedules.
  void exclude(const Exclusion &schedules) { excluded = schedules; }
  /// Lets the cost model use what earlier walks of the same function ranked.
  void setMemo(RankingMemo &rankings) { memo = &rankings; }

  /// Raises the module to functions of convolutions with their epilogues, and
  /// moves their constants to `data`. If outlining is requested, the calling
  /// code goes to `split`.
  LogicalResult raise(const CompileOptions &options,
                      ::conv::artifact::Artifact &data);
  LogicalResult outline(const CompileOptions &options, SplitSource &split);

  /// Runs all pipelines up to and including `last`.
  LogicalResult runTo(Stage last, const CompileOptions &options);

  /// Runs a function as part of the compilation and records its time as `name`.
  template <typename Function>
  auto measure(StringRef name, const Function &function) {
    auto start = std::chrono::steady_clock::now();
    auto result = function();
    std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back({"", "", name.str(), elapsed.count()});
    return result;
  }

  /// The warnings since the last call.
  std::vector<std::string> takeWarnings() { return collector.takeWarnings(); }
  /// The error; after the conv stage it is a defect of the compiler.
  ::conv::Error getError() const;

private:
  explicit Walk(std::string sourceName);

  LogicalResult run(Stage stage, const CompileOptions &options);
  /// The back end of the target, which is set.
  const BackendPipelines &getBackend();

  MLIRContext context;
  DiagnosticCollector collector;
  OwningOpRef<ModuleOp> module;
  std::vector<StageTime> times;
  Exclusion excluded;
  RankingMemo *memo = nullptr;
  std::optional<Stage> reached;
  bool finishedConv = false;
};

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_WALK_H
