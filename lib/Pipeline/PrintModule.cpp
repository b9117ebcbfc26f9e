//===- PrintModule.cpp - a module as text ---------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintModule.h"

#include "BackendPipelines.h"
#include "CodeDigest.h"
#include "Walk.h"

#include "conv/Schedule/ScheduleSpace.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;
using ::conv::Error;
using ::conv::ErrorKind;
using ::conv::Result;

/// Parses a module and lowers it to `stage`.
static LogicalResult walkModule(Walk &walk, const Target &target,
                                const CompileOptions &options, Stage stage) {
  artifact::Artifact data; // Dropped: text has digests.
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
      // Launches do not depend on the schedule, nor on how its text is spelled.
      op.walk(
          [](gpu::LaunchFuncOp launch) { launch->removeAttr(kScheduleName); });
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

FailureOr<std::string>
mlir::conv::printCode(ModuleOp module, const Target &target, CodeForm form) {
  const BackendPipelines &backend = getBackendPipelines(target.chip->backend);
  std::string text;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    FailureOr<std::string> part = form == CodeForm::Assembly
                                      ? backend.compileToAssembly(kernels)
                                      : translateToLLVM(kernels);
    if (failed(part))
      return failure();
    text += *part;
  }
  return text;
}
