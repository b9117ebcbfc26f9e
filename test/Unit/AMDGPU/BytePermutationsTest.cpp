//===- BytePermutationsTest.cpp - shuffles as instructions ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator executes shuffles as they are, so it does not tell whether the
// instruction that takes their place does the same: LLVM's constant folder
// does.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Backend/AMDGPU/BytePermutations.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <array>

using namespace llvm;

namespace {

struct BytePermutationsTest : testing::Test {
  /// A function that returns a shuffle of its two arguments.
  Function *create(unsigned bytes, ArrayRef<int> mask) {
    auto *type = FixedVectorType::get(Type::getInt8Ty(context), bytes);
    auto *result = FixedVectorType::get(Type::getInt8Ty(context), mask.size());
    auto *function =
        Function::Create(FunctionType::get(result, {type, type}, false),
                         Function::ExternalLinkage, "shuffle", module);
    IRBuilder<> b(BasicBlock::Create(context, "", function));
    b.CreateRet(
        b.CreateShuffleVector(function->getArg(0), function->getArg(1), mask));
    return function;
  }

  template <typename T> T *find(Function &function) {
    for (Instruction &instruction : instructions(function))
      if (auto *found = dyn_cast<T>(&instruction))
        return found;
    return nullptr;
  }

  LLVMContext context;
  Module module{"shuffles", context};
};

TEST_F(BytePermutationsTest, InstructionsTakeTheBytesOfTheShuffle) {
  auto *word = Type::getInt32Ty(context);
  std::array<Constant *, 2> words = {ConstantInt::get(word, 0x13121110),
                                     ConstantInt::get(word, 0x17161514)};
  for (int number = 0; number < 8 * 8 * 8 * 8; ++number) {
    std::array<int, 4> mask = {number % 8, number / 8 % 8, number / 64 % 8,
                               number / 512};
    Function *function = create(4, mask);
    mlir::conv::permuteBytes(*function);
    EXPECT_EQ(find<ShuffleVectorInst>(*function), nullptr);
    auto *permutation = find<IntrinsicInst>(*function);
    ASSERT_NE(permutation, nullptr);
    ASSERT_EQ(permutation->getIntrinsicID(), Intrinsic::amdgcn_perm);
    auto *selector = cast<Constant>(permutation->getArgOperand(2));
    auto *folded = dyn_cast_or_null<ConstantInt>(
        ConstantFoldCall(permutation, permutation->getCalledFunction(),
                         {words[0], words[1], selector}));
    ASSERT_NE(folded, nullptr);
    uint32_t expected = 0;
    for (size_t i = 0; i < mask.size(); ++i)
      expected |= uint32_t(0x10 + mask[i]) << (8 * i);
    EXPECT_EQ(folded->getZExtValue(), expected) << number;
    function->eraseFromParent();
  }
}

TEST_F(BytePermutationsTest, OtherShufflesStay) {
  for (Function *function :
       {create(4, {0, 1}), create(8, {0, 1, 8, 9}), create(2, {0, 1, 2, 3})}) {
    mlir::conv::permuteBytes(*function);
    EXPECT_NE(find<ShuffleVectorInst>(*function), nullptr);
    EXPECT_EQ(find<IntrinsicInst>(*function), nullptr);
  }
}

} // namespace
