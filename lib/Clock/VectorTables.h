//===- VectorTables.h - vector instructions by name -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like ScalarTables.h, for the values of all lanes. The names of generations
// differ only by `_nc` and `_co`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_VECTORTABLES_H
#define CONV_LIB_CLOCK_VECTORTABLES_H

#include "Wave.h"

#include <cstdint>
#include <string_view>

namespace conv::clock {

/// An operation on 32 bits of each lane.
struct Operation {
  int operands;
  void (*run)(const Lanes &, const Lanes &, const Lanes &, Lanes &);
  /// Whether the lower half of the result depends on no upper half.
  bool keepsHalves = false;
};

/// 64-bit operations: whether the first, second and third operand are pairs.
struct WideOperation {
  bool pairs[3];
  uint64_t (*run)(uint64_t, uint64_t, uint64_t);
};

/// The upper bits of operands that are shorter do not matter.
using LaneCompare = bool (*)(uint64_t, uint64_t);

/// The operation of an instruction; null if its form lacks the name.
const Operation *lookupOperation(std::string_view name);
const WideOperation *lookupWide(std::string_view name);
/// What a comparison does, by the part of its name after `v_cmp_`.
LaneCompare lookupCompareOfLanes(std::string_view name);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_VECTORTABLES_H
