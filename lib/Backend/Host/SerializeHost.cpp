//===- SerializeHost.cpp - gpu.module to a shared library -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything runs in process. Kernels are already vectorised, so LLVM's own
// vectorisers are off: they would only search for work in remainders.
//
//===----------------------------------------------------------------------===//

#include "../HostMachine.h"
#include "../LinkElf.h"
#include "../TargetCheck.h"
#include "conv/Backend/Host.h"
#include "conv/Backend/Passes.h"
#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

namespace mlir::conv {
#define GEN_PASS_DEF_SERIALIZEHOSTPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// The optimised code of `module` in `format`.
static llvm::Expected<SmallVector<char, 0>>
compile(gpu::GPUModuleOp module, llvm::CodeGenFileType format) {
  CodeGenerationLock lock;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!translated)
    return llvm::createStringError("cannot be translated to LLVM IR");
  const ::conv::HostProcessor &processor =
      *TargetAttr::lookup(module).getInfo().processor;
  auto machine = createHostMachine(processor.level, processor.features,
                                   llvm::CodeGenOptLevel::Aggressive);
  if (!machine)
    return machine.takeError();
  translated->setTargetTriple((*machine)->getTargetTriple());
  translated->setDataLayout((*machine)->createDataLayout());
  optimize(*translated, **machine);
  return emitHostCode(*translated, **machine, format);
}

/// Whether an object calls functions of libm. Fails if it needs functions that
/// neither libc nor libm has, such as LLVM's own runtime library.
static llvm::Expected<bool> needsMath(ArrayRef<char> object) {
  auto needed = listNeededFunctions(object);
  if (!needed)
    return needed.takeError();
  llvm::TargetLibraryInfoImpl libraries{llvm::Triple(kHostTriple)};
  for (StringRef name : *needed) {
    llvm::LibFunc function;
    if (!libraries.getLibFunc(name, function))
      return llvm::createStringError("needs function '" + name +
                                     "', which the host does not have");
  }
  return !needed->empty();
}

FailureOr<std::string>
mlir::conv::compileToHostAssembly(gpu::GPUModuleOp module) {
  auto text = compile(module, llvm::CodeGenFileType::AssemblyFile);
  if (!text)
    return module.emitOpError() << llvm::toString(text.takeError());
  return StringRef(text->data(), text->size()).str();
}

FailureOr<std::string> mlir::conv::compileForHost(gpu::GPUModuleOp module) {
  auto object = compile(module, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return module.emitOpError() << llvm::toString(object.takeError());
  llvm::Expected<bool> math = needsMath(*object);
  if (!math)
    return module.emitOpError() << llvm::toString(math.takeError());
  return linkShared(
      *object, [&] { return module.emitOpError(); }, *math ? "libm.so.6" : "");
}

namespace {
/// Makes `#conv.target<"host">` a target that `gpu.binary` accepts.
struct HostTargetModel final
    : gpu::TargetAttrInterface::FallbackModel<HostTargetModel> {
  std::optional<SmallVector<char, 0>>
  serializeToObject(Attribute, Operation *module,
                    const gpu::TargetOptions &) const {
    FailureOr<std::string> object =
        compileForHost(cast<gpu::GPUModuleOp>(module));
    if (failed(object))
      return std::nullopt;
    return SmallVector<char, 0>(object->begin(), object->end());
  }

  Attribute createObject(Attribute attribute, Operation *,
                         const SmallVector<char, 0> &object,
                         const gpu::TargetOptions &) const {
    StringRef bytes(object.data(), object.size());
    return gpu::ObjectAttr::get(attribute, gpu::CompilationTarget::Binary,
                                StringAttr::get(attribute.getContext(), bytes));
  }
};
} // namespace

void mlir::conv::registerHostTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registry.addExtension(+[](MLIRContext *context, ConvDialect *) {
    TargetAttr::attachInterface<HostTargetModel>(*context);
  });
}

/// Replaces `module` by its binary.
static LogicalResult serialize(gpu::GPUModuleOp module) {
  auto target =
      cast<gpu::TargetAttrInterface>(Attribute(TargetAttr::lookup(module)));
  gpu::TargetOptions options;
  std::optional<SmallVector<char, 0>> object =
      target.serializeToObject(module, options);
  if (!object)
    return failure();
  OpBuilder builder(module);
  gpu::BinaryOp::create(
      builder, module.getLoc(), module.getName(), /*offloadingHandler=*/nullptr,
      builder.getArrayAttr({target.createObject(module, *object, options)}));
  module.erase();
  return success();
}

namespace {
struct SerializeHostPass final
    : mlir::conv::impl::SerializeHostPassBase<SerializeHostPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeHostPassBase::getDependentDialects(registry);
    registerHostTranslations(registry);
  }

  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::Host)))
      return signalPassFailure();
    for (auto module :
         llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module)))
        return signalPassFailure();
  }
};
} // namespace
