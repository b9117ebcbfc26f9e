//===- CompilePair.cpp - one function for one target ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilePair.h"

#include "BackendPipelines.h"
#include "ExplainFunction.h"
#include "PrintModule.h"
#include "ReadEntry.h"
#include "TakeConstants.h"
#include "Walk.h"

#include "conv/Backend/Sim.h"
#include "conv/Chip/TargetName.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

Result<Target> mlir::conv::parseTarget(const std::string &name) {
  Result<::conv::TargetName> target = ::conv::parseTargetName(name);
  if (!target)
    return target.error();
  if (target->simulated && !target->chip->runnable)
    return Error{ErrorKind::Unsupported,
                 ("unsupported (" + getReasonName(Reason::NotRunnable) +
                  "): expects a chip that the simulator executes, but got " +
                  target->chip->name)
                     .str()};
  return Target{target->name, target->chip, target->simulated};
}

/// Moves `function` to a module of its own.
static FunctionSource isolate(func::FuncOp function, StringRef sourceName) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> own = ModuleOp::create(module.getLoc());
  (*own)->setAttrs(module->getAttrs());
  own->push_back(function.clone());
  return {function.getName().str(), IsolatedModule::create(*own, sourceName)};
}

Result<SplitSource> mlir::conv::splitSource(const SourceFile &source,
                                            const CompileOptions &options) {
  auto walk = std::make_shared<Walk>(source);
  SplitSource split;
  if (!walk->isParsed() ||
      (options.outline && failed(walk->outline(options, split))) ||
      failed(walk->raise(options, split.data)) ||
      failed(walk->checkFunctions()))
    return walk->getError();
  for (auto function : walk->getModule().getOps<func::FuncOp>())
    split.functions.push_back(isolate(function, source.name));
  // A walk that goes on must not repeat them for its function and target.
  split.warnings = walk->takeWarnings();
  if (split.functions.size() == 1)
    split.raised = std::move(walk);
  return split;
}

/// Compiles for a GPU or the host: the code object and its kernels' resources.
static LogicalResult createCodeObject(Walk &walk, const Target &target,
                                      const CompileOptions &options,
                                      CompiledPair &pair) {
  if (failed(walk.runTo(Stage::Binary, options)))
    return failure();
  auto binary = *walk.getModule().getOps<gpu::BinaryOp>().begin();
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  pair.code = object.getObject().str();
  pair.isAssembly = object.getFormat() == gpu::CompilationTarget::Assembly;
  const BackendPipelines &backend = getBackendPipelines(target.chip->backend);
  pair.extension =
      (pair.isAssembly ? backend.assemblyExtension : backend.codeExtension)
          .str();
  return backend.hasKernelMetadata ? readResources(binary, pair.entry)
                                   : success();
}

/// Compiles the same kernels for the simulator.
static LogicalResult createSimulatorObject(Walk &walk, const Target &target,
                                           CompiledPair &pair) {
  auto module = *walk.getModule().getOps<gpu::GPUModuleOp>().begin();
  FailureOr<std::string> object = walk.measure("simulator", [&] {
    return compileForSimulator(module, target.chip->name);
  });
  if (failed(object))
    return failure();
  pair.code = std::move(*object);
  pair.extension = "so";
  return success();
}

static LogicalResult printKernels(Walk &walk, const Target &target,
                                  CodeForm form, CompiledPair &pair) {
  FailureOr<std::string> text = printCode(walk.getModule(), target, form);
  if (failed(text))
    return failure();
  pair.text = std::move(*text);
  return success();
}

static func::FuncOp getFunction(Walk &walk) {
  return *walk.getModule().getOps<func::FuncOp>().begin();
}

/// Compiles the only function, whose kernels are built, to code.
static LogicalResult compileKernels(Walk &walk, const Target &target,
                                    const CompileOptions &options,
                                    CompiledPair &pair) {
  if (failed(checkCodeSize(walk.getModule(), pair.codeSize)) ||
      failed(readLaunches(getFunction(walk), pair.entry)))
    return failure();
  if (failed(walk.runTo(Stage::Llvm, options)) ||
      (options.print &&
       failed(printKernels(walk, target, *options.print, pair))))
    return failure();
  return target.simulated ? createSimulatorObject(walk, target, pair)
                          : createCodeObject(walk, target, options, pair);
}

/// Builds the kernels of the only function, which has its schedules.
static LogicalResult buildKernels(Walk &walk, const Target &target,
                                  const CompileOptions &options,
                                  CompiledPair &pair) {
  if (failed(walk.runTo(Stage::Gpu, options)))
    return failure();
  pair.entry.target = target.name;
  pair.codeSize = computeCodeSize(walk.getModule(), target.simulated);
  return success();
}

/// Takes the function that packs filters for the first one, if there is one, to
/// a module of its own.
static std::optional<FunctionSource>
takePacking(Walk &walk, StringRef sourceName, CompiledPair &pair) {
  auto functions = llvm::to_vector(walk.getModule().getOps<func::FuncOp>());
  if (functions.size() == 1)
    return std::nullopt;
  func::FuncOp packing = functions[1];
  readPacking(packing, functions[0], pair.entry,
              pair.packing.emplace_back().entry);
  FunctionSource source = isolate(packing, sourceName);
  packing.erase();
  return source;
}

/// Builds the kernels of all but the function that packs filters.
static LogicalResult lower(const Target &target, const CompileOptions &options,
                           StringRef sourceName, LoweredPair &lowered) {
  Walk &walk = *lowered.walk;
  CompiledPair &pair = lowered.pair;
  walk.setTarget(target);
  if (failed(walk.runTo(Stage::Conv, options)) ||
      failed(takeConstants(getFunction(walk), pair.data)) ||
      failed(readProblem(getFunction(walk), pair.entry)))
    return failure();
  lowered.packing = takePacking(walk, sourceName, pair);
  pair.warnings = walk.takeWarnings();
  lowered.schedules = listSchedules(getFunction(walk));
  if (options.explain != ExplanationForm::None) {
    pair.explanation =
        explainFunction(getFunction(walk), target, options.explain);
    // If this fails, so does the rest. `explain` says so for each function.
    if (failed(walk.runTo(Stage::Tiled, options)))
      return failure();
    pair.explanation +=
        explainLaunches(getFunction(walk), target, options.explain);
  }
  return buildKernels(walk, target, options, pair);
}

/// The times of a walk, with the names of the pair.
static std::vector<StageTime> getTimes(const Walk &walk,
                                       const artifact::Entry &entry) {
  std::vector<StageTime> times = walk.getTimes();
  for (StageTime &time : times) {
    time.function = entry.function;
    time.target = entry.target;
  }
  return times;
}

const ChosenSchedule *LoweredPair::getReplaceable() const {
  return schedules.size() == 1 && schedules.front().byHeuristic
             ? &schedules.front()
             : nullptr;
}

std::vector<StageTime> LoweredPair::getTimes() const {
  return ::getTimes(*walk, pair.entry);
}

Result<LoweredPair>
mlir::conv::lowerPair(const FunctionSource &function, const Target &target,
                      const CompileOptions &options, const Exclusion &excluded,
                      RankingMemo &memo, std::shared_ptr<Walk> raised) {
  LoweredPair lowered;
  lowered.walk =
      raised ? std::move(raised) : std::make_shared<Walk>(function.module);
  lowered.walk->exclude(excluded);
  lowered.walk->setMemo(memo);
  if (!lowered.walk->isParsed() ||
      failed(lower(target, options, function.module.getSourceName(), lowered)))
    return lowered.walk->getError();
  return lowered;
}

/// Compiles the function that packs filters.
static LogicalResult compilePacking(Walk &walk, const Target &target,
                                    const CompileOptions &options,
                                    CompiledPair &pair) {
  if (!walk.isParsed() || failed(buildKernels(walk, target, options, pair)) ||
      failed(compileKernels(walk, target, options, pair)))
    return failure();
  pair.times = getTimes(walk, pair.entry);
  return success();
}

Result<CompiledPair> mlir::conv::compilePair(LoweredPair lowered,
                                             const Target &target,
                                             const CompileOptions &options) {
  Walk &walk = *lowered.walk;
  CompiledPair &pair = lowered.pair;
  if (failed(compileKernels(walk, target, options, pair)))
    return walk.getError();
  if (!target.simulated)
    pair.spills = findSpills(pair.entry, lowered.schedules);
  pair.times = lowered.getTimes();
  if (lowered.packing) {
    Walk own(lowered.packing->module, Stage::Conv);
    if (failed(compilePacking(own, target, options, pair.packing.front())))
      return own.getError();
  }
  return std::move(pair);
}
