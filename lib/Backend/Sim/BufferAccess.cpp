//===- BufferAccess.cpp - buffer instructions as host code ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of access becomes a call of a small helper function, one per
// type, which is inlined later; an access in range costs one comparison. As
// on the hardware, each word of an access is checked on its own, words out
// of range read as zero and are not written, and atomics are all or
// nothing.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"

#include "../BufferOffsets.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace conv::simgen;

static constexpr StringLiteral helperPrefix = "conv.sim.buffer.";
static constexpr StringLiteral helperKind = "conv-sim-buffer";

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

static bool isUsedOnlyByBufferCalls(CallInst &call) {
  return all_of(call.users(), [](User *user) {
    auto *consumer = dyn_cast<CallInst>(user);
    return consumer && consumer->getCalledFunction() &&
           consumer->getCalledFunction()->getName().starts_with(
               "llvm.amdgcn.raw.ptr.buffer.");
  });
}

Value *conv::simgen::lowerMakeResource(CallInst &call, ObjectBuilder &object) {
  Function &function = *call.getFunction();
  IRBuilder<> builder(&call);
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  Value *base = builder.CreatePtrToInt(call.getArgOperand(0), i64);
  Value *stride = builder.CreateZExtOrTrunc(call.getArgOperand(1), i32);
  // Before and on gfx12 the field has 32 bits.
  Value *records = builder.CreateAnd(
      builder.CreateZExtOrTrunc(call.getArgOperand(2), i64), UINT32_MAX);
  Value *flags = builder.CreateZExtOrTrunc(call.getArgOperand(3), i32);

  // A variable replaces an SSA value as long as nothing copies the pointer.
  if (!isUsedOnlyByBufferCalls(call))
    return object.callService(
        builder, Service::MakeResource,
        {function.getArg(0), base, records, flags, stride});
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> entryBuilder(&entry, entry.begin());
  auto *type = StructType::get(i64, i64, i32, i32);
  AllocaInst *resource = entryBuilder.CreateAlloca(type);
  for (auto [field, value] :
       enumerate(ArrayRef<Value *>{base, records, flags, stride}))
    builder.CreateStore(value, builder.CreateStructGEP(type, resource, field));
  return resource;
}

/// The pointer before the address space cast that preserves types.
static Value *getResource(Value *value, IRBuilderBase &builder) {
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(value))
    if (cast->getSrcAddressSpace() == 0)
      return cast->getPointerOperand();
  return builder.CreateAddrSpaceCast(value, builder.getPtrTy());
}

//===----------------------------------------------------------------------===//
// Helpers: (resource, offset, scalar offset [, value])
//===----------------------------------------------------------------------===//

static std::string mangle(StringRef kind, Type *type) {
  std::string name;
  raw_string_ostream os(name);
  os << helperPrefix << kind << "." << *type;
  return name;
}

Function *BufferLowering::createHelper(StringRef name, Type *result,
                                       Type *value) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context);
  SmallVector<Type *> types = {PointerType::get(context, 0), i32, i32};
  if (value)
    types.push_back(value);
  Function *helper =
      Function::Create(FunctionType::get(result, types, false),
                       GlobalValue::InternalLinkage, name, module);
  helper->addFnAttr(Attribute::AlwaysInline);
  helper->addFnAttr(Attribute::NoUnwind);
  helper->addFnAttr(helperKind);
  BasicBlock::Create(context, "entry", helper);
  return helper;
}

BufferLowering::Access BufferLowering::createAccess(IRBuilderBase &builder,
                                                    Function &helper,
                                                    uint64_t bytes) {
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  auto *type = StructType::get(i64, i64, i32, i32);
  Value *resource = helper.getArg(0);
  auto loadField = [&](unsigned field) {
    return builder.CreateLoad(type->getElementType(field),
                              builder.CreateStructGEP(type, resource, field));
  };
  Value *offset = builder.CreateZExt(helper.getArg(1), i64);
  Value *scalarOffset = builder.CreateZExt(helper.getArg(2), i64);
  Value *sum = builder.CreateAdd(offset, scalarOffset);
  Access access;
  access.checkedOffset = rules.scalarOffsetIsChecked ? sum : offset;
  access.limit = loadField(1);
  if (rules.hasOutOfBoundsSelect) {
    // 2: out of range only if the resource is empty.
    Value *select = builder.CreateAnd(builder.CreateLShr(loadField(2), 28), 3);
    Value *isUnchecked =
        builder.CreateAnd(builder.CreateICmpEQ(select, builder.getInt32(2)),
                          builder.CreateIsNotNull(access.limit));
    access.limit = builder.CreateSelect(
        isUnchecked, builder.getInt64(INT64_MAX), access.limit);
  }
  access.address = builder.CreateIntToPtr(builder.CreateAdd(loadField(0), sum),
                                          builder.getPtrTy());
  access.isInRange = createWordCheck(builder, access, 0, bytes);
  return access;
}

Value *BufferLowering::createWordCheck(IRBuilderBase &builder,
                                       const Access &access, uint64_t byte,
                                       uint64_t bytes) {
  Value *end =
      builder.CreateAdd(access.checkedOffset, builder.getInt64(byte + bytes));
  return builder.CreateICmpULE(end, access.limit);
}

Function *BufferLowering::getLoadHelper(Type *type) {
  std::string name = mangle("load", type);
  if (Function *known = module.getFunction(name))
    return known;
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  Function *helper = createHelper(name, type, nullptr);
  LLVMContext &context = module.getContext();
  BasicBlock *inRange = BasicBlock::Create(context, "in_range", helper);
  BasicBlock *outside = BasicBlock::Create(context, "outside", helper);

  IRBuilder<> builder(&helper->getEntryBlock());
  Access access = createAccess(builder, *helper, bytes);
  builder.CreateCondBr(access.isInRange, inRange, outside,
                       MDBuilder(context).createBranchWeights(1000, 1));
  builder.SetInsertPoint(inRange);
  builder.CreateRet(builder.CreateAlignedLoad(type, access.address, Align(1)));

  builder.SetInsertPoint(outside);
  Value *result = Constant::getNullValue(type);
  if (bytes > 4 && bytes % 4 == 0) {
    Type *i32 = builder.getInt32Ty();
    Value *zero = builder.CreateAlloca(i32);
    builder.CreateStore(builder.getInt32(0), zero);
    Value *words = PoisonValue::get(FixedVectorType::get(i32, bytes / 4));
    for (uint64_t word = 0; word < bytes / 4; ++word) {
      Value *source = builder.CreateSelect(
          createWordCheck(builder, access, 4 * word, 4),
          builder.CreateConstGEP1_64(i32, access.address, word), zero);
      words = builder.CreateInsertElement(
          words, builder.CreateAlignedLoad(i32, source, Align(1)), word);
    }
    result = builder.CreateBitCast(words, type);
  }
  builder.CreateRet(result);
  return helper;
}

Function *BufferLowering::getStoreHelper(Type *type) {
  std::string name = mangle("store", type);
  if (Function *known = module.getFunction(name))
    return known;
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  LLVMContext &context = module.getContext();
  Function *helper = createHelper(name, Type::getVoidTy(context), type);
  BasicBlock *inRange = BasicBlock::Create(context, "in_range", helper);
  BasicBlock *outside = BasicBlock::Create(context, "outside", helper);
  Value *value = helper->getArg(3);

  IRBuilder<> builder(&helper->getEntryBlock());
  Access access = createAccess(builder, *helper, bytes);
  builder.CreateCondBr(access.isInRange, inRange, outside,
                       MDBuilder(context).createBranchWeights(1000, 1));
  builder.SetInsertPoint(inRange);
  builder.CreateAlignedStore(value, access.address, Align(1));
  builder.CreateRetVoid();

  builder.SetInsertPoint(outside);
  if (bytes > 4 && bytes % 4 == 0) {
    Type *i32 = builder.getInt32Ty();
    Value *dropped = builder.CreateAlloca(i32);
    Value *words =
        builder.CreateBitCast(value, FixedVectorType::get(i32, bytes / 4));
    for (uint64_t word = 0; word < bytes / 4; ++word) {
      Value *target = builder.CreateSelect(
          createWordCheck(builder, access, 4 * word, 4),
          builder.CreateConstGEP1_64(i32, access.address, word), dropped);
      builder.CreateAlignedStore(builder.CreateExtractElement(words, word),
                                 target, Align(1));
    }
  }
  builder.CreateRetVoid();
  return helper;
}

Function *BufferLowering::getAtomicHelper(Type *type,
                                          AtomicRMWInst::BinOp operation) {
  std::string name = mangle(
      ("atomic." + AtomicRMWInst::getOperationName(operation)).str(), type);
  if (Function *known = module.getFunction(name))
    return known;
  uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
  Function *helper = createHelper(name, type, type);
  LLVMContext &context = module.getContext();
  BasicBlock *inRange = BasicBlock::Create(context, "in_range", helper);
  BasicBlock *outside = BasicBlock::Create(context, "outside", helper);

  IRBuilder<> builder(&helper->getEntryBlock());
  Access access = createAccess(builder, *helper, bytes);
  builder.CreateCondBr(access.isInRange, inRange, outside);
  builder.SetInsertPoint(inRange);
  builder.CreateRet(builder.CreateAtomicRMW(operation, access.address,
                                            helper->getArg(3), Align(bytes),
                                            AtomicOrdering::Monotonic));
  builder.SetInsertPoint(outside);
  builder.CreateRet(Constant::getNullValue(type));
  return helper;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value *BufferLowering::lowerLoad(CallInst &call) {
  IRBuilder<> builder(&call);
  return builder.CreateCall(getLoadHelper(call.getType()),
                            {getResource(call.getArgOperand(0), builder),
                             call.getArgOperand(1), call.getArgOperand(2)});
}

void BufferLowering::lowerStore(CallInst &call) {
  IRBuilder<> builder(&call);
  Value *value = call.getArgOperand(0);
  builder.CreateCall(getStoreHelper(value->getType()),
                     {getResource(call.getArgOperand(1), builder),
                      call.getArgOperand(2), call.getArgOperand(3), value});
}

Value *BufferLowering::lowerAtomic(CallInst &call,
                                   AtomicRMWInst::BinOp operation) {
  IRBuilder<> builder(&call);
  Value *value = call.getArgOperand(0);
  return builder.CreateCall(getAtomicHelper(value->getType(), operation),
                            {getResource(call.getArgOperand(1), builder),
                             call.getArgOperand(2), call.getArgOperand(3),
                             value});
}

static abi::SiteKind getKind(const Function &helper) {
  if (helper.arg_size() == 3)
    return abi::SiteKind::Load;
  return helper.getReturnType()->isVoidTy() ? abi::SiteKind::Store
                                            : abi::SiteKind::Atomic;
}

void BufferLowering::instrument(Function &kernel) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (Function *callee = call->getCalledFunction();
          callee && callee->hasFnAttribute(helperKind))
        calls.push_back(call);

  const DataLayout &layout = module.getDataLayout();
  for (CallInst *call : calls) {
    Function &helper = *call->getCalledFunction();
    Type *type = helper.arg_size() == 3 ? helper.getReturnType()
                                        : helper.getArg(3)->getType();
    uint32_t bytes = layout.getTypeStoreSize(type);
    SiteInfo info{.name = "buffer", .kind = getKind(helper)};
    info.bytes = bytes;
    info.alignment = std::min<uint32_t>(4, PowerOf2Ceil(bytes));
    info.immediate = mlir::conv::getImmediate(*call->getArgOperand(1));
    Constant *site = object.addSite(info, *call);
    IRBuilder<> builder(call);
    Type *i64 = builder.getInt64Ty();
    Value *scalarOffset = call->getArgOperand(2);
    Value *offset =
        builder.CreateAdd(builder.CreateZExt(call->getArgOperand(1), i64),
                          builder.CreateZExt(scalarOffset, i64));
    object.callService(
        builder, Service::BufferAccess,
        {kernel.getArg(0), site, call->getArgOperand(0), offset, scalarOffset});
  }
}
