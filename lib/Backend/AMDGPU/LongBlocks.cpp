//===- LongBlocks.cpp - code that is scheduled in parts ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other waves of the unit fill the time that a split block loses.
//
//===----------------------------------------------------------------------===//

#include "LongBlocks.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

/// Longer blocks are split; main loops are shorter.
static constexpr size_t kLongest = 6144;
static constexpr size_t kPart = 256;

static void part(BasicBlock &block) {
  SmallVector<Instruction *> ends;
  size_t count = 0;
  for (Instruction &instruction : block)
    if (++count % kPart == 0 && !isa<PHINode>(instruction) &&
        !instruction.isTerminator())
      ends.push_back(&instruction);
  for (Instruction *end : ends) {
    IRBuilder<> builder(end);
    builder.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {},
                            {builder.getInt32(0)}); // Let nothing pass.
  }
}

void mlir::conv::partLongBlocks(Function &kernel) {
  for (BasicBlock &block : kernel)
    if (block.size() > kLongest)
      part(block);
}
