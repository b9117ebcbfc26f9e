//===- BytePermutations.cpp - shuffles of four bytes ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This runs before LLVM optimises, which would merge shuffles to others that no
// instruction has.
//
//===----------------------------------------------------------------------===//

#include "BytePermutations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

static constexpr unsigned kBytes = 4;

static bool permutesBytes(const Instruction &instruction) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
  if (!shuffle)
    return false;
  auto *type =
      FixedVectorType::get(Type::getInt8Ty(shuffle->getContext()), kBytes);
  return shuffle->getType() == type &&
         shuffle->getOperand(0)->getType() == type &&
         !isa<UndefValue>(shuffle->getOperand(1));
}

/// Which bytes of the second and of the first operand, in this order, an
/// instruction takes for a shuffle that counts those of the first one first.
static uint32_t computeSelector(ArrayRef<int> mask) {
  uint32_t selector = 0;
  for (auto [place, byte] : enumerate(mask)) {
    auto source = static_cast<uint32_t>(std::max(byte, 0)); // Any, if below 0.
    selector |= (source ^ kBytes) << (8 * place);
  }
  return selector;
}

static void replaceByPermutation(ShuffleVectorInst &shuffle) {
  IRBuilder<> b(&shuffle);
  Type *word = b.getInt32Ty();
  Value *bytes = b.CreateIntrinsic(
      word, Intrinsic::amdgcn_perm,
      {b.CreateBitCast(shuffle.getOperand(0), word),
       b.CreateBitCast(shuffle.getOperand(1), word),
       b.getInt32(computeSelector(shuffle.getShuffleMask()))});
  shuffle.replaceAllUsesWith(b.CreateBitCast(bytes, shuffle.getType()));
  shuffle.eraseFromParent();
}

void mlir::conv::permuteBytes(Function &kernel) {
  for (Instruction &instruction : make_early_inc_range(instructions(kernel)))
    if (permutesBytes(instruction))
      replaceByPermutation(cast<ShuffleVectorInst>(instruction));
}
