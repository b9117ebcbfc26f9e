//===- LaneOperands.h - operands and results of one lane --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of one lane read their operands from the frame of the work-item,
// at the offsets of the instruction's site, and write the result to the
// beginning of the frame.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_LANEOPERANDS_H
#define CONV_LIB_RUNTIME_SIM_LANEOPERANDS_H

#include "Operations.h"
#include "Workgroup.h"

#include <cstring>

namespace conv::runtime::sim {

using abi::Item;
using abi::Site;

/// An operand of the instruction at a site.
template <typename T>
T operand(const Item *item, const Site *site, unsigned index) {
  T value;
  memcpy(&value, item->frame + site->operandOffset[index], sizeof(T));
  return value;
}

template <typename T> void setResult(Item *item, T value) {
  memcpy(item->frame, &value, sizeof(T));
}

/// Applies `function` to one operand.
template <typename T, typename Function>
void apply(Item *item, const Site *site, Function function) {
  setResult<T>(item, function(operand<T>(item, site, 0)));
}

inline const SimChip &chipOf(const Item *item) {
  return static_cast<const WorkItem *>(item)->group->getChip();
}

template <typename T> struct Pair {
  T low, high;
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_LANEOPERANDS_H
