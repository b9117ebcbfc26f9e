//===- ExpandBf16.cpp - bf16 arithmetic for a host without it -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bf16 values are the upper halves of f32 values. Arithmetic on them is done in
// f32 and rounded to nearest even, with integer instructions, so that the host
// compiler calls no library function for it.
//
//===----------------------------------------------------------------------===//

#include "LowerIntrinsics.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace conv::simgen;

/// `type` with its elements replaced by `element`.
static Type *withElement(Type *type, Type *element) {
  if (auto *vector = dyn_cast<VectorType>(type))
    return VectorType::get(element, vector->getElementCount());
  return element;
}

static bool isBf16(const Value *value) {
  return value->getType()->getScalarType()->isBFloatTy();
}

static Value *widen(IRBuilderBase &builder, Value *value) {
  Type *type = value->getType();
  Type *i16 = withElement(type, builder.getInt16Ty());
  Type *i32 = withElement(type, builder.getInt32Ty());
  Value *bits = builder.CreateZExt(builder.CreateBitCast(value, i16), i32);
  return builder.CreateBitCast(builder.CreateShl(bits, 16),
                               withElement(type, builder.getFloatTy()));
}

/// Rounds f32 to nearest even; NaN stays NaN.
static Value *narrow(IRBuilderBase &builder, Value *value) {
  Type *type = value->getType();
  Type *i16 = withElement(type, builder.getInt16Ty());
  Type *i32 = withElement(type, builder.getInt32Ty());
  auto constant = [&](uint32_t bits) { return ConstantInt::get(i32, bits); };
  Value *bits = builder.CreateBitCast(value, i32);
  Value *lowest = builder.CreateAnd(builder.CreateLShr(bits, 16), constant(1));
  Value *rounded =
      builder.CreateAdd(builder.CreateAdd(bits, lowest), constant(0x7fff));
  Value *quiet = builder.CreateOr(bits, constant(0x400000));
  Value *chosen =
      builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  Value *upper = builder.CreateTrunc(builder.CreateLShr(chosen, 16), i16);
  return builder.CreateBitCast(upper, withElement(type, builder.getBFloatTy()));
}

/// Arithmetic with a counterpart in f32.
static bool isArithmetic(const Instruction &instruction) {
  if (isa<BinaryOperator>(instruction) ||
      instruction.getOpcode() == Instruction::FNeg)
    return true;
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && !call->getType()->isVoidTy() && isBf16(call) &&
         all_of(call->args(), [](const Use &use) { return isBf16(use.get()); });
}

static Value *expandArithmetic(IRBuilderBase &builder,
                               Instruction &instruction) {
  Type *wide = withElement(instruction.getType(), builder.getFloatTy());
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    SmallVector<Value *> operands;
    for (Value *operand : call->args())
      operands.push_back(widen(builder, operand));
    return narrow(builder, builder.CreateIntrinsic(call->getIntrinsicID(),
                                                   {wide}, operands));
  }
  if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return narrow(builder,
                  builder.CreateBinOp(binary->getOpcode(),
                                      widen(builder, binary->getOperand(0)),
                                      widen(builder, binary->getOperand(1))));
  return narrow(builder,
                builder.CreateFNeg(widen(builder, instruction.getOperand(0))));
}

/// Conversions between bf16 and anything go through f32.
static Value *expandConversion(IRBuilderBase &builder, CastInst &cast) {
  Value *source = cast.getOperand(0);
  Type *target = cast.getType();
  Type *floats = withElement(target, builder.getFloatTy());
  if (isBf16(source)) {
    Value *wide = widen(builder, source);
    return wide->getType() == target
               ? wide
               : builder.CreateCast(cast.getOpcode(), wide, target);
  }
  Value *wide = source->getType() == floats
                    ? source
                    : builder.CreateCast(cast.getOpcode(), source, floats);
  return narrow(builder, wide);
}

/// The host's code generator widens shuffled vectors of bf16 to f32, and calls
/// this function to narrow them again.
static void defineNarrowing(Module &module) {
  constexpr StringLiteral kName = "__truncsfbf2";
  if (module.getFunction(kName))
    return;
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(Type::getBFloatTy(context),
                                 {Type::getFloatTy(context)}, false);
  auto *function =
      Function::Create(type, GlobalValue::ExternalLinkage, kName, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  builder.CreateRet(narrow(builder, function->getArg(0)));
}

void conv::simgen::expandBf16(Function &kernel) {
  defineNarrowing(*kernel.getParent());
  SmallVector<Instruction *> work;
  for (Instruction &instruction : instructions(kernel)) {
    if (isa<FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst, FPToSIInst,
            FPToUIInst>(instruction) &&
        (isBf16(&instruction) || isBf16(instruction.getOperand(0))))
      work.push_back(&instruction);
    else if (isArithmetic(instruction) && isBf16(&instruction))
      work.push_back(&instruction);
    else if (isa<FCmpInst>(instruction) && isBf16(instruction.getOperand(0)))
      work.push_back(&instruction);
  }
  for (Instruction *instruction : work) {
    IRBuilder<> builder(instruction);
    if (auto *compare = dyn_cast<FCmpInst>(instruction)) {
      compare->setOperand(0, widen(builder, compare->getOperand(0)));
      compare->setOperand(1, widen(builder, compare->getOperand(1)));
      continue;
    }
    Value *result = nullptr;
    if (auto *cast = dyn_cast<CastInst>(instruction))
      result = expandConversion(builder, *cast);
    else
      result = expandArithmetic(builder, *instruction);
    instruction->replaceAllUsesWith(result);
    instruction->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Moving bf16 as integers
//===----------------------------------------------------------------------===//

/// `value` with the bits of its elements as integers.
static Value *asIntegers(IRBuilderBase &builder, Value *value) {
  Type *type = withElement(value->getType(), builder.getInt16Ty());
  auto *cast = dyn_cast<BitCastInst>(value);
  if (cast && cast->getSrcTy() == type)
    return cast->getOperand(0);
  return builder.CreateBitCast(value, type);
}

static Value *movePhi(IRBuilderBase &builder, PHINode &phi) {
  Type *type = withElement(phi.getType(), builder.getInt16Ty());
  PHINode *moved = builder.CreatePHI(type, phi.getNumIncomingValues());
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    IRBuilder<> atEnd(block->getTerminator());
    moved->addIncoming(asIntegers(atEnd, value), block);
  }
  builder.SetInsertPoint(phi.getParent()->getFirstInsertionPt());
  return moved;
}

/// Moves the bits as integers; null for anything but a move.
static Value *moveAsIntegers(IRBuilderBase &builder, Instruction &instruction) {
  auto operand = [&](unsigned i) {
    return asIntegers(builder, instruction.getOperand(i));
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return builder.CreateAlignedLoad(
        withElement(load->getType(), builder.getInt16Ty()),
        load->getPointerOperand(), load->getAlign(), load->isVolatile());
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return movePhi(builder, *phi);
  if (isa<SelectInst>(instruction))
    return builder.CreateSelect(instruction.getOperand(0), operand(1),
                                operand(2));
  if (isa<ExtractElementInst>(instruction))
    return builder.CreateExtractElement(operand(0), instruction.getOperand(1));
  if (isa<InsertElementInst>(instruction))
    return builder.CreateInsertElement(operand(0), operand(1),
                                       instruction.getOperand(2));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    return builder.CreateShuffleVector(operand(0), operand(1),
                                       shuffle->getShuffleMask());
  return nullptr;
}

/// Stores bf16 as integers, and removes casts that remain between
/// moves.
static void removeCasts(Function &kernel) {
  for (Instruction &instruction : instructions(kernel))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && isBf16(store->getValueOperand())) {
      IRBuilder<> builder(store);
      store->setOperand(0, asIntegers(builder, store->getValueOperand()));
    }
  for (Instruction &instruction : make_early_inc_range(instructions(kernel))) {
    auto *outer = dyn_cast<BitCastInst>(&instruction);
    auto *inner = outer ? dyn_cast<BitCastInst>(outer->getOperand(0)) : nullptr;
    if (!inner || inner->getSrcTy() != outer->getType())
      continue;
    outer->replaceAllUsesWith(inner->getOperand(0));
    outer->eraseFromParent();
  }
  for (Instruction &instruction : make_early_inc_range(instructions(kernel)))
    if (isa<BitCastInst>(instruction) && instruction.use_empty())
      instruction.eraseFromParent();
}

void conv::simgen::moveBf16AsIntegers(Function &kernel) {
  SmallVector<Instruction *> moves;
  for (Instruction &instruction : instructions(kernel))
    if (isBf16(&instruction))
      moves.push_back(&instruction);
  for (Instruction *instruction : moves) {
    IRBuilder<> builder(instruction);
    Value *moved = moveAsIntegers(builder, *instruction);
    if (!moved)
      continue;
    instruction->replaceAllUsesWith(
        builder.CreateBitCast(moved, instruction->getType()));
    instruction->eraseFromParent();
  }
  removeCasts(kernel);
}
