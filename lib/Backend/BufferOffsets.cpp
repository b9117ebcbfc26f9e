//===- BufferOffsets.cpp - offsets that no instruction wraps --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction selection looks through sums, shifts and products by constants;
// so does this. The rest of a sum without its constants is not negative if each
// sum on the way is known not to wrap as an unsigned number. For other sums, an
// empty assembly statement makes a value that is opaque to everything.
//
//===----------------------------------------------------------------------===//

#include "BufferOffsets.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// The constant that instruction selection can take out of a value.
struct Constant32 {
  int64_t value = 0;
  bool exists = false;
  /// The rest does not wrap, whatever part of the constant is taken out.
  bool isExact = true;
};
} // namespace

/// Deeper expressions are assumed to wrap.
static constexpr unsigned kMaxDepth = 16;

static Constant32 findConstant(const Value &value, unsigned depth = 0);

static Constant32 findInSum(const BinaryOperator &sum, unsigned depth) {
  const Value *lhs = sum.getOperand(0), *rhs = sum.getOperand(1);
  Constant32 left = findConstant(*lhs, depth),
             right = findConstant(*rhs, depth);
  Constant32 both{left.value + right.value, left.exists || right.exists,
                  left.isExact && right.isExact};
  // A negative constant stays in the register.
  bool staysInRegister = !left.exists && right.value < 0;
  if (!both.exists || staysInRegister || sum.getOpcode() == Instruction::Or)
    return both;
  SimplifyQuery query(sum.getDataLayout(), &sum);
  both.isExact &= sum.hasNoUnsignedWrap() ||
                  computeOverflowForUnsignedAdd(lhs, rhs, query) ==
                      OverflowResult::NeverOverflows;
  return both;
}

static Constant32 findInProduct(const BinaryOperator &product, int64_t factor,
                                unsigned depth) {
  const Value &operand = *product.getOperand(0);
  Constant32 inner = findConstant(operand, depth);
  inner.value *= factor;
  if (!inner.exists || product.hasNoUnsignedWrap())
    return inner;
  KnownBits bits = computeKnownBits(&operand, product.getDataLayout());
  inner.isExact &= bits.getMaxValue().getZExtValue() * factor <= UINT32_MAX;
  return inner;
}

static Constant32 findConstant(const Value &value, unsigned depth) {
  if (const auto *constant = dyn_cast<ConstantInt>(&value))
    return {constant->getSExtValue(), !constant->isZero(), true};
  const auto *operation = dyn_cast<BinaryOperator>(&value);
  if (!operation)
    return {};
  if (++depth > kMaxDepth)
    return {0, true, false};
  const APInt *factor;
  if (match(operation, m_Add(m_Value(), m_Value())) ||
      match(operation, m_DisjointOr(m_Value(), m_Value())))
    return findInSum(*operation, depth);
  if (match(operation, m_Mul(m_Value(), m_APInt(factor))) &&
      !factor->isNegative())
    return findInProduct(*operation, factor->getZExtValue(), depth);
  if (match(operation, m_Shl(m_Value(), m_APInt(factor))))
    return findInProduct(*operation, int64_t(1) << factor->getZExtValue(),
                         depth);
  if (match(operation, m_CombineOr(m_Sub(m_Value(), m_Value()),
                                   m_Mul(m_Value(), m_Value())))) {
    bool exists =
        any_of(operation->operand_values(), [&](const Value *operand) {
          return !isa<ConstantInt>(operand) &&
                 findConstant(*operand, depth).exists;
        });
    return {0, exists, !exists && !isa<ConstantInt>(operation->getOperand(0))};
  }
  return {};
}

uint32_t mlir::conv::getImmediate(const llvm::Value &offset) {
  if (isa<ConstantInt>(offset))
    return 0; // The register would be empty.
  int64_t value = findConstant(offset).value;
  return value > 0 ? uint32_t(value) : 0;
}

/// The offset of a buffer access; null if the call is something else.
static Use *findOffset(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || !call->getCalledFunction()->getName().starts_with(
                   "llvm.amdgcn.raw.ptr.buffer."))
    return nullptr;
  // The offset follows the resource; loads to LDS have two operands between.
  bool isLds =
      call->getIntrinsicID() == Intrinsic::amdgcn_raw_ptr_buffer_load_lds;
  for (Use &operand : call->args())
    if (operand->getType()->isPointerTy() &&
        operand->getType()->getPointerAddressSpace() == 8)
      return &call->getArgOperandUse(operand.getOperandNo() + (isLds ? 3 : 1));
  return nullptr;
}

static InlineAsm *getHidingStatement(LLVMContext &context) {
  Type *i32 = Type::getInt32Ty(context);
  return InlineAsm::get(FunctionType::get(i32, {i32}, false), "", "=v,0",
                        /*hasSideEffects=*/false);
}

void mlir::conv::hideWrappingOffsets(Function &kernel) {
  for (Instruction &instruction : instructions(kernel)) {
    Use *offset = findOffset(instruction);
    if (!offset || isa<ConstantInt>(offset->get()) ||
        findConstant(*offset->get()).isExact)
      continue;
    auto *hidden =
        CallInst::Create(getHidingStatement(kernel.getContext()),
                         {offset->get()}, "", instruction.getIterator());
    hidden->setDoesNotAccessMemory();
    hidden->setDoesNotThrow();
    offset->set(hidden);
  }
}

bool mlir::conv::isHiddenOffset(const CallInst &call) {
  return call.getCalledOperand() == getHidingStatement(call.getContext());
}

void mlir::conv::revealOffsets(Function &kernel) {
  for (Instruction &instruction : make_early_inc_range(instructions(kernel))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !isHiddenOffset(*call))
      continue;
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
}
