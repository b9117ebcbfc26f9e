//===- ConvertedLoop.cpp - products of tf32 parts -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertedLoop.h"

#include "../Parts/Warpgroup/WgmmaFragmentUnit.h"
#include "../Parts/Warpgroup/WgmmaUnit.h"
#include "TF32Parts.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

ConvertedLoop::ConvertedLoop(const PtxBuilder &ptx, const TmaGeometry &geometry,
                             const Tile &tile,
                             const WarpgroupPipelines &pipelines, Value memory,
                             Value consumer, Value workItem)
    : WgmmaSums(ptx, tile, ptx.b.getF32Type()), geometry(geometry),
      pipelines(pipelines), memory(memory),
      fragments(ptx, tile, geometry.isLeftTransposed(), consumer, workItem),
      right(createRowsDescriptor(
          ptx, LLVM::PtrToIntOp::create(
                   ptx.b, ptx.b.getI32Type(),
                   ptx.offset(memory, tile.convertedOffset())))) {}

ArrayRef<Value> ConvertedLoop::getFragment(ArrayRef<Value> left, int64_t part,
                                           int64_t atom, int64_t step) const {
  int64_t number = (atom * countSteps() + step) * tile.convertedParts + part;
  return left.slice(number * LeftFragments::kRegisters,
                    LeftFragments::kRegisters);
}

SmallVector<Value> ConvertedLoop::loadLeft(Value stage) const {
  Value left = ptx.offset(ptx.offset(memory, tile.leftOffset()),
                          ptx.math.mul(stage, tile.stageBytes()));
  SmallVector<Value> elements;
  for (int64_t atom = 0; atom < tile.atomsPerConsumer(); ++atom)
    for (int64_t step = 0; step < countSteps(); ++step)
      llvm::append_range(elements, fragments.load(left, atom, step));
  return elements;
}

SmallVector<Value> ConvertedLoop::split(ArrayRef<Value> elements) const {
  SmallVector<Value> registers;
  for (; !elements.empty();
       elements = elements.drop_front(LeftFragments::kRegisters)) {
    SmallVector<SmallVector<Value>> parts(tile.convertedParts);
    for (Value element : elements.take_front(LeftFragments::kRegisters))
      for (auto [list, part] :
           llvm::zip(parts, createTF32Parts(ptx, element, tile.convertedParts)))
        list.push_back(part);
    for (ArrayRef<Value> list : parts)
      llvm::append_range(registers, list);
  }
  return registers;
}

SmallVector<Value> ConvertedLoop::multiply(ArrayRef<Value> left, Value stage,
                                           ValueRange totals) const {
  bool isFirst = tile.addsSteps();
  SmallVector<Value> sums =
      isFirst ? createUndefined() : llvm::to_vector_of<Value>(totals);
  Value units = ptx.extend64(ptx.math.div(
      ptx.math.mul(stage, tile.convertedBytes()), kDescriptorUnitBytes));
  Value descriptor = ptx.add64(right, units);
  auto addProducts = [&](int64_t leftPart, int64_t rightPart) {
    for (int64_t step = 0; step < countSteps(); ++step) {
      int64_t bytes =
          rightPart * tile.convertedPartBytes() + step * Tile::kAtomBytes;
      Value b =
          ptx.add64(descriptor, ptx.constant64(bytes / kDescriptorUnitBytes));
      for (auto [atom, sum] : llvm::enumerate(sums))
        sum = createFragmentProduct(ptx, tile.columns, "tf32", sum,
                                    getFragment(left, leftPart, atom, step), b,
                                    !isFirst);
      isFirst = false;
    }
  };
  NVVM::WgmmaFenceAlignedOp::create(ptx.b);
  if (tile.convertedParts == 2) {
    addProducts(1, 0);
    addProducts(0, 1);
  }
  addProducts(0, 0);
  NVVM::WgmmaGroupSyncAlignedOp::create(ptx.b);
  return sums;
}

SmallVector<Value> ConvertedLoop::add(ValueRange sums,
                                      ValueRange others) const {
  SmallVector<Value> result;
  for (auto [sum, other] : llvm::zip(sums, others))
    result.push_back(addAtom(sum, other));
  return result;
}

SmallVector<Value> ConvertedLoop::takeLeft(const PipelineState &at,
                                           Value isReleasing) const {
  pipelines.stages.wait(at);
  SmallVector<Value> elements = loadLeft(at.stage);
  // Loads may still wait after stores of a result, while the release lets the
  // next copy overwrite what they read.
  ptx.fenceSharedForCopies();
  ptx.synchronizeWarp();
  ptx.createIf(isReleasing, [&] { pipelines.stages.release(at.stage); });
  return elements;
}

SmallVector<Value> ConvertedLoop::addStep(ValueRange carried, Value isReleasing,
                                          bool loadsNext) const {
  size_t atoms = tile.atomsPerConsumer();
  LoopPosition at = LoopPosition::get(carried.slice(atoms, 4));
  auto takeElements = [&] {
    SmallVector<Value> elements = takeLeft(at.stage, isReleasing);
    at.stage = pipelines.stages.getNext(at.stage);
    return elements;
  };
  SmallVector<Value> left =
      loadsAhead() ? llvm::to_vector_of<Value>(carried.drop_front(atoms + 4))
                   : split(takeElements());
  pipelines.converted->wait(*at.second);
  SmallVector<Value> products =
      multiply(left, at.second->stage, carried.take_front(atoms));
  SmallVector<Value> elements;
  if (loadsAhead() && loadsNext)
    elements = takeElements();
  products = finish(products);
  ptx.createIf(isReleasing,
               [&] { pipelines.converted->release(at.second->stage); });
  at.second = pipelines.converted->getNext(*at.second);
  SmallVector<Value> next =
      tile.addsSteps() ? add(carried.take_front(atoms), products) : products;
  llvm::append_range(next, at.carried());
  llvm::append_range(next, split(elements));
  return next;
}

WarpgroupLoop::Sums ConvertedLoop::create(Value steps, Value isReleasing,
                                          LoopPosition position) const {
  SmallVector<Value> values = createZeros();
  SmallVector<Value> left;
  if (loadsAhead()) {
    left = split(takeLeft(position.stage, isReleasing));
    position.stage = pipelines.stages.getNext(position.stage);
  }
  llvm::append_range(values, position.carried());
  llvm::append_range(values, left);
  values = ptx.createFor(ptx.math.constant(loadsAhead() ? 1 : 0), steps, 1,
                         values, [&](Value, ValueRange carried) {
                           return addStep(carried, isReleasing,
                                          /*loadsNext=*/true);
                         });
  if (loadsAhead())
    values = addStep(values, isReleasing, /*loadsNext=*/false);
  size_t atoms = tile.atomsPerConsumer();
  return {llvm::to_vector_of<Value>(ArrayRef(values).take_front(atoms)),
          LoopPosition::get(ValueRange(values).slice(atoms, 4))};
}
