//===- SerializeNVPTX.cpp - gpu.module to cubin -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-module-to-binary also runs `fatbinary`, and drops the report
// of ptxas about registers and spills.
//
//===----------------------------------------------------------------------===//

#include "../CodeGenTargets.h"
#include "../LinkElf.h"
#include "../TargetCheck.h"
#include "CudaToolkit.h"
#include "conv/Backend/NVPTX.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::conv {
#define GEN_PASS_DEF_SERIALIZENVPTXPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The prefix of libdevice functions.
static constexpr StringLiteral kLibdevicePrefix = "__nv_";

/// Loads that fill a register.
static int64_t getLoadsOfRegister(const llvm::LoadInst &load) {
  uint64_t bits = load.getType()->getPrimitiveSizeInBits().getFixedValue();
  return bits == 8 ? 4 : bits == 16 ? 2 : 1;
}

/// The number of loads of a kernel. Loads of two bytes count twice, and those
/// of one byte four times: as many of them fill a register.
static int64_t weighLoads(const llvm::Function &function) {
  int64_t weight = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *load = dyn_cast<llvm::LoadInst>(&instruction))
      weight += getLoadsOfRegister(*load);
  return weight;
}

/// Whether lanes load so many values one by one, mostly bytes, that
/// vectorizers, which compare them with each other, take seconds. Kernels of
/// common network layers have up to 192 loads, of two bytes.
static bool hasManyLoads(const llvm::Module &module) {
  constexpr int64_t kMany = 448;
  return llvm::any_of(module, [](const llvm::Function &function) {
    return weighLoads(function) > kMany;
  });
}

/// Whether lanes put so many bytes into vectors one by one, such as 8-bit
/// floats that they round, that vectorizers take most of the time. No
/// instruction would compute several of these bytes.
static bool assemblesManyBytes(const llvm::Module &module) {
  constexpr int64_t kMany = 192;
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::count_if(llvm::instructions(function), [](const auto &each) {
             return isa<llvm::InsertElementInst>(each) &&
                    each.getType()->getScalarType()->isIntegerTy(8);
           }) > kMany;
  });
}

static NVVM::NVVMTargetAttr targetOf(gpu::GPUModuleOp module) {
  TargetAttr target = TargetAttr::lookup(module);
  return NVVM::NVVMTargetAttr::get(
      module.getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda",
      target.getChip(), ("+ptx" + Twine(target.getInfo().ptxVersion)).str());
}

static bool needsLibdevice(gpu::GPUModuleOp module) {
  return llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                      [](LLVM::LLVMFuncOp function) {
                        return function.isExternal() &&
                               function.getName().starts_with(kLibdevicePrefix);
                      });
}

namespace {
/// Stops after the PTX.
class PtxCompiler final : public NVVM::SerializeGPUModuleBase {
public:
  PtxCompiler(gpu::GPUModuleOp module, const gpu::TargetOptions &options)
      : SerializeGPUModuleBase(*module, targetOf(module), options),
        usesLibdevice(needsLibdevice(module)) {}

  /// Upstream reads the index of libdevice even if nothing is called.
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    if (!usesLibdevice)
      return SmallVector<std::unique_ptr<llvm::Module>>();
    return SerializeGPUModuleBase::loadBitcodeFiles(module);
  }

  LogicalResult optimizeModule(llvm::Module &module, int level) override {
    if (hasManyLoads(module) || assemblesManyBytes(module))
      for (llvm::Function &function : module) // No vectorizers.
        function.addFnAttr(llvm::Attribute::NoImplicitFloat);
    return SerializeGPUModuleBase::optimizeModule(module, level);
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitOpError("has no target machine"), failure();
    // MLIR's translation has verified the module.
    SmallVector<char, 0> ptx;
    llvm::raw_svector_ostream os(ptx);
    llvm::legacy::PassManager passes;
    if ((*machine)->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr,
                                        llvm::CodeGenFileType::AssemblyFile,
                                        /*DisableVerify=*/true))
      return getOperation().emitOpError("has no code generator"), failure();
    passes.run(module);
    return ptx;
  }

private:
  bool usesLibdevice;
};
} // namespace

void mlir::conv::registerNVPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
}

FailureOr<std::string> mlir::conv::compileToPtx(gpu::GPUModuleOp module,
                                                StringRef toolkit) {
  CodeGenerationLock lock;
  initializeCodeGenTargets();
  std::string folder = findCudaToolkit(toolkit);
  if (folder.empty() && needsLibdevice(module))
    return module.emitOpError()
           << kNoCudaToolkit
           << "expects nvvm/libdevice/libdevice.10.bc for functions of the "
              "epilogue, but found none";
  gpu::TargetOptions options(folder, {}, "", "",
                             gpu::CompilationTarget::Assembly);
  std::optional<PtxCompiler> compiler;
  {
    // If no folder has libdevice, upstream's class searches the folders of the
    // environment itself, and reports the first one without it.
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &) {
      return success(folder.empty());
    });
    compiler.emplace(module, options);
  }
  std::optional<SmallVector<char, 0>> ptx = compiler->run();
  if (!ptx)
    return module.emitOpError("cannot be compiled to PTX"), failure();
  return StringRef(ptx->data(), ptx->size()).rtrim('\0').str();
}

FailureOr<AssembledPtx> mlir::conv::assemblePtx(gpu::GPUModuleOp module,
                                                StringRef ptx,
                                                StringRef toolkit) {
  llvm::Expected<std::string> ptxas = findPtxas(toolkit);
  if (!ptxas)
    return module.emitOpError() << llvm::toString(ptxas.takeError());
  llvm::Expected<PtxasOutput> output =
      runPtxas(*ptxas, targetOf(module).getChip(), ptx);
  if (!output)
    return module.emitOpError() << llvm::toString(output.takeError());
  return AssembledPtx{std::move(output->cubin), std::move(output->report)};
}

/// The number before `unit`, as in "40 registers"; 0 if there is none.
static int64_t readCount(StringRef text, StringRef unit) {
  size_t end = text.find((" " + unit).str());
  if (end == StringRef::npos)
    return 0;
  StringRef before = text.take_front(end);
  int64_t count = 0;
  if (before.substr(before.find_last_not_of("0123456789") + 1)
          .getAsInteger(10, count))
    return 0;
  return count;
}

std::optional<PtxResources> mlir::conv::parsePtxReport(StringRef report,
                                                       StringRef kernel) {
  constexpr StringLiteral kStart = "Compiling entry function '";
  size_t start = report.find((kStart + kernel + "'").str());
  if (start == StringRef::npos)
    return std::nullopt;
  StringRef section = report.drop_front(start + kStart.size());
  section = section.take_front(section.find(kStart));
  PtxResources resources;
  resources.registers = readCount(section, "registers");
  resources.sharedBytes = readCount(section, "bytes smem");
  resources.stackBytes = readCount(section, "bytes stack frame");
  resources.spillBytes = readCount(section, "bytes spill stores");
  return resources;
}

/// Whether the kernel is launched by programmatic dependent launch.
static bool startsEarly(LLVM::LLVMFuncOp kernel) {
  return kernel
      .walk([](NVVM::GriddepcontrolOp op) {
        return op.getKind() == NVVM::GridDepActionKind::wait
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The report of ptxas about each kernel, under the names of AMD's metadata, so
/// that readers need not know the back end; and whether it is launched early.
/// Without a report, of PTX, only the latter.
static gpu::KernelTableAttr createKernelTable(gpu::GPUModuleOp module,
                                              std::optional<StringRef> report) {
  Builder builder(module.getContext());
  SmallVector<gpu::KernelMetadataAttr> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    std::optional<PtxResources> resources =
        report ? parsePtxReport(*report, function.getName()) : PtxResources();
    if (!resources)
      continue;
    auto entry = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    constexpr int64_t kRegisterBytes = 4;
    kernels.push_back(gpu::KernelMetadataAttr::get(
        function,
        builder.getDictionaryAttr(
            {entry("starts_early", startsEarly(function)),
             entry("vgpr_count", resources->registers),
             entry("group_segment_fixed_size", resources->sharedBytes),
             entry("private_segment_fixed_size", resources->stackBytes),
             entry("vgpr_spill_count",
                   resources->spillBytes / kRegisterBytes)})));
  }
  return gpu::KernelTableAttr::get(module.getContext(), kernels);
}

/// Creates the code of a module: the cubin that ptxas makes of its PTX,
/// or the PTX itself if there is no ptxas and nobody named a folder with
/// one.
static FailureOr<gpu::ObjectAttr> createObject(gpu::GPUModuleOp module,
                                               StringRef toolkit) {
  FailureOr<std::string> ptx = compileToPtx(module, toolkit);
  if (failed(ptx))
    return failure();
  auto create = [&](gpu::CompilationTarget format, StringRef code,
                    std::optional<StringRef> report) {
    return gpu::ObjectAttr::get(module.getContext(), targetOf(module), format,
                                StringAttr::get(module.getContext(), code),
                                /*properties=*/nullptr,
                                createKernelTable(module, report));
  };
  if (toolkit.empty() && findAssembler().empty())
    return create(gpu::CompilationTarget::Assembly, *ptx, std::nullopt);
  FailureOr<AssembledPtx> object = assemblePtx(module, *ptx, toolkit);
  if (failed(object))
    return failure();
  return create(gpu::CompilationTarget::Binary, object->cubin,
                StringRef(object->report));
}

static LogicalResult serialize(gpu::GPUModuleOp module, StringRef toolkit) {
  FailureOr<gpu::ObjectAttr> object = createObject(module, toolkit);
  if (failed(object))
    return failure();
  OpBuilder builder(module);
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr,
                        builder.getArrayAttr({Attribute(*object)}));
  module.erase();
  return success();
}

namespace {
struct SerializeNVPTXPass final
    : mlir::conv::impl::SerializeNVPTXPassBase<SerializeNVPTXPass> {
  using SerializeNVPTXPassBase::SerializeNVPTXPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeNVPTXPassBase::getDependentDialects(registry);
    registerNVPTXTranslations(registry);
  }

  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::NVPTX)))
      return signalPassFailure();
    for (auto module :
         llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module, toolkit)))
        return signalPassFailure();
  }
};
} // namespace
