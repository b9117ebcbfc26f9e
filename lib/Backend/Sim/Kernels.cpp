//===- Kernels.cpp - AMD kernels become host functions --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rebuilds a kernel's environment on an AMD GPU (parameters in a kernarg block,
// LDS and private memory in address spaces of their own) from the item that the
// machine passes. Pointers to address spaces 1, 3 and 4 may stay: the host
// treats them as plain pointers.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace conv::simgen;

/// Writes the sizes of `reqd_work_group_size` to `kernel`, if it is there.
static void readRequiredBlock(const Function &function, KernelInfo &kernel) {
  MDNode *node = function.getMetadata("reqd_work_group_size");
  if (!node || node->getNumOperands() != 3)
    return;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (auto *size = mdconst::dyn_extract<ConstantInt>(node->getOperand(dim)))
      kernel.requiredBlock[dim] = size->getZExtValue();
}

/// The type and alignment of a parameter in the kernarg block.
static std::pair<Type *, Align> getKernargSlot(const Argument &argument,
                                               const DataLayout &layout) {
  Type *type = argument.getType();
  if (argument.hasByRefAttr())
    type = argument.getParamByRefType();
  return {type, layout.getABITypeAlign(type)};
}

/// Emits the value of `argument` at the start of `builder`'s block.
static Value *readParameter(IRBuilderBase &builder, Value *kernarg,
                            const Argument &argument, uint64_t offset) {
  Value *slot =
      builder.CreateConstGEP1_64(builder.getInt8Ty(), kernarg, offset);
  if (argument.hasByRefAttr())
    return builder.CreateAddrSpaceCast(slot, argument.getType());
  LoadInst *load = builder.CreateLoad(argument.getType(), slot);
  load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(builder.getContext(), {}));
  return markInternal(load);
}

static KernelInfo convertKernel(Function &original, ObjectBuilder &object) {
  Module &module = *original.getParent();
  LLVMContext &context = module.getContext();
  const DataLayout &layout = module.getDataLayout();
  KernelInfo kernel;
  kernel.name = original.getName().str();
  readRequiredBlock(original, kernel);

  original.setName(kernel.name + ".device");
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {PointerType::get(context, 0)}, false);
  Function *entry =
      Function::Create(type, GlobalValue::InternalLinkage, kernel.name, module);
  entry->getArg(0)->setName("item");
  entry->splice(entry->begin(), &original);
  entry->setSubprogram(original.getSubprogram());
  original.setSubprogram(nullptr);

  IRBuilder<> builder(&entry->getEntryBlock(),
                      entry->getEntryBlock().getFirstInsertionPt());
  Value *kernarg = object.loadItemField(builder, entry->getArg(0),
                                        offsetof(abi::Item, kernarg),
                                        PointerType::get(context, 0));
  uint64_t offset = 0;
  for (Argument &argument : original.args()) {
    auto [slotType, alignment] = getKernargSlot(argument, layout);
    offset = alignTo(offset, alignment);
    uint64_t bytes = layout.getTypeAllocSize(slotType);
    kernel.parameters.push_back({uint32_t(offset), uint32_t(bytes)});
    argument.replaceAllUsesWith(
        readParameter(builder, kernarg, argument, offset));
    offset += bytes;
  }
  kernel.kernargBytes = offset;
  kernel.function = entry;
  original.eraseFromParent();
  return kernel;
}

Expected<std::vector<KernelInfo>>
conv::simgen::convertKernels(Module &module, ObjectBuilder &object) {
  SmallVector<Function *> originals;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
      return createStringError("function '" + function.getName() +
                               "' is called but cannot be inlined");
    originals.push_back(&function);
  }
  std::vector<KernelInfo> kernels;
  for (Function *original : originals)
    kernels.push_back(convertKernel(*original, object));
  return kernels;
}

/// Replaces the uses of `global` in `kernel` by its address in the arena.
static void placeGlobal(GlobalVariable &global, uint64_t offset,
                        Function &kernel, ObjectBuilder &object) {
  BasicBlock &entry = kernel.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  Value *base =
      object.loadItemField(builder, kernel.getArg(0),
                           offsetof(abi::Item, ldsBase), builder.getInt64Ty());
  Value *sum =
      builder.CreateAdd(base, builder.getInt64(offset), "", /*HasNUW=*/true);
  Value *address =
      builder.CreateIntToPtr(sum, global.getType(), global.getName());
  global.replaceUsesWithIf(address, [&](Use &use) {
    return cast<Instruction>(use.getUser())->getFunction() == &kernel;
  });
}

static bool isUsedIn(const GlobalVariable &global, const Function &kernel) {
  return any_of(global.users(), [&](const User *user) {
    return cast<Instruction>(user)->getFunction() == &kernel;
  });
}

static Error placeGlobalsOf(KernelInfo &kernel, ArrayRef<Constant *> globals,
                            ObjectBuilder &object) {
  const DataLayout &layout = kernel.function->getDataLayout();
  uint64_t end = 0;
  // Dynamic shared memory has no size of its own and comes last.
  for (bool dynamic : {false, true})
    for (Constant *constant : globals) {
      auto *global = cast<GlobalVariable>(constant);
      uint64_t bytes = layout.getTypeAllocSize(global->getValueType());
      if ((bytes == 0) != dynamic || !isUsedIn(*global, *kernel.function))
        continue;
      Align preferred = layout.getPreferredAlign(global);
      uint64_t offset =
          alignTo(end, std::max(global->getAlign().valueOrOne(), preferred));
      placeGlobal(*global, offset, *kernel.function, object);
      end = offset + bytes;
    }
  if (end > UINT32_MAX)
    return createStringError("workgroup memory of " + Twine(end) +
                             " bytes exceeds 32-bit addresses");
  kernel.ldsBytes = uint32_t(end);
  return Error::success();
}

Error conv::simgen::placeLdsGlobals(Module &module,
                                    MutableArrayRef<KernelInfo> kernels,
                                    ObjectBuilder &object) {
  constexpr unsigned ldsAddressSpace = 3;
  SmallVector<Constant *> globals;
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == ldsAddressSpace)
      globals.push_back(&global);
  convertUsersOfConstantsToInstructions(globals);
  for (KernelInfo &kernel : kernels)
    if (Error error = placeGlobalsOf(kernel, globals, object))
      return error;
  for (Constant *global : globals)
    cast<GlobalVariable>(global)->eraseFromParent();
  return Error::success();
}

void conv::simgen::moveAllocasToHostStack(Function &kernel) {
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : instructions(kernel))
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (alloca->getAddressSpace() != 0)
        allocas.push_back(alloca);
  for (AllocaInst *alloca : allocas) {
    IRBuilder<> builder(alloca);
    AllocaInst *moved = builder.CreateAlloca(alloca->getAllocatedType(), 0,
                                             alloca->getArraySize());
    moved->setAlignment(alloca->getAlign());
    alloca->replaceAllUsesWith(
        builder.CreateAddrSpaceCast(moved, alloca->getType()));
    alloca->eraseFromParent();
  }
}
