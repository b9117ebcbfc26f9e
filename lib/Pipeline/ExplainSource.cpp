//===- ExplainSource.cpp - explains a whole module ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainSource.h"

#include "ExplainFunction.h"
#include "Walk.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::Error;
using ::conv::Result;

std::string mlir::conv::explainTiled(Walk &walk, StringRef function,
                                     const Target &target,
                                     const CompileOptions &options) {
  if (!target.chip->hasDependentLaunch())
    return "";
  if (failed(walk.runTo(Stage::Tiled, options)))
    return explainFailure("launches of ", function, target, walk.getError(),
                          options.explain);
  std::string text;
  for (auto tiled : walk.getModule().getOps<func::FuncOp>())
    text += explainLaunches(tiled, target, options.explain);
  return text;
}

/// Explains one function, which is raised, and the one that packs its filters.
static Result<std::string> explainOne(Walk &walk, StringRef name,
                                      const Target &target,
                                      const CompileOptions &options) {
  if (!walk.isParsed())
    return walk.getError();
  walk.setTarget(target);
  if (failed(walk.runTo(Stage::Conv, options)))
    return walk.getError();
  std::string text;
  for (auto function : walk.getModule().getOps<func::FuncOp>())
    text += explainFunction(function, target, options.explain);
  return text + explainTiled(walk, name, target, options);
}

Result<std::string> mlir::conv::explainSource(const SourceFile &source,
                                              const Target &target,
                                              const CompileOptions &options) {
  Result<SplitSource> split = splitSource(source, options);
  if (!split)
    return split.error();
  std::string text;
  std::optional<Error> firstError;
  bool isAnyExplained = false;
  for (const FunctionSource &function : split->functions) {
    std::shared_ptr<Walk> walk = std::exchange(split->raised, nullptr);
    if (!walk)
      walk = std::make_shared<Walk>(function.module);
    Result<std::string> own = explainOne(*walk, function.name, target, options);
    if (own) {
      isAnyExplained = true;
      text += *own;
      continue;
    }
    text +=
        explainFailure("", function.name, target, own.error(), options.explain);
    if (!firstError)
      firstError = own.error();
  }
  if (!isAnyExplained)
    return *firstError;
  return text;
}
