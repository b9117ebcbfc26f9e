//===- SerializeAMDGPU.cpp - gpu.module to HSACO ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's gpu-module-to-binary runs `<toolkit>/llvm/bin/ld.lld`, which many
// machines lack; here everything runs in process.
//
//===----------------------------------------------------------------------===//

#include "../BufferOffsets.h"
#include "../CodeGenTargets.h"
#include "../LinkElf.h"
#include "../TargetCheck.h"
#include "BytePermutations.h"
#include "LongBlocks.h"
#include "MixedMultiplyAdds.h"
#include "SignOfZero.h"
#include "conv/Backend/AMDGPU.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVM/ROCDL/Target.h"
#include "mlir/Target/LLVM/ROCDL/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils.h"

namespace mlir::conv {
#define GEN_PASS_DEF_SERIALIZEAMDGPUPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Collects errors of LLVM's code generator, which by default end the process.
struct ErrorCollector final : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &text) : text(text) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream os(text);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }

  std::string &text;
};

/// Keeps instruction selection from code that would deviate from LLVM IR, and
/// schedulers from blocks that take them seconds.
struct PrepareSelection final : llvm::FunctionPass {
  PrepareSelection() : FunctionPass(ID) {}

  bool runOnFunction(llvm::Function &function) override {
    hideWrappingOffsets(function);
    keepSignOfZero(function);
    partLongBlocks(function);
    return true;
  }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
  }

  static char ID;
};
char PrepareSelection::ID = 0;

/// Makes this pass the last one on LLVM IR: later passes would undo it.
static void addSelectionPasses(llvm::TargetMachine &machine,
                               llvm::TargetPassConfig &passes) {
  if (machine.getTargetTriple().isAMDGCN())
    passes.insertPass(&llvm::LCSSAID, new PrepareSelection());
}

/// Instructions of a device library function and of all functions it calls.
static uint64_t countInstructions(llvm::Function &function, int depth = 0) {
  constexpr int kMostDepth = 8;
  uint64_t count = function.getInstructionCount();
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = dyn_cast<llvm::CallInst>(&instruction);
        call && call->getCalledFunction() && depth < kMostDepth)
      count += countInstructions(*call->getCalledFunction(), depth + 1);
  return count;
}

/// Calls of a function in kernels, rather than in other functions.
static size_t countCallsOfKernels(const llvm::Function &function) {
  return llvm::count_if(function.users(), [](const llvm::User *user) {
    auto *call = dyn_cast<llvm::CallInst>(user);
    return call && call->getFunction()->getCallingConv() ==
                       llvm::CallingConv::AMDGPU_KERNEL;
  });
}

/// Keeps calls of functions whose inlined copies would be so many, or so large,
/// that they take seconds to compile: a power has hundreds of instructions, and
/// a kernel computes one for each of its elements; with 1200 copies of a cube
/// root, LLVM vectorizes for 2 s. The callees of such a function are inlined
/// into it: a function without calls needs no stack.
static void keepCalls(llvm::Module &module) {
  constexpr uint64_t kMostInstructions = 32768;
  constexpr size_t kMostCopies = 768;
  SmallVector<llvm::Function *> copied;
  uint64_t instructions = 0;
  size_t copies = 0;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !function.getName().starts_with("__ocml_"))
      continue;
    size_t calls = countCallsOfKernels(function);
    copies += calls;
    if (calls > 1)
      copied.push_back(&function);
    instructions += function.getNumUses() * countInstructions(function);
  }
  if (instructions <= kMostInstructions && copies <= kMostCopies)
    return;
  for (llvm::Function *function : copied) {
    function->removeFnAttr(llvm::Attribute::AlwaysInline);
    function->addFnAttr(llvm::Attribute::NoInline);
  }
}

static bool isMatrixInstruction(StringRef intrinsic) {
  return intrinsic.consume_front("llvm.amdgcn.") &&
         (intrinsic.starts_with("mfma.") || intrinsic.starts_with("wmma."));
}

/// Whether it is arithmetic of lanes, which instructions for two elements could
/// do. A function that is called may be inlined.
static bool isLaneArithmetic(const llvm::Instruction &instruction) {
  if (auto *call = dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function *callee = call->getCalledFunction();
    return !callee || !callee->isIntrinsic() ||
           (!callee->getName().starts_with("llvm.amdgcn.") &&
            instruction.getType()->isFPOrFPVectorTy());
  }
  return (instruction.isBinaryOp() || instruction.isUnaryOp()) &&
         instruction.getType()->isFPOrFPVectorTy();
}

/// Whether lanes put so many elements into vectors one by one, to transpose
/// operands, that vectorizers, which do that in another way, may make the
/// kernel faster: by up to 16 % in conv-clock.
static bool movesManyElements(const llvm::Function &function) {
  constexpr int64_t kMany = 256;
  return llvm::count_if(llvm::instructions(function), [](const auto &each) {
           return isa<llvm::InsertElementInst>(each);
         }) >= kMany;
}

/// Kernels whose only float arithmetic is that of matrix instructions.
static SmallVector<llvm::Function *> listMatrixKernels(llvm::Module &module) {
  SmallVector<llvm::Function *> kernels;
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
      continue;
    auto instructions = llvm::instructions(function);
    bool multiplies = llvm::any_of(instructions, [](const auto &instruction) {
      auto *call = dyn_cast<llvm::CallInst>(&instruction);
      return call && call->getCalledFunction() &&
             isMatrixInstruction(call->getCalledFunction()->getName());
    });
    if (multiplies && !movesManyElements(function) &&
        llvm::none_of(instructions, isLaneArithmetic))
      kernels.push_back(&function);
  }
  return kernels;
}

/// Whether an instruction multiplies and adds two elements of f32.
static bool packsMultiplyAdds(const llvm::TargetMachine &machine) {
  return machine.getMCSubtargetInfo()->checkFeatures("+packed-fp32-ops");
}

/// Whether a kernel has so many addresses that comparing them takes a fifth of
/// the time of all, 0.2 s, and such a long loop, whose groups keep accesses in
/// the order of the products, that nothing comes of it. The code of shorter
/// loops becomes faster, by 16 % in conv-clock.
static bool hasManyAddresses(const llvm::Function &function) {
  constexpr int64_t kManyAddresses = 320, kManyGroups = 480;
  int64_t addresses = 0, groups = 0;
  for (const llvm::Instruction &each : llvm::instructions(function)) {
    addresses += isa<llvm::GetElementPtrInst>(each);
    auto *call = dyn_cast<llvm::IntrinsicInst>(&each);
    groups += call && call->getIntrinsicID() ==
                          llvm::Intrinsic::amdgcn_sched_group_barrier;
  }
  return addresses > kManyAddresses && groups > kManyGroups;
}

/// Skips the pass of code generation that compares all addresses with each
/// other.
class SkipAddressReuse final : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "slsr"; // Straight-line strength reduction.
  }
};

/// Compiles to assembly or to an object file that is not linked. An object file
/// by way of assembly has the same code, and takes longer.
class CodeCompiler final : public ROCDL::SerializeGPUModuleBase {
public:
  CodeCompiler(gpu::GPUModuleOp module, ROCDL::ROCDLTargetAttr target,
               const gpu::TargetOptions &options, llvm::CodeGenFileType type)
      : SerializeGPUModuleBase(*module, target, options), type(type) {}

  LogicalResult optimizeModule(llvm::Module &module, int level) override {
    keepCalls(module);
    llvm::for_each(module, permuteBytes);
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (succeeded(machine) && packsMultiplyAdds(**machine))
      llvm::for_each(module, keepMixedMultiplyAdds);
    // LLVM's vectorizers look for arithmetic in the vectors that fragments are
    // made of, a tenth of the time of all.
    SmallVector<llvm::Function *> kernels = listMatrixKernels(module);
    for (llvm::Function *kernel : kernels)
      kernel->addFnAttr(llvm::Attribute::NoImplicitFloat);
    LogicalResult result =
        SerializeGPUModuleBase::optimizeModule(module, level);
    // Code generation joins accesses only without it.
    for (llvm::Function *kernel : kernels)
      kernel->removeFnAttr(llvm::Attribute::NoImplicitFloat);
    return result;
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    std::string errors;
    module.getContext().setDiagnosticHandler(
        std::make_unique<ErrorCollector>(errors));
    CodeGenPassScope scope(addSelectionPasses);
    if (llvm::any_of(module, hasManyAddresses))
      module.getContext().setOptPassGate(skipAddressReuse);
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitOpError("has no target machine"), failure();
    SmallVector<char, 0> code;
    llvm::raw_svector_ostream os(code);
    llvm::legacy::PassManager passes;
    if ((*machine)->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr, type))
      return getOperation().emitOpError("has no code generator"), failure();
    passes.run(module);
    if (errors.empty())
      return code;
    return getOperation().emitError() << "LLVM cannot compile it: " << errors;
  }

private:
  llvm::CodeGenFileType type;
  SkipAddressReuse skipAddressReuse;
};
} // namespace

/// Halves of registers are no registers of their own: where they are (gfx11 by
/// default), LLVM joins two of them by two moves, which it puts before the
/// products that hide the loads, where one permutation does.
static ROCDL::ROCDLTargetAttr targetOf(gpu::GPUModuleOp module) {
  TargetAttr target = TargetAttr::lookup(module);
  return ROCDL::ROCDLTargetAttr::get(module.getContext(), /*optLevel=*/3,
                                     "amdgcn-amd-amdhsa", target.getChip(),
                                     /*features=*/"-real-true16");
}

void mlir::conv::registerAMDGPUTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
  ROCDL::registerROCDLTargetInterfaceExternalModels(registry);
}

static FailureOr<SmallVector<char, 0>> compile(gpu::GPUModuleOp module,
                                               StringRef deviceLibraries,
                                               llvm::CodeGenFileType type) {
  CodeGenerationLock lock;
  initializeCodeGenTargets();
  gpu::TargetOptions options(deviceLibraries.empty() ? CONV_DEVICE_LIBRARIES
                                                     : deviceLibraries,
                             {}, "", "", gpu::CompilationTarget::Assembly);
  std::optional<SmallVector<char, 0>> code =
      CodeCompiler(module, targetOf(module), options, type).run();
  if (!code)
    return module.emitOpError("cannot be compiled"), failure();
  return std::move(*code);
}

FailureOr<std::string> mlir::conv::compileToAssembly(gpu::GPUModuleOp module) {
  FailureOr<SmallVector<char, 0>> assembly = compile(
      module, /*deviceLibraries=*/"", llvm::CodeGenFileType::AssemblyFile);
  if (failed(assembly))
    return failure();
  return std::string(assembly->begin(), assembly->end());
}

/// Replaces `module` by its binary.
static LogicalResult serialize(gpu::GPUModuleOp module,
                               StringRef deviceLibraries) {
  FailureOr<SmallVector<char, 0>> compiled =
      compile(module, deviceLibraries, llvm::CodeGenFileType::ObjectFile);
  if (failed(compiled))
    return failure();
  FailureOr<std::string> object =
      linkShared(*compiled, [&] { return module.emitOpError(); });
  if (failed(object))
    return failure();
  OpBuilder builder(module);
  auto attribute = gpu::ObjectAttr::get(
      module.getContext(), targetOf(module), gpu::CompilationTarget::Binary,
      builder.getStringAttr(*object), /*properties=*/nullptr,
      ROCDL::getKernelMetadata(module,
                               ArrayRef(object->data(), object->size())));
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr,
                        builder.getArrayAttr({attribute}));
  module.erase();
  return success();
}

namespace {
struct SerializeAMDGPUPass final
    : mlir::conv::impl::SerializeAMDGPUPassBase<SerializeAMDGPUPass> {
  using SerializeAMDGPUPassBase::SerializeAMDGPUPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeAMDGPUPassBase::getDependentDialects(registry);
    registerAMDGPUTranslations(registry);
  }

  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::AMDGPU)))
      return signalPassFailure();
    for (auto module :
         llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module, deviceLibraries)))
        return signalPassFailure();
  }
};
} // namespace
