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
  Walk walk(source);
  SplitSource split;
  if (!walk.isParsed() ||
      (options.outline && failed(walk.outline(options, split))) ||
      failed(walk.raise(options, split.data)) || failed(walk.checkFunctions()))
    return walk.getError();
  for (auto function : walk.getModule().getOps<func::FuncOp>())
    split.functions.push_back(isolate(function, source.name));
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

/// Whether the only schedule is beyond `limits` and can give way.
static bool exceeds(ArrayRef<ChosenSchedule> schedules, CodeSize size,
                    const CodeLimits &limits) {
  if (schedules.size() != 1 || !schedules.front().byHeuristic)
    return false;
  return schedules.front().stepElements > 0
             ? size.operations > limits.operations
             : limits.onlyStaged;
}

/// Compiles the only function, which has its schedules, to code, unless these
/// are turned down.
static LogicalResult compileScheduled(Walk &walk, const Target &target,
                                      const CompileOptions &options,
                                      const CodeLimits &limits,
                                      ArrayRef<ChosenSchedule> schedules,
                                      CompiledPair &pair) {
  if (failed(walk.runTo(Stage::Gpu, options)))
    return failure();
  pair.codeSize = computeCodeSize(walk.getModule(), target.simulated);
  if (exceeds(schedules, pair.codeSize, limits)) {
    pair.turnedDown = schedules.front();
    return success();
  }
  if (failed(checkCodeSize(walk.getModule(), pair.codeSize)) ||
      failed(readLaunches(getFunction(walk), pair.entry)))
    return failure();
  pair.entry.target = target.name;
  if (failed(walk.runTo(Stage::Llvm, options)) ||
      (options.print &&
       failed(printKernels(walk, target, *options.print, pair))))
    return failure();
  return target.simulated ? createSimulatorObject(walk, target, pair)
                          : createCodeObject(walk, target, options, pair);
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

/// Compiles all but the function that packs filters, which goes to `packing`.
static LogicalResult compilePair(Walk &walk, const Target &target,
                                 const CompileOptions &options,
                                 const CodeLimits &limits, StringRef sourceName,
                                 CompiledPair &pair,
                                 std::optional<FunctionSource> &packing) {
  walk.setTarget(target);
  if (failed(walk.runTo(Stage::Conv, options)) ||
      failed(takeConstants(getFunction(walk), pair.data)) ||
      failed(readProblem(getFunction(walk), pair.entry)))
    return failure();
  packing = takePacking(walk, sourceName, pair);
  pair.warnings = walk.getWarnings();
  if (options.explain != ExplanationForm::None)
    pair.explanation =
        explainFunction(getFunction(walk), target, options.explain);
  std::vector<ChosenSchedule> schedules = listSchedules(getFunction(walk));
  if (failed(compileScheduled(walk, target, options, limits, schedules, pair)))
    return failure();
  if (!target.simulated && !pair.turnedDown)
    pair.spills = findSpills(pair.entry, schedules);
  return success();
}

static void takeTimes(Walk &walk, const std::string &function,
                      const Target &target, CompiledPair &pair) {
  pair.times = walk.getTimes();
  for (StageTime &time : pair.times) {
    time.function = function;
    time.target = target.name;
  }
}

Result<CompiledPair> mlir::conv::compilePair(const FunctionSource &function,
                                             const Target &target,
                                             const CompileOptions &options,
                                             const Exclusion &excluded,
                                             const CodeLimits &limits) {
  Walk walk(function.module);
  walk.exclude(excluded);
  CompiledPair pair;
  std::optional<FunctionSource> packing;
  if (!walk.isParsed() ||
      failed(::compilePair(walk, target, options, limits,
                           function.module.getSourceName(), pair, packing)))
    return walk.getError();
  takeTimes(walk, function.name, target, pair);
  if (packing && !pair.turnedDown) {
    Walk own(packing->module, Stage::Conv);
    CompiledPair &packed = pair.packing.front();
    if (!own.isParsed() || failed(compileScheduled(own, target, options, limits,
                                                   /*schedules=*/{}, packed)))
      return own.getError();
    takeTimes(own, packing->name, target, packed);
  }
  return pair;
}
