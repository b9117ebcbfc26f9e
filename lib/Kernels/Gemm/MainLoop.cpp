//===- MainLoop.cpp - main loops of staged tiles ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Main loops number the blocks of both operands in one list. The byte offsets
// (places) of their loads, if they have any, are in another list.
//
//===----------------------------------------------------------------------===//

#include "MainLoop.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<Value> MainLoopParts::startBlock(int64_t block, Value k,
                                             ValueRange places,
                                             ValueRange shared,
                                             Value guard) const {
  int64_t inRhs = block - lhs.numBlocks();
  return inRhs < 0
             ? lhs.startBlock(block, k, places.take_front(lhs.numPlaces()),
                              shared.take_front(lhs.numShared()), guard)
             : rhs.startBlock(inRhs, k, places.drop_front(lhs.numPlaces()),
                              shared.drop_front(lhs.numShared()), guard);
}

SmallVector<Value> MainLoopParts::findShared(Value k) const {
  SmallVector<Value> shared = lhs.findShared(k);
  llvm::append_range(shared, rhs.findShared(k));
  return shared;
}

SmallVector<Value> MainLoopParts::moveShared(ValueRange shared, Value k) const {
  SmallVector<Value> moved =
      lhs.moveShared(shared.take_front(lhs.numShared()), k);
  llvm::append_range(moved,
                     rhs.moveShared(shared.drop_front(lhs.numShared()), k));
  return moved;
}

void MainLoopParts::finishBlock(int64_t block, ValueRange loads,
                                Value stage) const {
  int64_t inRhs = block - lhs.numBlocks();
  return inRhs < 0 ? lhs.finishBlock(block, loads, stage)
                   : rhs.finishBlock(inRhs, loads, stage);
}

SmallVector<Value> MainLoopParts::createPlaces(Value k, Value guard) const {
  SmallVector<Value> places = lhs.createPlaces(k, guard);
  llvm::append_range(places, rhs.createPlaces(k, guard));
  return places;
}

/// Places of the loads of some operands for the tile at `k`: new places where a
/// run starts, else places moved from the previous tile.
static SmallVector<Value> movePlaces(const Kernel &kernel,
                                     ArrayRef<const OperandCopy *> copies,
                                     ValueRange places, Value k, Value guard) {
  auto createAll = [&]() {
    SmallVector<Value> all;
    for (const OperandCopy *copy : copies)
      llvm::append_range(all, copy->createPlaces(k, guard));
    return all;
  };
  int64_t run = copies.front()->getPlaceRun();
  if (run == 0 || kernel.getReduction().isAlways(run))
    return places;
  if (auto constant = getConstantIntValue(k))
    return *constant % run == 0 ? createAll() : SmallVector<Value>(places);
  if (run == kernel.gemmK())
    return createAll();
  Value starts =
      arith::CmpIOp::create(kernel.b, arith::CmpIPredicate::eq,
                            kernel.math.rem(k, run), kernel.math.constant(0));
  return scf::IfOp::create(
             kernel.b, starts,
             [&](OpBuilder &, Location) {
               scf::YieldOp::create(kernel.b, createAll());
             },
             [&](OpBuilder &, Location) {
               scf::YieldOp::create(kernel.b, places);
             })
      .getResults();
}

SmallVector<Value> MainLoopParts::movePlaces(const Kernel &kernel,
                                             ValueRange places, Value k,
                                             Value guard) const {
  if (lhs.getPlaceRun() == rhs.getPlaceRun())
    return ::movePlaces(kernel, {&lhs, &rhs}, places, k, guard);
  SmallVector<Value> moved = ::movePlaces(
      kernel, {&lhs}, places.take_front(lhs.numPlaces()), k, guard);
  llvm::append_range(moved, ::movePlaces(kernel, {&rhs},
                                         places.drop_front(lhs.numPlaces()), k,
                                         guard));
  return moved;
}

SmallVector<Value>
mlir::conv::createIf(const Kernel &kernel, const SharedNumber &condition,
                     ValueRange otherwise,
                     function_ref<SmallVector<Value>()> create) {
  if (condition.isUniform())
    return condition.getUniform() ? create() : SmallVector<Value>(otherwise);
  const IndexMath &math = kernel.math;
  auto branch = scf::IfOp::create(
      kernel.b, math.below(math.constant(0), condition),
      [&](OpBuilder &, Location) { scf::YieldOp::create(kernel.b, create()); },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(kernel.b, otherwise);
      });
  return llvm::to_vector_of<Value>(branch.getResults());
}
