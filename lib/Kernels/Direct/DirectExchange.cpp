//===- DirectExchange.cpp - sums exchanged between subgroups ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions of one pair are adjacent. The distances between pairs and between
// subgroups are chosen so that simultaneous accesses have no bank conflicts.
//
//===----------------------------------------------------------------------===//

#include "DirectExchange.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

DirectExchange::DirectExchange(const Kernel &kernel, const DirectTiling &tiling)
    : kernel(kernel), vectors(tiling.countVectors()),
      positions(tiling.countExchangedPositions()),
      subgroups(kernel.workItems / kernel.chip.subgroupSize) {}

MemRefType DirectExchange::getType() const {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return MemRefType::get(
      {subgroups * FilterBlocks::getExchangedSums(positions, vectors)},
      kernel.b.getF32Type(), AffineMap(), space);
}

Value DirectExchange::createOffset(Value subgroup, Value pair,
                                   Value position) const {
  const IndexMath &math = kernel.math;
  Value offset =
      math.mul(subgroup, FilterBlocks::getExchangedSums(positions, vectors));
  offset = math.add(offset,
                    math.mul(pair, FilterBlocks::getPairDistance(positions)));
  offset = math.add(offset, math.mul(position, FilterBlocks::kPair));
  ImplicitLocOpBuilder &b = kernel.b;
  return arith::IndexCastOp::create(b, b.getIndexType(), offset);
}

void DirectExchange::write(Value position, Value pair, Value sums) const {
  vector::StoreOp::create(kernel.b, sums, buffer,
                          createOffset(kernel.subgroup, pair, position))
      .setAlignment(FilterBlocks::kPair * sizeof(float));
}

SmallVector<Value> DirectExchange::load(const Item &item) const {
  const IndexMath &math = kernel.math;
  ImplicitLocOpBuilder &b = kernel.b;
  auto pairType = VectorType::get({FilterBlocks::kPair}, b.getF32Type());
  Value subgroup = math.add(math.mul(item.slice, vectors), item.vector);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < FilterBlocks::kVector / FilterBlocks::kPair; ++i) {
    auto load = vector::LoadOp::create(
        b, pairType, buffer,
        createOffset(subgroup, math.constant(i), item.position));
    load.setAlignment(FilterBlocks::kPair * sizeof(float));
    for (int64_t j = 0; j < FilterBlocks::kPair; ++j)
      sums.push_back(vector::ExtractOp::create(b, load, j));
  }
  return sums;
}

// The loop is unrolled, so that the loads of all rounds overlap.
void DirectExchange::forEachItem(
    int64_t count, function_ref<void(const Item &, Value isThere)> body) const {
  const IndexMath &math = kernel.math;
  int64_t items = subgroups * count;
  for (int64_t first = 0; first < items; first += kernel.workItems) {
    Value isThere = first + kernel.workItems <= items
                        ? math.yes()
                        : math.below(kernel.workItem, items - first);
    SmallVector<Value> digits =
        math.split(math.add(kernel.workItem, first),
                   {subgroups / vectors, count, vectors});
    body({digits[0], digits[1], digits[2]}, isThere);
  }
}

void DirectExchange::read(
    int64_t count, function_ref<void(const Item &, ValueRange)> body) const {
  forEachItem(count, [&](const Item &item, Value isThere) {
    if (matchPattern(isThere, m_One()))
      return body(item, load(item));
    scf::IfOp::create(kernel.b, isThere, [&](OpBuilder &b, Location loc) {
      body(item, load(item));
      scf::YieldOp::create(b, loc);
    });
  });
}
