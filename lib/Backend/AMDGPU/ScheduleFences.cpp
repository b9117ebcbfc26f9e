//===- ScheduleFences.cpp - who issues when in a step -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's scheduler reads as much as it has registers for before it multiplies.
// Groups of instructions, counted in the section itself, replace its order.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFences.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// What a section between fences has, in program order.
struct Section {
  int64_t firstReads = 0;    ///< Before the first matrix instruction.
  int64_t laterReads = 0;    ///< After it.
  int64_t earlyProducts = 0; ///< Matrix instructions before the last read.
  int64_t products = 0;      ///< All matrix instructions.
};
} // namespace

/// Whether it is a matrix instruction, not multiply-adds of lanes.
static bool isProduct(Operation &op) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getAtom().getKind() != AtomKind::FMA;
}

static bool isSharedRead(Operation &op) {
  auto load = dyn_cast<vector::LoadOp>(op);
  return load && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                     load.getBase().getType());
}

/// Counts what lies between `end` and the fence, or the start of the block,
/// before it.
static Section countSection(ScheduleFenceOp end) {
  Block::iterator first = end->getIterator();
  while (first != end->getBlock()->begin() &&
         !isa<ScheduleFenceOp>(*std::prev(first)))
    --first;
  Section section;
  for (Operation &op : llvm::make_range(first, end->getIterator())) {
    if (isProduct(op)) {
      ++section.products;
    } else if (isSharedRead(op)) {
      ++(section.products == 0 ? section.firstReads : section.laterReads);
      section.earlyProducts = section.products;
    }
  }
  return section;
}

static void createGroups(ScheduleFenceOp end, const Section &section) {
  // Bits of the instruction's mask: LLVM's AMDGPU usage, sched_group_barrier.
  constexpr uint32_t kProducts = 0x8, kSharedReads = 0x100;
  OpBuilder builder(end);
  auto createGroup = [&](uint32_t kind, int64_t count) {
    ROCDL::SchedGroupBarrier::create(builder, end.getLoc(), kind,
                                     static_cast<uint32_t>(count),
                                     /*groupId=*/0);
  };
  int64_t turn =
      std::max<int64_t>(1, section.earlyProducts / section.laterReads);
  int64_t left = section.products;
  createGroup(kSharedReads, section.firstReads);
  for (int64_t read = 0; read < section.laterReads && left > turn; ++read) {
    createGroup(kProducts, turn);
    createGroup(kSharedReads, 1);
    left -= turn;
  }
  createGroup(kProducts, left);
}

void mlir::conv::convertScheduleFences(gpu::GPUModuleOp module) {
  using enum amdgpu::sched_barrier_opt_enum;
  SmallVector<std::pair<ScheduleFenceOp, Section>> fences;
  module.walk([&](ScheduleFenceOp fence) {
    fences.push_back({fence, countSection(fence)});
  });
  for (auto &[fence, section] : fences) {
    if (section.products > 0 && section.laterReads > 0)
      createGroups(fence, section);
    // Matrix instructions of the last reads may wait with what follows; what
    // makes pieces of loads must not come earlier, with a wait for them.
    OpBuilder builder(fence);
    amdgpu::SchedBarrierOp::create(builder, fence.getLoc(),
                                   section.products > 0 ? mfma_wmma : none);
    fence.erase();
  }
}
