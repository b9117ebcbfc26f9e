//===- CompilePair.cpp - one function for one target ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `Walk` owns a context and a module and runs one pipeline after another on
// it. What goes wrong before the conv stage has ended is the input's fault;
// afterwards it is a defect of the compiler, and said to be one.
//
//===----------------------------------------------------------------------===//

#include "CompilePair.h"

#include "BackendPipelines.h"
#include "CodeDigest.h"
#include "Diagnostics.h"
#include "ReadEntry.h"
#include "TakeConstants.h"
#include "TakeRest.h"

#include "conv/Artifact/Manifest.h"
#include "conv/Backend/NVPTX.h"
#include "conv/Backend/Sim.h"
#include "conv/Backend/TemporaryFile.h"
#include "conv/Chip/TargetName.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Pipeline/CheckSource.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Schedule/Explain.h"
#include "conv/Schedule/ScheduleSpace.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <chrono>

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

namespace {
using Milliseconds = std::chrono::duration<double, std::milli>;

DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

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

  bool isParsed() const { return bool(module); }
  ModuleOp getModule() { return *module; }
  const std::vector<StageTime> &getTimes() const { return times; }

  LogicalResult checkFunctions();
  void setTarget(const Target &target);
  /// Keeps the cost model from choosing schedules.
  void exclude(ArrayRef<std::string> schedules) {
    llvm::append_range(excluded, schedules);
  }

  /// Makes the module functions of convolutions with their epilogues, and moves
  /// their constants to `data`; what they are called by, to `split`, if it is
  /// to be outlined.
  LogicalResult raise(const CompileOptions &options, artifact::Artifact &data);
  LogicalResult outline(const CompileOptions &options, SplitSource &split);

  /// Runs all pipelines up to and including `last`.
  LogicalResult runTo(Stage last, const CompileOptions &options);

  /// Runs anything as part of the walk and notes its time under `name`.
  template <typename Function>
  auto measure(StringRef name, const Function &function) {
    auto start = std::chrono::steady_clock::now();
    auto result = function();
    Milliseconds elapsed = std::chrono::steady_clock::now() - start;
    times.push_back({"", "", name.str(), elapsed.count()});
    return result;
  }

  const std::vector<std::string> &getWarnings() const {
    return collector.getWarnings();
  }
  Error getError() const {
    if (finishedConv)
      return defect(collector.getError(ErrorKind::System, "a stage failed"));
    return collector.getError(ErrorKind::BadInput, "a stage failed");
  }

private:
  explicit Walk(std::string sourceName)
      : context(createRegistry(), MLIRContext::Threading::DISABLED),
        collector(&context, std::move(sourceName)) {
    // The target is an attribute of it, also where the input has no `conv` op.
    context.loadDialect<ConvDialect>();
    // An error is one line; the text of an op may have no end.
    context.printOpOnDiagnostic(false);
  }

  LogicalResult run(Stage stage, const CompileOptions &options);

  /// Marks an error after the conv stage, unless it is a refusal or what the
  /// machine lacks.
  static Error defect(Error error) {
    StringRef message = error.message;
    bool isMachine =
        message.contains(kNoCudaToolkit) || message.contains(kNoTemporaryFile);
    if (error.kind == ErrorKind::System && !isMachine)
      error.message += " (a defect of the compiler, not of the input)";
    return error;
  }

  MLIRContext context;
  DiagnosticCollector collector;
  OwningOpRef<ModuleOp> module;
  std::vector<StageTime> times;
  std::vector<std::string> excluded;
  std::optional<Stage> reached;
  bool finishedConv = false;
};
} // namespace

/// Function names become symbols of code objects and names in manifests, with a
/// number behind them.
static bool isSymbolName(StringRef name) {
  constexpr size_t kMaxLength = 1024;
  return !name.empty() && name.size() <= kMaxLength &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' ||
                  c == '-';
         });
}

/// Refuses early what a manifest has no room for (docs/artifact.md).
static LogicalResult checkArguments(func::FuncOp function) {
  int64_t count = function.getNumArguments() + function.getNumResults();
  if (count > artifact::kMaxArguments)
    return emitUnsupported(function.getLoc(), Reason::Signature)
           << "expects at most " << artifact::kMaxArguments
           << " arguments and results, but got " << count;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getRank() > artifact::kMaxRank)
      return emitUnsupported(function.getLoc(), Reason::Signature)
             << "expects at most " << artifact::kMaxRank
             << " dimensions, but got " << tensor.getRank();
  return success();
}

LogicalResult Walk::checkFunctions() {
  if (module->getBody()->empty())
    return module->emitError("expects at least one function, but got none");
  for (Operation &op : *module->getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return emitUnsupported(op.getLoc(), Reason::NotFusable)
             << "expects only functions in a module, but got " << op.getName();
    if (function.isDeclaration())
      return emitUnsupported(op.getLoc(), Reason::NotFusable)
             << "expects functions with a body, but got the declaration of @"
             << function.getName();
    if (!isSymbolName(function.getName()))
      return function.emitError("expects a function name of 1 to 1024 letters, "
                                "digits, '_', '.', '$' and '-', but got \"")
             << function.getName().take_front(40) << "\"";
    if (failed(checkArguments(function)))
      return failure();
    WalkResult calls = function.walk([](func::CallOp call) -> WalkResult {
      return emitUnsupported(call.getLoc(), Reason::NotFusable)
             << "expects no calls, but got one of @" << call.getCallee();
    });
    if (calls.wasInterrupted())
      return failure();
  }
  return success();
}

void Walk::setTarget(const Target &target) {
  (*module)->setAttr(TargetAttr::kName,
                     TargetAttr::get(&context, target.chip->name));
}

LogicalResult Walk::outline(const CompileOptions &options, SplitSource &split) {
  PassManager manager(&context, ModuleOp::getOperationName());
  OutlineOptions outlineOptions;
  outlineOptions.passConstants = options.externalizeConstants;
  for (const std::string &name : options.targets)
    if (Result<Target> target = parseTarget(name))
      outlineOptions.chips.push_back(std::string(target->chip->name));
  buildOutlinePipeline(manager, outlineOptions);
  if (failed(manager.run(*module)))
    return failure();
  split.rest = takeRest(*module);
  split.outlined = listOutlined(*module);
  split.remarks = collector.getRemarks();
  if (!split.outlined.empty())
    return success();
  InFlightDiagnostic error =
      module->emitError("expects convolutions to outline, but got ");
  if (split.remarks.empty())
    return error << "none";
  return error << "none that is supported: " << split.remarks.front();
}

LogicalResult Walk::raise(const CompileOptions &options,
                          artifact::Artifact &data) {
  PassManager manager(&context, ModuleOp::getOperationName());
  buildRaisePipeline(manager);
  if (failed(manager.run(*module)))
    return failure();
  for (auto function : module->getOps<func::FuncOp>()) {
    if (options.externalizeConstants)
      externalizeConstants(function);
    if (failed(takeConstants(function, data)))
      return failure();
  }
  return success();
}

LogicalResult Walk::run(Stage stage, const CompileOptions &options) {
  PassManager manager(&context, ModuleOp::getOperationName());
  switch (stage) {
  case Stage::Conv: {
    LowerToConvOptions convOptions;
    convOptions.schedule = options.schedule;
    convOptions.algorithm = options.algorithm;
    convOptions.database = findDatabase(options.database, *module);
    convOptions.compiler = getCompilerVersion().fingerprint;
    convOptions.usesStale = options.usesStaleSchedules;
    convOptions.computeUnits = options.computeUnits;
    convOptions.maxWorkspace = options.maxWorkspaceBytes;
    convOptions.exclude = ArrayRef(excluded);
    buildLowerToConvPipeline(manager, convOptions, computeCodeForTarget);
    break;
  }
  case Stage::Linalg:
    buildLowerToLinalgPipeline(manager);
    break;
  case Stage::Tiled:
    buildLowerToTiledPipeline(manager);
    break;
  case Stage::Gpu:
    buildLowerToGpuPipeline(manager);
    break;
  case Stage::Llvm:
    buildLowerToLlvmPipeline(manager);
    break;
  case Stage::Binary:
    buildLowerToBinaryPipeline(manager, LowerToBinaryOptions());
    break;
  }
  return manager.run(*module);
}

LogicalResult Walk::runTo(Stage last, const CompileOptions &options) {
  for (int next = reached ? int(*reached) + 1 : 0; next <= int(last); ++next) {
    Stage stage = Stage(next);
    if (failed(
            measure(getStageName(stage), [&] { return run(stage, options); })))
      return failure();
    reached = stage;
    finishedConv = true;
  }
  return success();
}

/// `function` in a module of its own.
static FunctionSource isolate(func::FuncOp function, const SourceFile &source) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> own = ModuleOp::create(module.getLoc());
  (*own)->setAttrs(module->getAttrs());
  own->push_back(function.clone());
  return {function.getName().str(), IsolatedModule::create(*own, source.name)};
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
    split.functions.push_back(isolate(function, source));
  return split;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Compiles for a GPU or the host: the code object, and what its kernels use.
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
                                           const CompileOptions &options,
                                           CompiledPair &pair) {
  if (failed(walk.runTo(Stage::Llvm, options)))
    return failure();
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

static int64_t countBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    bytes += tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
  }
  return bytes;
}

/// What an element-wise kernel moves. Its result has the type of its init.
static int64_t countBytes(linalg::GenericOp op) {
  return countBytes(op->getOperandTypes());
}

static int64_t countBytes(tensor::ConcatOp op) {
  return countBytes(op->getOperandTypes()) + countBytes(op->getResultTypes());
}

static int64_t countOperations(linalg::GenericOp op) {
  return llvm::range_size(op.getBody()->without_terminator());
}

/// What was decided for one kernel, if the operation becomes one.
static std::optional<std::string> explainAsText(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    explainSchedule(convolution, os);
  else if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    explainDynamic(dynamic, os);
  else if (auto state = dyn_cast<StateOpInterface>(op))
    explainState(state, os);
  else if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    os << "element-wise kernel of " << countOperations(elementwise)
       << " operations, which moves " << countBytes(elementwise) << " bytes\n";
  else if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    os << "concatenation of " << concatenation.getInputs().size()
       << " tensors, which moves " << countBytes(concatenation) << " bytes\n";
  else
    return std::nullopt;
  return text;
}

static std::optional<llvm::json::Object> explainAsJson(Operation &op) {
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return explainScheduleAsJson(convolution);
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return explainDynamicAsJson(dynamic);
  if (auto state = dyn_cast<StateOpInterface>(op))
    return explainStateAsJson(state);
  if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    return llvm::json::Object{
        {"elementwise_operations", countOperations(elementwise)},
        {"memory_bytes", countBytes(elementwise)}};
  if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    return llvm::json::Object{
        {"concatenated", int64_t(concatenation.getInputs().size())},
        {"memory_bytes", countBytes(concatenation)}};
  return std::nullopt;
}

/// What was decided for each kernel of a function at the conv stage.
static std::string explainFunction(func::FuncOp function, const Target &target,
                                   ExplanationForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : function.getOps()) {
    if (form == ExplanationForm::Json) {
      std::optional<llvm::json::Object> json = explainAsJson(op);
      if (!json)
        continue;
      (*json)["function"] = function.getName();
      (*json)["target"] = target.name;
      stream << llvm::json::Value(std::move(*json)) << "\n";
    } else if (std::optional<std::string> kernel = explainAsText(op)) {
      stream << "@" << function.getName() << " for " << target.name << "\n"
             << *kernel << "\n";
    }
  }
  return text;
}

static LogicalResult compilePair(Walk &walk, const Target &target,
                                 const CompileOptions &options,
                                 CompiledPair &pair) {
  auto getFunction = [&] {
    return *walk.getModule().getOps<func::FuncOp>().begin();
  };
  walk.setTarget(target);
  if (failed(walk.runTo(Stage::Conv, options)) ||
      failed(takeConstants(getFunction(), pair.data)) ||
      failed(readProblem(getFunction(), pair.entry)))
    return failure();
  pair.warnings = walk.getWarnings();
  if (options.explain != ExplanationForm::None)
    pair.explanation = explainFunction(getFunction(), target, options.explain);
  std::vector<ChosenSchedule> schedules = listSchedules(getFunction());
  if (failed(walk.runTo(Stage::Gpu, options)))
    return failure();
  pair.codeSize = computeCodeSize(walk.getModule(), target.simulated);
  if (failed(checkCodeSize(walk.getModule(), pair.codeSize)) ||
      failed(readLaunches(getFunction(), pair.entry)))
    return failure();
  pair.entry.target = target.name;
  if (target.simulated)
    return createSimulatorObject(walk, target, options, pair);
  if (failed(createCodeObject(walk, target, options, pair)))
    return failure();
  pair.spills = findSpills(pair.entry, schedules);
  return success();
}

Result<CompiledPair> mlir::conv::compilePair(const FunctionSource &function,
                                             const Target &target,
                                             const CompileOptions &options,
                                             ArrayRef<std::string> excluded) {
  Walk walk(function.module);
  walk.exclude(excluded);
  CompiledPair pair;
  if (!walk.isParsed() || failed(::compilePair(walk, target, options, pair)))
    return walk.getError();
  pair.times = walk.getTimes();
  for (StageTime &time : pair.times) {
    time.function = function.name;
    time.target = target.name;
  }
  return pair;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses a module and runs it down to `stage`.
static LogicalResult walkModule(Walk &walk, const Target &target,
                                const CompileOptions &options, Stage stage) {
  artifact::Artifact data; // Text has digests.
  if (!walk.isParsed() || failed(walk.raise(options, data)) ||
      failed(walk.checkFunctions()))
    return failure();
  walk.setTarget(target);
  return walk.runTo(stage, options);
}

Result<std::string> mlir::conv::printModuleAfter(const SourceFile &source,
                                                 const Target &target,
                                                 const CompileOptions &options,
                                                 Stage stage) {
  Walk walk(source);
  if (failed(walkModule(walk, target, options, stage)))
    return walk.getError();
  std::string text;
  llvm::raw_string_ostream(text) << walk.getModule() << "\n";
  return text;
}

Result<std::string>
mlir::conv::printScheduleSpaces(const SourceFile &source, const Target &target,
                                const CompileOptions &options) {
  Walk walk(source);
  if (failed(walkModule(walk, target, options, Stage::Conv)))
    return walk.getError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  walk.getModule().walk(
      [&](ConvolutionOpInterface op) { printScheduleSpace(op, stream); });
  return text;
}

Result<std::string>
mlir::conv::printExplanation(const SourceFile &source, const Target &target,
                             const CompileOptions &options) {
  Walk walk(source);
  if (failed(walkModule(walk, target, options, Stage::Conv)))
    return walk.getError();
  std::string text;
  for (auto function : walk.getModule().getOps<func::FuncOp>())
    text += explainFunction(function, target, options.explain);
  return text;
}

static FailureOr<std::string> translateToLLVM(gpu::GPUModuleOp module) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << *translated;
  return text;
}

Result<std::string> mlir::conv::printKernels(const SourceFile &source,
                                             const Target &target,
                                             const CompileOptions &options) {
  Walk walk(source);
  if (failed(walkModule(walk, target, options, Stage::Llvm)))
    return walk.getError();
  const BackendPipelines &backend = getBackendPipelines(target.chip->backend);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation &op : *walk.getModule().getBody()) {
    auto module = dyn_cast<gpu::GPUModuleOp>(op);
    if (!module) {
      os << op << "\n";
      continue;
    }
    FailureOr<std::string> assembly = backend.compileToAssembly(module);
    if (failed(assembly))
      return walk.getError();
    os << *assembly;
  }
  return text;
}

Result<std::string> mlir::conv::computeOnlyCode(const SourceFile &source,
                                                const Target &target,
                                                const CompileOptions &options) {
  Walk walk(source);
  artifact::Artifact data;
  if (!walk.isParsed() || failed(walk.raise(options, data)) ||
      failed(walk.checkFunctions()))
    return walk.getError();
  walk.setTarget(target);
  std::vector<ConvolutionOpInterface> found;
  walk.getModule().walk(
      [&](ConvolutionOpInterface op) { found.push_back(op); });
  if (found.size() != 1)
    return Error{ErrorKind::BadInput, "expects one convolution, but got " +
                                          std::to_string(found.size())};
  return computeCodeDigest(found.front(), options.schedule, target);
}

Result<std::string> mlir::conv::printCode(const SourceFile &source,
                                          const Target &target,
                                          const CompileOptions &options,
                                          CodeForm form) {
  Walk walk(source);
  if (failed(walkModule(walk, target, options, Stage::Llvm)))
    return walk.getError();
  const BackendPipelines &backend = getBackendPipelines(target.chip->backend);
  std::string text;
  for (auto module : walk.getModule().getOps<gpu::GPUModuleOp>()) {
    FailureOr<std::string> part = form == CodeForm::Assembly
                                      ? backend.compileToAssembly(module)
                                      : translateToLLVM(module);
    if (failed(part))
      return walk.getError();
    text += *part;
  }
  return text;
}
