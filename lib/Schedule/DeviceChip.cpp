//===- DeviceChip.cpp - a chip with the units of a device -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of the device is an attribute of an operation around it, such
// as the module, which has the target.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/DeviceChip.h"

#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

using namespace mlir;
using namespace mlir::conv;

static constexpr llvm::StringLiteral kUnits = "conv.compute_units";
static constexpr llvm::StringLiteral kSecondCache = "conv.second_cache_bytes";

/// A copy of the processor with a second cache of so many bytes. Copies live as
/// long as the process: there is one for each size that it compiles for.
static const ::conv::HostProcessor *
withSecondCache(const ::conv::HostProcessor &processor, int64_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const ::conv::HostProcessor *, int64_t>,
                  ::conv::HostProcessor>
      known;
  if (processor.secondCacheBytes == bytes)
    return &processor;
  std::lock_guard lock(mutex);
  auto [place, isNew] = known.try_emplace({&processor, bytes}, processor);
  if (isNew)
    place->second.secondCacheBytes = bytes;
  return &place->second;
}

/// The value of the nearest attribute of this name around an operation.
static std::optional<int64_t> lookUp(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto found = op->getAttrOfType<IntegerAttr>(name))
      return found.getInt();
  return std::nullopt;
}

/// Sets an attribute if the target is a host, whose table has only one machine.
static void setFact(Operation *op, StringRef name, int64_t value) {
  TargetAttr target = TargetAttr::lookup(op);
  if (target && target.getInfo().isProcessor())
    op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(value));
}

::conv::ChipInfo mlir::conv::getDeviceChip(Operation *op) {
  ::conv::ChipInfo chip = TargetAttr::lookup(op).getInfo();
  if (!chip.isProcessor())
    return chip;
  if (std::optional<int64_t> units = lookUp(op, kUnits))
    chip.computeUnits = int(*units);
  if (std::optional<int64_t> bytes = lookUp(op, kSecondCache))
    chip.processor = withSecondCache(*chip.processor, *bytes);
  return chip;
}

void mlir::conv::setComputeUnits(Operation *op, int64_t computeUnits) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  setFact(op, kUnits, std::min(computeUnits, kMost));
}

void mlir::conv::setSecondCacheBytes(Operation *op, int64_t bytes) {
  setFact(op, kSecondCache, bytes);
}
