//===- Extent.cpp - printed size of attributes and types --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extent.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;

/// Counts of parts saturate here: it is larger than any limit, and the sum of
/// two counts does not overflow.
static constexpr int64_t kMaxParts = int64_t(1) << 61;

template <typename T> Extent ExtentCounter::countElement(T attributeOrType) {
  const void *key = attributeOrType.getAsOpaquePointer();
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Extent extent = {/*levels=*/1, /*parts=*/1};
  auto addInner = [&](auto inner) {
    if (!inner)
      return;
    Extent part = countElement(inner);
    extent.levels = std::max(extent.levels, part.levels + 1);
    extent.parts = std::min(extent.parts + part.parts, kMaxParts);
  };
  attributeOrType.walkImmediateSubElements(
      [&](Attribute inner) { addInner(inner); },
      [&](Type inner) { addInner(inner); });
  known[key] = extent;
  return extent;
}

Extent ExtentCounter::count(Operation *op) {
  Extent largest;
  auto add = [&](Extent extent) {
    largest.levels = std::max(largest.levels, extent.levels);
    largest.parts = std::max(largest.parts, extent.parts);
  };
  add(count(op->getAttrDictionary()));
  add(count(Attribute(op->getLoc())));
  for (Type type : op->getResultTypes())
    add(count(type));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        add(count(argument.getType()));
        add(count(Attribute(argument.getLoc())));
      }
      for (Operation &inner : block)
        add(count(&inner));
    }
  largest.levels += 1;
  return largest;
}
