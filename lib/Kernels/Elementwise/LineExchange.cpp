//===- LineExchange.cpp - lines that work-items load together -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has the lines one after the other. If each work-item reads an
// odd number of vectors, lanes that read at the same time use different banks.
//
//===----------------------------------------------------------------------===//

#include "LineExchange.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

bool LineExchange::allocate(gpu::GPUFuncOp function) {
  auto space = gpu::AddressSpaceAttr::get(kernel.b.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({shape.lines * shape.elements}, element,
                              AffineMap(), space);
  int64_t bytes = computeBytes(type);
  for (BlockArgument other : function.getWorkgroupAttributions())
    bytes += computeBytes(cast<MemRefType>(other.getType()));
  if (bytes > kernel.chip.staticSharedMemory)
    return false;
  buffer = function.addWorkgroupAttribution(type, kernel.b.getLoc());
  return true;
}

LineExchange::Vector LineExchange::getVector(int64_t i) const {
  const IndexMath &math = kernel.math;
  Value number = math.add(kernel.workItem, i * kernel.workItems);
  int64_t ofLine = shape.elements / shape.width;
  bool areWhole = (i + 1) * kernel.workItems <= shape.countVectors();
  return {math.div(number, ofLine),
          math.mul(math.rem(number, ofLine), shape.width),
          areWhole ? math.yes() : math.below(number, shape.countVectors())};
}

SmallVector<Value> LineExchange::exchange(ArrayRef<Value> vectors, Value line,
                                          Value first, int64_t count) const {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  int64_t bytes = getElementBytes(element);
  auto getIndex = [&](Value offset) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), offset);
  };
  for (auto [i, loaded] : llvm::enumerate(vectors)) {
    auto [ownLine, place, isThere] = getVector(int64_t(i));
    Value offset = math.add(math.mul(ownLine, shape.elements), place);
    auto store = [&, loaded = loaded] {
      vector::StoreOp::create(b, loaded, buffer, getIndex(offset))
          .setAlignment(shape.width * bytes);
    };
    if ((int64_t(i) + 1) * kernel.workItems <= shape.countVectors()) {
      store();
      continue;
    }
    scf::IfOp::create(b, isThere, [&](OpBuilder &, Location) {
      store();
      scf::YieldOp::create(b);
    });
  }
  gpu::BarrierOp::create(b);
  int64_t part = std::gcd(shape.width, count);
  auto type = VectorType::get({part}, element);
  Value start = math.add(math.mul(line, shape.elements), first);
  SmallVector<Value> elements;
  for (int64_t step = 0; step < count; step += part) {
    auto load = vector::LoadOp::create(b, type, buffer,
                                       getIndex(math.add(start, step)));
    load.setAlignment(part * bytes);
    for (int64_t i = 0; i < part; ++i)
      elements.push_back(vector::ExtractOp::create(b, load, i));
  }
  gpu::BarrierOp::create(b);
  return elements;
}
