//===- InstrumentAccesses.cpp - announce what a kernel reads and writes ---===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a call of the machine before every access to global memory or LDS.
// Private memory, which is on the host's stack, and constants of the module are
// left out.
//
//===----------------------------------------------------------------------===//

#include "LowerIntrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace conv::simgen;

namespace {

/// One access: its place, kind, size, and the alignment it relies on.
struct Access {
  Instruction *instruction;
  Value *address;
  abi::SiteKind kind;
  Type *type;
  Align alignment;
};

} // namespace

/// Whether `address` may be in global memory or LDS.
static bool isInMachineMemory(const Value *address) {
  return !isa<AllocaInst, GlobalVariable>(
      getUnderlyingObject(address, /*MaxLookup=*/0));
}

static std::optional<Access> getAccess(Instruction &instruction) {
  using Kind = abi::SiteKind;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return Access{load, load->getPointerOperand(), Kind::Load, load->getType(),
                  load->getAlign()};
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return Access{store, store->getPointerOperand(), Kind::Store,
                  store->getValueOperand()->getType(), store->getAlign()};
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return Access{atomic, atomic->getPointerOperand(), Kind::Atomic,
                  atomic->getType(), atomic->getAlign()};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return Access{exchange, exchange->getPointerOperand(), Kind::Atomic,
                  exchange->getNewValOperand()->getType(),
                  exchange->getAlign()};
  return std::nullopt;
}

static StringRef getName(abi::SiteKind kind) {
  switch (kind) {
  case abi::SiteKind::Load:
    return "load";
  case abi::SiteKind::Store:
    return "store";
  default:
    return "atomic";
  }
}

Error conv::simgen::instrumentAccesses(Function &kernel, ObjectBuilder &object,
                                       BufferLowering &buffers) {
  buffers.instrument(kernel);
  SmallVector<Access> accesses;
  for (Instruction &instruction : instructions(kernel)) {
    if (auto *transfer = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      auto *copy = dyn_cast<AnyMemTransferInst>(transfer);
      if (isInMachineMemory(transfer->getRawDest()) ||
          (copy && isInMachineMemory(copy->getRawSource())))
        return createStringError(
            "the simulator cannot check a block copy in memory");
    }
    if (instruction.hasMetadata("conv.sim.internal"))
      continue;
    std::optional<Access> access = getAccess(instruction);
    if (access && isInMachineMemory(access->address))
      accesses.push_back(*access);
  }
  const DataLayout &layout = kernel.getDataLayout();
  for (const Access &access : accesses) {
    SiteInfo info{.name = getName(access.kind).str(), .kind = access.kind};
    info.bytes = layout.getTypeStoreSize(access.type);
    info.alignment = access.alignment.value();
    Constant *site = object.addSite(info, *access.instruction);
    IRBuilder<> builder(access.instruction);
    Value *address =
        builder.CreatePtrToInt(access.address, builder.getInt64Ty());
    object.callService(builder, Service::Access,
                       {kernel.getArg(0), site, address});
  }
  return Error::success();
}
