//===- Walk.cpp - lowers a module stage by stage --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walk.h"

#include "BackendPipelines.h"
#include "CodeDigest.h"
#include "TakeConstants.h"
#include "TakeRest.h"

#include "conv/Artifact/Manifest.h"
#include "conv/Backend/NVPTX.h"
#include "conv/Backend/TemporaryFile.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Pipeline/Pipelines.h"
#include "conv/Plan/PrepackFilter.h"
#include "conv/Schedule/DeviceChip.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

static DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

Walk::Walk(std::string sourceName)
    : context(createRegistry(), MLIRContext::Threading::DISABLED),
      collector(&context, std::move(sourceName)) {
  // The target attribute needs the dialect, even if there is no `conv` op.
  context.loadDialect<ConvDialect>();
  // An error is one line, but the text of an op may be arbitrarily long.
  context.printOpOnDiagnostic(false);
}

/// Marks an error after the conv stage as a defect, unless it is a refusal or
/// something that the machine lacks.
static Error defect(Error error) {
  StringRef message = error.message;
  bool isMachine =
      message.contains(kNoCudaToolkit) || message.contains(kNoTemporaryFile);
  if (error.kind == ErrorKind::System && !isMachine)
    error.message += " (a defect of the compiler, not of the input)";
  return error;
}

Error Walk::getError() const {
  if (finishedConv)
    return defect(collector.getError(ErrorKind::System, "a stage failed"));
  return collector.getError(ErrorKind::BadInput, "a stage failed");
}

/// Function names become symbols of code objects and names in manifests, with a
/// number appended.
static bool isSymbolName(StringRef name) {
  constexpr size_t kMaxLength = 1024;
  return !name.empty() && name.size() <= kMaxLength &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' ||
                  c == '-';
         });
}

/// Refuses early what a manifest cannot express (docs/artifact.md).
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

/// Only the function that packs filters may say so: what it needs of arguments
/// is true of those that `conv-prepack-filter` has made.
static LogicalResult checkNotPacked(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (Attribute by =
            function.getArgAttr(argument.getArgNumber(), kPackedByAttr))
      return emitError(argument.getLoc())
             << "expects an argument without " << kPackedByAttr
             << ", which conv-prepack-filter sets, but got " << by;
  return success();
}

LogicalResult Walk::raise(const CompileOptions &options,
                          artifact::Artifact &data) {
  PassManager manager(&context, ModuleOp::getOperationName());
  buildRaisePipeline(manager);
  if (failed(manager.run(*module)))
    return failure();
  for (auto function : module->getOps<func::FuncOp>()) {
    if (failed(checkNotPacked(function)))
      return failure();
    if (options.externalizeConstants)
      externalizeConstants(function);
    if (failed(takeConstants(function, data)) ||
        (options.prepacksFilters && failed(requestPrepacking(function))))
      return failure();
  }
  return success();
}

const BackendPipelines &Walk::getBackend() {
  TargetAttr target = TargetAttr::lookup(*module);
  assert(target && "setTarget comes first");
  return getBackendPipelines(target.getInfo().backend);
}

LogicalResult Walk::run(Stage stage, const CompileOptions &options) {
  PassManager manager(&context, ModuleOp::getOperationName());
  switch (stage) {
  case Stage::Conv: {
    if (options.secondCacheBytes > 0)
      setSecondCacheBytes(*module, options.secondCacheBytes);
    LowerToConvOptions convOptions;
    convOptions.schedule = options.schedule;
    convOptions.algorithm = options.algorithm;
    convOptions.database = findDatabase(options.database, *module);
    convOptions.compiler = getCompilerVersion().fingerprint;
    convOptions.usesStale = options.usesStaleSchedules;
    convOptions.computeUnits = options.computeUnits;
    convOptions.maxError = options.maxError;
    convOptions.maxWorkspace = options.maxWorkspaceBytes;
    convOptions.exclude = ArrayRef(excluded.spilled);
    convOptions.stepElements = excluded.stepElements;
    buildLowerToConvPipeline(manager, convOptions, computeCodeForTarget, memo);
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
    buildLowerToLlvmPipeline(manager, getBackend());
    break;
  case Stage::Binary:
    buildLowerToBinaryPipeline(manager, getBackend());
    break;
  }
  // What users give is checked after each pass. Kernels are large, and come
  // from the compiler alone: their stages are checked where they end.
  bool checksEachPass = stage == Stage::Conv;
  manager.enableVerifier(checksEachPass);
  if (failed(manager.run(*module)))
    return failure();
  return checksEachPass ? success() : verify(*module);
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
