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
                                             ValueRange places) const {
  int64_t inRhs = block - lhs.numBlocks();
  return inRhs < 0
             ? lhs.startBlock(block, k, places.take_front(lhs.numPlaces()))
             : rhs.startBlock(inRhs, k, places.drop_front(lhs.numPlaces()));
}

void MainLoopParts::finishBlock(int64_t block, ValueRange loads,
                                Value stage) const {
  int64_t inRhs = block - lhs.numBlocks();
  return inRhs < 0 ? lhs.finishBlock(block, loads, stage)
                   : rhs.finishBlock(inRhs, loads, stage);
}

SmallVector<Value> MainLoopParts::createPlaces(Value k) const {
  SmallVector<Value> places = lhs.createPlaces(k);
  llvm::append_range(places, rhs.createPlaces(k));
  return places;
}

/// Places of the loads of some operands for the tile at `k`: new places where a
/// run starts, else places moved from the previous tile.
static SmallVector<Value> movePlaces(const Kernel &kernel,
                                     ArrayRef<const OperandCopy *> copies,
                                     ValueRange places, Value k) {
  auto createAll = [&]() {
    SmallVector<Value> all;
    for (const OperandCopy *copy : copies)
      llvm::append_range(all, copy->createPlaces(k));
    return all;
  };
  int64_t run = copies.front()->getPlaceRun();
  if (run == 0 || run == kernel.form.getReduction())
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
                                             ValueRange places, Value k) const {
  if (lhs.getPlaceRun() == rhs.getPlaceRun())
    return ::movePlaces(kernel, {&lhs, &rhs}, places, k);
  SmallVector<Value> moved =
      ::movePlaces(kernel, {&lhs}, places.take_front(lhs.numPlaces()), k);
  llvm::append_range(
      moved,
      ::movePlaces(kernel, {&rhs}, places.drop_front(lhs.numPlaces()), k));
  return moved;
}
