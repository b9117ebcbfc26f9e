//===- MachineCalls.cpp - operations of the simulator ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCalls.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace conv::simgen;

/// The operations of the machine.
static const StringMap<abi::SiteKind> &getMachineOps() {
  static const StringMap<abi::SiteKind> operations = {
#define CONV_SIM_WAVE_OP(name, handler) {name, abi::SiteKind::WaveOp},
#define CONV_SIM_MATRIX_OP(name, handler) {name, abi::SiteKind::WaveOp},
#define CONV_SIM_LANE_OP(name, handler) {name, abi::SiteKind::LaneOp},
#include "conv/Runtime/SimOps.def"
  };
  return operations;
}

bool conv::simgen::isLibraryFunction(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::cos:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::exp2:
  case Intrinsic::frexp:
  case Intrinsic::ldexp:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::pow:
  case Intrinsic::sin:
  case Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

static std::string getTypeSuffix(Type *type) {
  type = type->getScalarType();
  if (type->isHalfTy())
    return ".f16";
  if (type->isBFloatTy())
    return ".bf16";
  if (type->isFloatTy())
    return ".f32";
  if (type->isDoubleTy())
    return ".f64";
  if (type->isIntegerTy())
    return ".i" + std::to_string(type->getIntegerBitWidth());
  return "";
}

static uint32_t alignToFrame(uint64_t bytes) {
  return alignTo(std::max<uint64_t>(bytes, 1), abi::frameAlignment);
}

Value *MachineCalls::call(Instruction &at, StringRef name, abi::SiteKind kind,
                          ArrayRef<Value *> operands, Type *resultType) {
  const DataLayout &layout = kernel.getDataLayout();
  IRBuilder<> builder(&at);
  Value *item = kernel.getArg(0);
  Value *frame = object.loadItemField(builder, item, offsetof(abi::Item, frame),
                                      builder.getPtrTy());
  SiteInfo info{.name = name.str(), .kind = kind};
  if (!resultType->isVoidTy())
    info.resultBytes = layout.getTypeStoreSize(resultType);
  uint32_t offset = alignToFrame(info.resultBytes);
  for (Value *operand : operands) {
    Type *type = operand->getType();
    info.operandOffsets.push_back(offset);
    info.operandBytes.push_back(layout.getTypeStoreSize(type));
    markInternal(builder.CreateAlignedStore(
        operand, builder.CreateConstGEP1_64(builder.getInt8Ty(), frame, offset),
        Align(abi::frameAlignment)));
    offset += alignToFrame(info.operandBytes.back());
  }
  assert(offset <= abi::frameBytes && operands.size() <= abi::maxOperands &&
         "no operation of the machine is larger than the frame");
  Constant *site = object.addSite(info, at);
  if (kind == abi::SiteKind::LaneOp)
    object.callLaneHandler(builder, item, site);
  else
    object.callService(builder, Service::WaveOp, {item, site});
  if (resultType->isVoidTy())
    return nullptr;
  return markInternal(
      builder.CreateAlignedLoad(resultType, frame, Align(abi::frameAlignment)));
}

Value *MachineCalls::callElementwise(Instruction &at, StringRef name,
                                     ArrayRef<Value *> operands, Type *type) {
  IRBuilder<> builder(&at);
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    Value *result = PoisonValue::get(vector);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      SmallVector<Value *> elements;
      for (Value *operand : operands)
        elements.push_back(operand->getType()->isVectorTy()
                               ? builder.CreateExtractElement(operand, i)
                               : operand);
      Value *element =
          callElementwise(at, name, elements, vector->getElementType());
      result = builder.CreateInsertElement(result, element, i);
    }
    return result;
  }
  if (type->isDoubleTy() || type->isFloatTy() || type->isStructTy())
    return call(at, (name + getTypeSuffix(operands[0]->getType())).str(),
                abi::SiteKind::LaneOp, operands, type);
  SmallVector<Value *> wide;
  for (Value *operand : operands)
    wide.push_back(operand->getType()->isFloatingPointTy()
                       ? builder.CreateFPExt(operand, builder.getFloatTy())
                       : operand);
  Value *result = call(at, (name + ".f32").str(), abi::SiteKind::LaneOp, wide,
                       builder.getFloatTy());
  return builder.CreateFPTrunc(result, type);
}

Error MachineCalls::lower(CallInst &instruction, StringRef name) {
  const StringMap<abi::SiteKind> &operations = getMachineOps();
  SmallVector<Value *> operands(instruction.args());
  Value *result = nullptr;
  auto known = operations.find(name);
  Type *typed = instruction.arg_empty()
                    ? instruction.getType()
                    : instruction.getArgOperand(0)->getType();
  std::string typedName = (name + getTypeSuffix(typed)).str();
  if (known != operations.end()) {
    result =
        call(instruction, name, known->second, operands, instruction.getType());
  } else if (auto found = operations.find(typedName);
             found != operations.end() && !typed->isVectorTy()) {
    result = call(instruction, typedName, found->second, operands,
                  instruction.getType());
  } else if (operations.contains((name + ".f32").str()) &&
             instruction.getType()->isFPOrFPVectorTy()) {
    result =
        callElementwise(instruction, name, operands, instruction.getType());
  } else {
    return createStringError("the simulator does not know intrinsic '" +
                             instruction.getCalledFunction()->getName() + "'");
  }
  if (result)
    instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
  return Error::success();
}
