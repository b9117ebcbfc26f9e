//===- LowerIntrinsics.cpp - AMD intrinsics as host code ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table maps the exact name of an intrinsic to its replacement: nothing, a
// field of the item, a barrier, a buffer access, a few host instructions, or an
// operation of the machine (SimOps.def). A name without a row is an error,
// never a guess.
//
//===----------------------------------------------------------------------===//

#include "LowerIntrinsics.h"

#include "../BufferOffsets.h"
#include "MachineCalls.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace conv::simgen;

namespace {

/// Rewrites the calls of one kernel.
class IntrinsicLowering {
public:
  IntrinsicLowering(Function &kernel, ObjectBuilder &object,
                    BufferLowering &buffers, uint32_t waveSize)
      : kernel(kernel), object(object), buffers(buffers),
        machine(kernel, object), waveSize(waveSize) {}

  Error run();

  // The rewrites of the table's rows. Each returns the replacement.
  Value *dropCall(CallInst &call);
  Value *readItem(CallInst &call, unsigned offset);
  Value *readPointer(CallInst &call, unsigned offset);
  Value *emitBarrier(CallInst &call, Service service);
  Value *emitWaitCount(CallInst &call);
  Value *emitWaveSize(CallInst &call);
  Value *emitMakeResource(CallInst &call);
  Value *emitBufferLoad(CallInst &call);
  Value *emitBufferStore(CallInst &call);
  Value *emitBufferAtomic(CallInst &call, AtomicRMWInst::BinOp operation);

private:
  Error lowerCall(CallInst &call);
  void lowerFrem(BinaryOperator &frem);
  void lowerFence(FenceInst &fence);
  Error lowerAtomic(AtomicRMWInst &atomic);

  Function &kernel;
  ObjectBuilder &object;
  BufferLowering &buffers;
  MachineCalls machine;
  uint32_t waveSize;
};

using Rewrite = std::function<Value *(IntrinsicLowering &, CallInst &)>;

} // namespace

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

Value *IntrinsicLowering::dropCall(CallInst &) { return nullptr; }

Value *IntrinsicLowering::readItem(CallInst &call, unsigned offset) {
  IRBuilder<> builder(&call);
  return object.loadItemField(builder, kernel.getArg(0), offset,
                              call.getType());
}

Value *IntrinsicLowering::readPointer(CallInst &call, unsigned offset) {
  IRBuilder<> builder(&call);
  Value *pointer = object.loadItemField(builder, kernel.getArg(0), offset,
                                        builder.getPtrTy());
  return builder.CreateAddrSpaceCast(pointer, call.getType());
}

Value *IntrinsicLowering::emitBarrier(CallInst &call, Service service) {
  IRBuilder<> builder(&call);
  Constant *site =
      object.addSite({.name = "barrier", .kind = abi::SiteKind::Barrier}, call);
  object.callService(builder, service, {kernel.getArg(0), site});
  return nullptr;
}

/// Copies to LDS are in flight until a wave waits for them; nothing else is
/// asynchronous.
Value *IntrinsicLowering::emitWaitCount(CallInst &call) {
  if (!call.getModule()->getFunction("llvm.amdgcn.raw.ptr.buffer.load.lds"))
    return dropCall(call);
  return machine.call(call, "s.waitcnt", abi::SiteKind::WaveOp,
                      SmallVector<Value *>(call.args()), call.getType());
}

Value *IntrinsicLowering::emitWaveSize(CallInst &call) {
  return ConstantInt::get(call.getType(), waveSize);
}

Value *IntrinsicLowering::emitMakeResource(CallInst &call) {
  IRBuilder<> builder(&call);
  return builder.CreateAddrSpaceCast(lowerMakeResource(call, object),
                                     call.getType());
}

Value *IntrinsicLowering::emitBufferLoad(CallInst &call) {
  return buffers.lowerLoad(call);
}

Value *IntrinsicLowering::emitBufferStore(CallInst &call) {
  buffers.lowerStore(call);
  return nullptr;
}

Value *IntrinsicLowering::emitBufferAtomic(CallInst &call,
                                           AtomicRMWInst::BinOp operation) {
  return buffers.lowerAtomic(call, operation);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static Rewrite drop() {
  return [](IntrinsicLowering &lowering, CallInst &call) {
    return lowering.dropCall(call);
  };
}

static Rewrite item(unsigned offset) {
  return [=](IntrinsicLowering &lowering, CallInst &call) {
    return lowering.readItem(call, offset);
  };
}

static Rewrite pointer(unsigned offset) {
  return [=](IntrinsicLowering &lowering, CallInst &call) {
    return lowering.readPointer(call, offset);
  };
}

static Rewrite barrier(Service service) {
  return [=](IntrinsicLowering &lowering, CallInst &call) {
    return lowering.emitBarrier(call, service);
  };
}

static Rewrite bufferAtomic(AtomicRMWInst::BinOp operation) {
  return [=](IntrinsicLowering &lowering, CallInst &call) {
    return lowering.emitBufferAtomic(call, operation);
  };
}

/// The rewrite of an intrinsic, by its name after `llvm.amdgcn.` and without
/// overloaded types. The rows are alphabetical.
static const StringMap<Rewrite> &getRewrites() {
  static const StringMap<Rewrite> rewrites = {
      {"dispatch.ptr", pointer(offsetof(abi::Item, dispatchPacket))},
      {"iglp.opt", drop()},
      {"implicitarg.ptr", pointer(offsetof(abi::Item, implicitArgs))},
      {"kernarg.segment.ptr", pointer(offsetof(abi::Item, kernarg))},
      {"make.buffer.rsrc", std::mem_fn(&IntrinsicLowering::emitMakeResource)},
      {"raw.ptr.buffer.atomic.add", bufferAtomic(AtomicRMWInst::Add)},
      {"raw.ptr.buffer.atomic.and", bufferAtomic(AtomicRMWInst::And)},
      {"raw.ptr.buffer.atomic.fadd", bufferAtomic(AtomicRMWInst::FAdd)},
      {"raw.ptr.buffer.atomic.fmax", bufferAtomic(AtomicRMWInst::FMax)},
      {"raw.ptr.buffer.atomic.fmin", bufferAtomic(AtomicRMWInst::FMin)},
      {"raw.ptr.buffer.atomic.or", bufferAtomic(AtomicRMWInst::Or)},
      {"raw.ptr.buffer.atomic.smax", bufferAtomic(AtomicRMWInst::Max)},
      {"raw.ptr.buffer.atomic.smin", bufferAtomic(AtomicRMWInst::Min)},
      {"raw.ptr.buffer.atomic.sub", bufferAtomic(AtomicRMWInst::Sub)},
      {"raw.ptr.buffer.atomic.swap", bufferAtomic(AtomicRMWInst::Xchg)},
      {"raw.ptr.buffer.atomic.umax", bufferAtomic(AtomicRMWInst::UMax)},
      {"raw.ptr.buffer.atomic.umin", bufferAtomic(AtomicRMWInst::UMin)},
      {"raw.ptr.buffer.atomic.xor", bufferAtomic(AtomicRMWInst::Xor)},
      {"raw.ptr.buffer.load", std::mem_fn(&IntrinsicLowering::emitBufferLoad)},
      {"raw.ptr.buffer.store",
       std::mem_fn(&IntrinsicLowering::emitBufferStore)},
      {"s.barrier", barrier(Service::Barrier)},
      {"s.barrier.signal", barrier(Service::BarrierSignal)},
      {"s.barrier.wait", barrier(Service::Barrier)},
      {"s.nop", drop()},
      {"s.prefetch.data", drop()},
      {"s.setprio", drop()},
      {"s.sleep", drop()},
      {"s.wait.asynccnt", drop()},
      {"s.wait.dscnt", drop()},
      {"s.wait.expcnt", drop()},
      {"s.wait.kmcnt", drop()},
      {"s.wait.loadcnt", drop()},
      {"s.wait.storecnt", drop()},
      {"s.waitcnt", std::mem_fn(&IntrinsicLowering::emitWaitCount)},
      {"sched.barrier", drop()},
      {"sched.group.barrier", drop()},
      {"wavefrontsize", std::mem_fn(&IntrinsicLowering::emitWaveSize)},
      {"workgroup.id.x", item(offsetof(abi::Item, workgroupId))},
      {"workgroup.id.y", item(offsetof(abi::Item, workgroupId) + 4)},
      {"workgroup.id.z", item(offsetof(abi::Item, workgroupId) + 8)},
      {"workitem.id.x", item(offsetof(abi::Item, workItemId))},
      {"workitem.id.y", item(offsetof(abi::Item, workItemId) + 4)},
      {"workitem.id.z", item(offsetof(abi::Item, workItemId) + 8)},
  };
  return rewrites;
}

/// Where AMD's name of an instruction collides with LLVM's name of a function,
/// the machine has a name of its own.
static StringRef getMachineName(StringRef intrinsic) {
  return StringSwitch<StringRef>(intrinsic)
      .Case("llvm.amdgcn.log", "log2")
      .Case("llvm.cos", "trig.cos")
      .Case("llvm.sin", "trig.sin")
      .StartsWith("llvm.amdgcn.", intrinsic.substr(strlen("llvm.amdgcn.")))
      .Default(intrinsic.substr(strlen("llvm.")));
}

Error IntrinsicLowering::lowerCall(CallInst &call) {
  if (mlir::conv::isHiddenOffset(call)) // `instrument` needs the call.
    return Error::success();
  if (call.isInlineAsm())
    return createStringError("the simulator cannot run inline assembly");
  Function *callee = call.getCalledFunction();
  if (!callee)
    return createStringError("the simulator cannot run an indirect call");
  StringRef fullName = callee->getName();
  Intrinsic::ID id = callee->getIntrinsicID();
  bool isDevice = fullName.starts_with("llvm.amdgcn.");
  if (isDevice && id == Intrinsic::not_intrinsic)
    return createStringError("the simulator does not know intrinsic '" +
                             fullName + "'");
  if (!isDevice && !isLibraryFunction(id)) {
    if (id == Intrinsic::not_intrinsic && callee->isDeclaration())
      return createStringError("function '" + fullName + "' is not defined");
    return Error::success();
  }
  StringRef name = getMachineName(Intrinsic::getBaseName(id));
  if (isDevice) {
    const StringMap<Rewrite> &rewrites = getRewrites();
    if (auto row = rewrites.find(name); row != rewrites.end()) {
      Value *result = row->second(*this, call);
      if (result)
        call.replaceAllUsesWith(result);
      call.eraseFromParent();
      return Error::success();
    }
  }
  return machine.lower(call, name);
}

//===----------------------------------------------------------------------===//
// Instructions that are not calls
//===----------------------------------------------------------------------===//

void IntrinsicLowering::lowerFrem(BinaryOperator &frem) {
  Value *result = machine.callElementwise(
      frem, "frem", {frem.getOperand(0), frem.getOperand(1)}, frem.getType());
  frem.replaceAllUsesWith(result);
  frem.eraseFromParent();
}

/// The lanes of a wave run in lockstep on the GPU but one by one here, so a
/// wavefront fence makes lanes wait for each other. Wider fences come with
/// barriers or concern other workgroups.
void IntrinsicLowering::lowerFence(FenceInst &fence) {
  SmallVector<StringRef> scopes;
  fence.getContext().getSyncScopeNames(scopes);
  StringRef scope = scopes[fence.getSyncScopeID()];
  if (scope.starts_with("wavefront")) {
    machine.call(fence, "wave.barrier", abi::SiteKind::WaveOp, {},
                 Type::getVoidTy(fence.getContext()));
    fence.eraseFromParent();
  } else if (scope.starts_with("workgroup") ||
             scope.starts_with("singlethread")) {
    fence.eraseFromParent();
  } else {
    fence.setSyncScopeID(SyncScope::System);
  }
}

/// An atomic addition of bf16 pairs has no host form; the machine does it.
Error IntrinsicLowering::lowerAtomic(AtomicRMWInst &atomic) {
  atomic.setSyncScopeID(SyncScope::System);
  Type *type = atomic.getType();
  if (!type->getScalarType()->isBFloatTy())
    return Error::success();
  auto *pair = dyn_cast<FixedVectorType>(type);
  if (atomic.getOperation() != AtomicRMWInst::FAdd || !pair ||
      pair->getNumElements() != 2)
    return createStringError(
        "the simulator does not know the atomic '" +
        AtomicRMWInst::getOperationName(atomic.getOperation()) + "' on bf16");
  IRBuilder<> builder(&atomic);
  Value *address = builder.CreateAddrSpaceCast(atomic.getPointerOperand(),
                                               builder.getPtrTy());
  Value *result =
      machine.call(atomic, "atomic.pk.add.bf16", abi::SiteKind::LaneOp,
                   {address, atomic.getValOperand()}, type);
  atomic.replaceAllUsesWith(result);
  atomic.eraseFromParent();
  return Error::success();
}

Error IntrinsicLowering::run() {
  SmallVector<Instruction *> work;
  for (Instruction &instruction : instructions(kernel))
    if (isa<CallInst, FenceInst, AtomicRMWInst>(instruction) ||
        instruction.getOpcode() == Instruction::FRem)
      work.push_back(&instruction);
  for (Instruction *instruction : work) {
    if (auto *call = dyn_cast<CallInst>(instruction)) {
      if (Error error = lowerCall(*call))
        return error;
    } else if (auto *fence = dyn_cast<FenceInst>(instruction)) {
      lowerFence(*fence);
    } else if (auto *atomic = dyn_cast<AtomicRMWInst>(instruction)) {
      if (Error error = lowerAtomic(*atomic))
        return error;
    } else {
      lowerFrem(cast<BinaryOperator>(*instruction));
    }
  }
  return Error::success();
}

Error conv::simgen::lowerIntrinsics(Function &kernel, ObjectBuilder &object,
                                    BufferLowering &buffers,
                                    uint32_t waveSize) {
  return IntrinsicLowering(kernel, object, buffers, waveSize).run();
}
