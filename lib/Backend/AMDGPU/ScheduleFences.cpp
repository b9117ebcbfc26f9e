//===- ScheduleFences.cpp - who issues when in a step -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's scheduler issues as many reads as it has registers for before it
// multiplies. Groups of instructions, counted in the section itself, replace
// its order. If the first product of a section needs one of the section's
// reads, all reads up to that one come first. Otherwise products multiply what
// was read before, so accesses keep their order, with products between them.
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
/// Bits of the mask of `sched_group_barrier` (LLVM's AMDGPU usage).
enum GroupKind : uint32_t {
  kNoGroup = 0,
  kProducts = 0x8,
  kLoads = 0x20,
  kSharedReads = 0x100,
  kSharedWrites = 0x200
};

/// The contents of a section between fences, in program order.
struct Section {
  int64_t firstReads = 0;    ///< Reads before the first product.
  int64_t laterReads = 0;    ///< Reads after it.
  int64_t earlyProducts = 0; ///< Matrix instructions before the last read.
  int64_t products = 0;      ///< All matrix instructions.
  bool readsFirst = false;   ///< The first product needs a read.
  SmallVector<GroupKind> kinds;
};
} // namespace

/// Whether it is a matrix instruction rather than multiply-adds of lanes.
static bool isProduct(Operation &op) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getAtom().getKind() != AtomKind::FMA;
}

static bool isSharedRead(Operation &op) {
  if (isa<amdgpu::TransposeLoadOp>(op))
    return true;
  auto load = dyn_cast<vector::LoadOp>(op);
  return load && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                     load.getBase().getType());
}

static GroupKind getKind(Operation &op) {
  if (isProduct(op))
    return kProducts;
  if (isSharedRead(op))
    return kSharedReads;
  if (isa<GuardedLoadOp, GuardedCopyOp, PlacedLoadOp>(op))
    return kLoads;
  auto store = dyn_cast<vector::StoreOp>(op);
  bool isShared = store && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                               store.getBase().getType());
  return isShared ? kSharedWrites : kNoGroup;
}

/// Whether a value, or a vector that makes it up, is read after `start`.
static bool isReadAfter(Value value, Operation *start) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != start->getBlock() || op->isBeforeInBlock(start))
    return false;
  if (isSharedRead(*op))
    return true;
  return isa<vector::VectorDialect>(op->getDialect()) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isReadAfter(operand, start);
         });
}

/// The ops between `end` and the previous fence, or the start of the block.
static Section listSection(ScheduleFenceOp end) {
  Block::iterator first = end->getIterator();
  while (first != end->getBlock()->begin() &&
         !isa<ScheduleFenceOp>(*std::prev(first)))
    --first;
  Section section;
  for (Operation &op : llvm::make_range(first, end->getIterator())) {
    GroupKind kind = getKind(op);
    if (kind == kProducts && section.products++ == 0)
      section.readsFirst = isReadAfter(cast<MmaOp>(op).getA(), &*first);
    if (kind == kSharedReads) {
      ++(section.products == 0 ? section.firstReads : section.laterReads);
      section.earlyProducts = section.products;
    }
    if (kind != kNoGroup)
      section.kinds.push_back(kind);
  }
  return section;
}

static void createGroup(OpBuilder &builder, Location loc, GroupKind kind,
                        int64_t count) {
  if (count > 0)
    ROCDL::SchedGroupBarrier::create(
        builder, loc, kind, static_cast<uint32_t>(count), /*groupId=*/0);
}

/// Reads outnumber products, as in small WMMA tiles, so that a round's products
/// do not hide the latency of the next round's reads: each read is several
/// products ahead. More of them would take more registers than these loops
/// have.
static void createEarlyReadGroups(ScheduleFenceOp end, const Section &section) {
  OpBuilder builder(end);
  Location loc = end.getLoc();
  constexpr int64_t kProductsAhead = 3;
  int64_t perProduct =
      llvm::divideCeil(section.laterReads, section.earlyProducts);
  int64_t left = section.laterReads;
  auto take = [&](int64_t most) {
    int64_t reads = std::min(left, most);
    left -= reads;
    return reads;
  };
  createGroup(builder, loc, kSharedReads,
              section.firstReads + take(kProductsAhead * perProduct));
  for (int64_t product = 0; product < section.products; ++product) {
    createGroup(builder, loc, kProducts, 1);
    createGroup(builder, loc, kSharedReads, take(perProduct));
  }
}

/// Each read of a later round follows the same number of products.
static void createReadGroups(ScheduleFenceOp end, const Section &section) {
  OpBuilder builder(end);
  Location loc = end.getLoc();
  int64_t turn =
      std::max<int64_t>(1, section.earlyProducts / section.laterReads);
  int64_t left = section.products;
  createGroup(builder, loc, kSharedReads, section.firstReads);
  for (int64_t read = 0; read < section.laterReads && left > turn; ++read) {
    createGroup(builder, loc, kProducts, turn);
    createGroup(builder, loc, kSharedReads, 1);
    left -= turn;
  }
  createGroup(builder, loc, kProducts, left);
}

/// The accesses of a round keep their order, and the products after them are
/// spread between them: between neighbours, or if there are many, as where
/// lanes load element by element, between so many turns of accesses of a kind.
/// LLVM takes time with the square of the number of groups.
static void createStepGroups(ScheduleFenceOp end, ArrayRef<GroupKind> kinds) {
  OpBuilder builder(end);
  Location loc = end.getLoc();
  auto isProductKind = [](GroupKind kind) { return kind == kProducts; };
  while (!kinds.empty()) {
    auto accesses = kinds.take_until(isProductKind);
    auto products = kinds.drop_front(accesses.size()).take_while(isProductKind);
    kinds = kinds.drop_front(accesses.size() + products.size());
    constexpr size_t kMaxTurns = 32;
    size_t turn = llvm::divideCeil(accesses.size(), kMaxTurns);
    int64_t done = 0, alike = 0;
    for (auto [i, access] : llvm::enumerate(accesses)) {
      ++alike;
      bool isLast = i + 1 == accesses.size() || accesses[i + 1] != access;
      if (!isLast && (i + 1) % turn != 0)
        continue;
      int64_t upTo = products.size() * (i + 1) / accesses.size();
      createGroup(builder, loc, access, std::exchange(alike, 0));
      createGroup(builder, loc, kProducts, upTo - done);
      done = upTo;
    }
    createGroup(builder, loc, kProducts, products.size() - done);
  }
}

void mlir::conv::convertScheduleFences(gpu::GPUModuleOp module) {
  using enum amdgpu::sched_barrier_opt_enum;
  SmallVector<std::pair<ScheduleFenceOp, Section>> fences;
  module.walk([&](ScheduleFenceOp fence) {
    fences.push_back({fence, listSection(fence)});
  });
  for (auto &[fence, section] : fences) {
    if (section.products > 0 && !section.readsFirst)
      createStepGroups(fence, section.kinds);
    else if (section.laterReads > section.earlyProducts)
      createEarlyReadGroups(fence, section);
    else if (section.laterReads > 0)
      createReadGroups(fence, section);
    // Matrix instructions of the last reads may move after the fence, but those
    // of earlier reads hide the latency of what precedes it. Ops that assemble
    // loaded vectors must not move before it, and wait for loads.
    OpBuilder builder(fence);
    amdgpu::SchedBarrierOp::create(builder, fence.getLoc(),
                                   section.readsFirst ? mfma_wmma : none);
    fence.erase();
  }
}
