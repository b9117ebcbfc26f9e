//===- MixedMultiplyAdds.cpp - f32 sums of f16 products -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are counted where they are written, not how often they execute:
// a loop over lines of taps has its conversions and its products together.
//
//===----------------------------------------------------------------------===//

#include "MixedMultiplyAdds.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static uint64_t countElements(const Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

static bool isMultiplyAdd(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return call && (call->getIntrinsicID() == Intrinsic::fma ||
                  call->getIntrinsicID() == Intrinsic::fmuladd);
}

/// Whether an instruction computes with f32, which two elements can share.
static bool isPackable(const Instruction &instruction) {
  return instruction.getType()->getScalarType()->isFloatTy() &&
         (instruction.isBinaryOp() || isMultiplyAdd(&instruction));
}

/// Whether it converts f16 that multiply-adds of one element take as it is.
static bool isFoldedConversion(const Instruction &instruction) {
  auto *extension = dyn_cast<FPExtInst>(&instruction);
  return extension && extension->getSrcTy()->getScalarType()->isHalfTy() &&
         any_of(extension->users(), [](const User *user) {
           return isMultiplyAdd(user) || (isa<ExtractElementInst>(user) &&
                                          any_of(user->users(), isMultiplyAdd));
         });
}

void mlir::conv::keepMixedMultiplyAdds(Function &kernel) {
  uint64_t packable = 0, converted = 0;
  for (const Instruction &instruction : instructions(kernel)) {
    uint64_t elements = countElements(instruction.getType());
    packable += isPackable(instruction) ? elements : 0;
    converted += isFoldedConversion(instruction) ? elements : 0;
  }
  // LLVM vectorizes neither arithmetic nor loads and stores of functions with
  // this attribute; direct kernels load and store vectors as they are.
  if (2 * converted > packable)
    kernel.addFnAttr(llvm::Attribute::NoImplicitFloat);
}
