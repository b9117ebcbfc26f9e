//===- ObjectBuilder.cpp - the interface structures of a simulator object -===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mirrors conv/Runtime/SimAbi.h in LLVM constants; the static assertions below
// keep both in sync. Data that the loader fills in is external and hidden, so
// that the optimizer does not assume its initial value.
//
//===----------------------------------------------------------------------===//

#include "ObjectBuilder.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace conv::simgen;

static_assert(sizeof(abi::Site) == 144 && offsetof(abi::Site, handler) == 16 &&
              offsetof(abi::Site, operandOffset) == 52);
static_assert(sizeof(abi::Services) == 6 * sizeof(void *) &&
              offsetof(abi::Services, makeResource) ==
                  unsigned(Service::MakeResource) * sizeof(void *));
static_assert(sizeof(abi::Kernel) == 48 && sizeof(abi::Parameter) == 8);
static_assert(sizeof(abi::Object) == 48);

ObjectBuilder::ObjectBuilder(Module &module)
    : module(module), pointerType(PointerType::get(module.getContext(), 0)) {
  services = new GlobalVariable(
      module, pointerType, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      ConstantPointerNull::get(pointerType), "conv.sim.services");
  services->setVisibility(GlobalValue::HiddenVisibility);
  siteTable =
      new GlobalVariable(module, Type::getInt8Ty(module.getContext()),
                         /*isConstant=*/false, GlobalValue::ExternalLinkage,
                         nullptr, "conv.sim.sites.placeholder");
}

static std::string describeLocation(const Instruction &at) {
  const DebugLoc &loc = at.getDebugLoc();
  if (!loc || !loc->getScope() || loc.getLine() == 0)
    return "";
  return (sys::path::filename(loc->getFilename()) + ":" + Twine(loc.getLine()))
      .str();
}

Constant *ObjectBuilder::addSite(const SiteInfo &info, const Instruction &at) {
  uint64_t offset = sites.size() * sizeof(abi::Site);
  sites.push_back({info, describeLocation(at)});
  return ConstantExpr::getGetElementPtr(
      Type::getInt8Ty(module.getContext()), siteTable,
      ConstantInt::get(Type::getInt64Ty(module.getContext()), offset));
}

static FunctionType *getServiceType(Service service, LLVMContext &context) {
  Type *none = Type::getVoidTy(context), *i32 = Type::getInt32Ty(context),
       *i64 = Type::getInt64Ty(context), *ptr = PointerType::get(context, 0);
  switch (service) {
  case Service::WaveOp:
  case Service::Barrier:
  case Service::BarrierSignal:
    return FunctionType::get(none, {ptr, ptr}, false);
  case Service::Access:
    return FunctionType::get(none, {ptr, ptr, i64}, false);
  case Service::BufferAccess:
    return FunctionType::get(none, {ptr, ptr, ptr, i64, i32}, false);
  case Service::MakeResource:
    return FunctionType::get(ptr, {ptr, i64, i64, i32, i32}, false);
  }
  llvm_unreachable("every service has a type");
}

/// Loads a value that is constant while a kernel runs.
static LoadInst *loadInvariant(IRBuilderBase &builder, Type *type,
                               Value *address) {
  LoadInst *load = builder.CreateLoad(type, address);
  load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(builder.getContext(), {}));
  return markInternal(load);
}

CallInst *ObjectBuilder::callService(IRBuilderBase &builder, Service service,
                                     ArrayRef<Value *> arguments) {
  Value *table = loadInvariant(builder, pointerType, services);
  Value *slot = builder.CreateConstGEP1_64(builder.getInt8Ty(), table,
                                           uint64_t(service) * sizeof(void *));
  CallInst *call =
      builder.CreateCall(getServiceType(service, module.getContext()),
                         loadInvariant(builder, pointerType, slot), arguments);
  call->setDoesNotThrow();
  if (service == Service::WaveOp || service == Service::Barrier)
    call->setConvergent();
  return call;
}

void ObjectBuilder::callLaneHandler(IRBuilderBase &builder, Value *item,
                                    Constant *site) {
  Value *slot = builder.CreateConstGEP1_64(builder.getInt8Ty(), site,
                                           offsetof(abi::Site, handler));
  CallInst *call = builder.CreateCall(
      FunctionType::get(builder.getVoidTy(), {pointerType, pointerType}, false),
      loadInvariant(builder, pointerType, slot), {item, site});
  call->setDoesNotThrow();
}

Value *ObjectBuilder::loadItemField(IRBuilderBase &builder, Value *item,
                                    unsigned offset, Type *type) {
  return loadInvariant(
      builder, type,
      builder.CreateConstGEP1_64(builder.getInt8Ty(), item, offset));
}

Constant *ObjectBuilder::string(StringRef text) {
  Constant *&known = strings[text];
  if (!known) {
    Constant *data = ConstantDataArray::getString(module.getContext(), text);
    auto *global =
        new GlobalVariable(module, data->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, data, "conv.sim.text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    known = global;
  }
  return known;
}

Constant *ObjectBuilder::i32(uint32_t value) {
  return ConstantInt::get(Type::getInt32Ty(module.getContext()), value);
}

Constant *ObjectBuilder::words(ArrayRef<uint32_t> values) {
  return ConstantDataArray::get(module.getContext(), values);
}

Constant *ObjectBuilder::createSite(const SiteRecord &record, uint32_t index) {
  const SiteInfo &info = record.info;
  SmallVector<uint32_t, 8> offsets(info.operandOffsets);
  SmallVector<uint32_t, 8> bytes(info.operandBytes);
  offsets.resize(abi::maxOperands);
  bytes.resize(abi::maxOperands);
  return ConstantStruct::getAnon(
      {string(info.name), string(record.location),
       ConstantPointerNull::get(pointerType), i32(uint32_t(info.kind)),
       i32(index), i32(info.bytes), i32(info.alignment), i32(info.immediate),
       i32(info.resultBytes), i32(info.operandBytes.size()), words(offsets),
       words(bytes)});
}

GlobalVariable *ObjectBuilder::createTable(StringRef name,
                                           ArrayRef<Constant *> rows,
                                           bool writable) {
  auto *type = ArrayType::get(
      rows.empty() ? Type::getInt8Ty(module.getContext()) : rows[0]->getType(),
      rows.size());
  auto *table =
      new GlobalVariable(module, type, !writable, GlobalValue::ExternalLinkage,
                         ConstantArray::get(type, rows), "conv.sim." + name);
  table->setVisibility(GlobalValue::HiddenVisibility);
  return table;
}

Constant *ObjectBuilder::createKernel(const KernelInfo &kernel) {
  SmallVector<Constant *> parameters;
  for (const abi::Parameter &parameter : kernel.parameters)
    parameters.push_back(
        ConstantStruct::getAnon({i32(parameter.offset), i32(parameter.bytes)}));
  return ConstantStruct::getAnon(
      {string(kernel.name), kernel.function, i32(kernel.ldsBytes),
       i32(kernel.kernargBytes), i32(kernel.parameters.size()),
       i32(kernel.requiredBlock[0]), i32(kernel.requiredBlock[1]),
       i32(kernel.requiredBlock[2]),
       createTable(kernel.name + ".parameters", parameters,
                   /*writable=*/false)});
}

void ObjectBuilder::finish(StringRef chip, uint32_t waveSize,
                           ArrayRef<KernelInfo> kernels) {
  SmallVector<Constant *> siteRows, kernelRows;
  for (auto [index, record] : enumerate(sites))
    siteRows.push_back(createSite(record, index));
  GlobalVariable *table = createTable("sites", siteRows, /*writable=*/true);
  siteTable->replaceAllUsesWith(table);
  siteTable->eraseFromParent();

  for (const KernelInfo &kernel : kernels)
    kernelRows.push_back(createKernel(kernel));
  Constant *object = ConstantStruct::getAnon(
      {i32(abi::abiVersion), i32(waveSize), string(chip), i32(kernels.size()),
       i32(siteRows.size()),
       createTable("kernels", kernelRows, /*writable=*/false), table,
       services});
  new GlobalVariable(module, object->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, object, abi::objectSymbol);
}
