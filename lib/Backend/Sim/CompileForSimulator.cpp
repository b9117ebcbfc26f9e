//===- CompileForSimulator.cpp - AMD kernels as host objects --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a gpu.module to the bytes of a host object. The real back end
// translates it and links device libraries. While the module is still
// amdgcn, everything is inlined into the kernels and buffer fat pointers
// are split. Then the kernels are rewritten for the host and announce
// their accesses, before any pass could remove one, and the host's code
// generator and lld do the rest.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/Sim.h"

#include "../BufferOffsets.h"
#include "../CodeGenTargets.h"
#include "../HostMachine.h"
#include "../LinkElf.h"
#include "Kernels.h"
#include "LowerIntrinsics.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVM/ROCDL/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"

using namespace mlir;
using namespace mlir::conv;
using namespace ::conv::simgen;

namespace {

/// The facts of SimChips.def for the compiler half.
struct SimChip {
  StringRef name;
  uint32_t waveSize;
  BufferRules buffers;
};

/// The most bytes of one work-item on the stack of its fiber.
constexpr unsigned maxStackBytes = 96 * 1024;

/// The level of processors that run simulated kernels.
constexpr llvm::StringLiteral kProcessor = "x86-64-v3";

} // namespace

static const SimChip *findSimChip(StringRef name) {
  static const SimChip chips[] = {
#define CONV_SIM_CHIP(name, waveSize, ldsBytes, ldsBanks, isGfx9, isFnuz)      \
  {name, waveSize, {isGfx9, !isGfx9}},
#include "conv/Runtime/SimChips.def"
  };
  for (const SimChip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// LLVM plumbing
//===----------------------------------------------------------------------===//

/// Runs `pipeline` for `machine`; `pipeline` is a name that `opt` understands.
static llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine,
                             StringRef pipeline) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

/// Inlines all functions into the kernels that call them.
static void prepareForInlining(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    bool isKernel =
        function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
    // Attributes describe the GPU; only those with a meaning on the host stay.
    llvm::AttributeList kept;
    for (llvm::Argument &argument : function.args())
      if (argument.hasByRefAttr())
        kept = kept.addParamAttribute(
            module.getContext(), argument.getArgNo(),
            llvm::Attribute::getWithByRefType(module.getContext(),
                                              argument.getParamByRefType()));
    function.setAttributes(kept);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (isKernel)
      continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// The lists that keep globals from being removed have no meaning here.
static void dropUsedLists(llvm::Module &module) {
  for (StringRef name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *list = module.getNamedGlobal(name))
      list->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// From amdgcn to the host
//===----------------------------------------------------------------------===//

/// Rewrites an amdgcn module, whose kernels call nothing, for the host.
static llvm::Error retarget(llvm::Module &module, const SimChip &chip,
                            llvm::TargetMachine &host) {
  ObjectBuilder object(module);
  auto kernels = convertKernels(module, object);
  if (!kernels)
    return kernels.takeError();
  if (llvm::Error error = placeLdsGlobals(module, *kernels, object))
    return error;
  module.setTargetTriple(host.getTargetTriple());
  module.setDataLayout(host.createDataLayout());

  BufferLowering buffers(module, object, chip.buffers);
  for (const KernelInfo &kernel : *kernels) {
    llvm::Function &function = *kernel.function;
    moveAllocasToHostStack(function);
    if (llvm::Error error =
            lowerIntrinsics(function, object, buffers, chip.waveSize))
      return error;
    expandBf16(function);
    function.addFnAttr("warn-stack-size", std::to_string(maxStackBytes));
    if (llvm::Error error = instrumentAccesses(function, object, buffers))
      return error;
    revealOffsets(function);
  }
  object.finish(chip.name, chip.waveSize, *kernels);

  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("rewriting for the host went wrong: " +
                                   problem);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Object code
//===----------------------------------------------------------------------===//

/// Turns the warning about a large stack frame into an error.
namespace {
struct StackSizeHandler : llvm::DiagnosticHandler {
  explicit StackSizeHandler(std::string &problem) : problem(problem) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getKind() != llvm::DK_StackSize &&
        info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(problem);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }
  std::string &problem;
};
} // namespace

/// The bytes of all values of `function`: its frame if none had a register.
static uint64_t countValueBytes(const llvm::Function &function) {
  const llvm::DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *alloca = dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += alloca->getAllocationSize(layout).value_or(
          llvm::TypeSize::getFixed(maxStackBytes));
    else if (llvm::Type *type = instruction.getType(); type->isSized())
      bytes += std::max<uint64_t>(8, layout.getTypeAllocSize(type));
  return bytes;
}

/// The level of the code generator. The runtime's checks take most of a run,
/// and generating code takes longer than most runs, so it is done quickly. What
/// is quick keeps values in the frame, where those of large kernels do not fit;
/// half of it is left for what the code generator adds.
static llvm::CodeGenOptLevel selectLevel(const llvm::Module &module) {
  bool fits = llvm::all_of(module, [](const llvm::Function &function) {
    return countValueBytes(function) <= maxStackBytes / 2;
  });
  return fits ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
}

static llvm::Expected<SmallVector<char, 0>>
emitObject(llvm::Module &module, llvm::TargetMachine &host) {
  std::string problem;
  module.getContext().setDiagnosticHandler(
      std::make_unique<StackSizeHandler>(problem));
  auto bytes = emitHostCode(module, host, llvm::CodeGenFileType::ObjectFile);
  if (!bytes)
    return bytes.takeError();
  if (!problem.empty())
    return llvm::createStringError(problem);
  return bytes;
}

/// An object may need only the memory functions of libc.
static llvm::Error checkNeededFunctions(ArrayRef<char> object) {
  auto needed = listNeededFunctions(object);
  if (!needed)
    return needed.takeError();
  if (!needed->empty())
    return llvm::createStringError("the simulator does not know function '" +
                                   needed->front() + "'");
  return llvm::Error::success();
}

namespace {

/// Reuses translation and linking of the ROCDL back end; replaces the rest.
class SimSerializer : public ROCDL::SerializeGPUModuleBase {
public:
  SimSerializer(gpu::GPUModuleOp module, ROCDL::ROCDLTargetAttr target,
                const gpu::TargetOptions &options, const SimChip &simChip)
      : SerializeGPUModuleBase(*module, target, options), simChip(simChip) {}

protected:
  /// The host pipeline optimizes, after the rewriting.
  LogicalResult optimizeModule(llvm::Module &, int) override {
    return success();
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    auto bytes = compile(llvmModule);
    if (bytes)
      return std::move(*bytes);
    getOperation().emitError() << llvm::toString(bytes.takeError());
    return failure();
  }

private:
  llvm::Expected<SmallVector<char, 0>> compile(llvm::Module &llvmModule) {
    FailureOr<llvm::TargetMachine *> device = getOrCreateTargetMachine();
    if (failed(device))
      return llvm::createStringError("no target machine for " + simChip.name);
    auto host = createHostMachine(kProcessor, /*features=*/"",
                                  llvm::CodeGenOptLevel::Default);
    if (!host)
      return host.takeError();
    dropUsedLists(llvmModule);
    prepareForInlining(llvmModule);
    if (llvm::Error error = runPasses(
            llvmModule, **device,
            "always-inline,globaldce,amdgpu-lower-buffer-fat-pointers,"
            "function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
            "simplifycfg)"))
      return error;
    // Code generation for the chip does the same.
    for (llvm::Function &function : llvmModule)
      hideWrappingOffsets(function);
    if (llvm::Error error = retarget(llvmModule, simChip, **host))
      return error;
    // Passes that simplify what was inlined. More of them take longer than most
    // runs, like the code generator's higher levels.
    if (llvm::Error error = runPasses(
            llvmModule, **host,
            "always-inline,globaldce,"
            "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-"
            "fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm),early-cse,"
            "adce)"))
      return error;
    for (llvm::Function &function : llvmModule)
      moveBf16AsIntegers(function);
    (*host)->setOptLevel(selectLevel(llvmModule));
    auto bytes = emitObject(llvmModule, **host);
    if (!bytes)
      return bytes.takeError();
    if (llvm::Error error = checkNeededFunctions(*bytes))
      return error;
    return bytes;
  }

  const SimChip &simChip;
};

} // namespace

void mlir::conv::registerSimulatorTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

FailureOr<std::string> mlir::conv::compileForSimulator(gpu::GPUModuleOp module,
                                                       StringRef chip) {
  auto emitError = [&] { return module.emitError(); };
  const SimChip *simChip = findSimChip(chip);
  if (!simChip) {
    emitError() << "expects a chip that can be simulated, but got " << chip;
    return failure();
  }
  auto target = ROCDL::ROCDLTargetAttr::get(module.getContext(), /*optLevel=*/3,
                                            "amdgcn-amd-amdhsa", simChip->name);
  gpu::TargetOptions options(CONV_DEVICE_LIBRARIES);
  SimSerializer serializer(module, target, options, *simChip);
  std::optional<SmallVector<char, 0>> object = [&] {
    CodeGenerationLock lock;
    initializeCodeGenTargets();
    return serializer.run();
  }();
  if (!object)
    return failure();
  return linkShared(*object, emitError);
}
