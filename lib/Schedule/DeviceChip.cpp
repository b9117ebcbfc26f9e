//===- DeviceChip.cpp - a chip with the units of a device -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number is an attribute of an operation around it, such as the module,
// which has the target.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/DeviceChip.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::conv;

static constexpr llvm::StringLiteral kName = "conv.compute_units";

static bool hasOwnCount(const ::conv::ChipInfo &chip) {
  return chip.backend == ::conv::Backend::Host;
}

::conv::ChipInfo mlir::conv::getDeviceChip(Operation *op) {
  ::conv::ChipInfo chip = TargetAttr::lookup(op).getInfo();
  for (; op && hasOwnCount(chip); op = op->getParentOp())
    if (auto units = op->getAttrOfType<IntegerAttr>(kName)) {
      chip.computeUnits = int(units.getInt());
      break;
    }
  return chip;
}

void mlir::conv::setComputeUnits(Operation *op, int64_t computeUnits) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  TargetAttr target = TargetAttr::lookup(op);
  if (target && hasOwnCount(target.getInfo()))
    op->setAttr(kName, Builder(op->getContext())
                           .getI64IntegerAttr(std::min(computeUnits, kMost)));
}
