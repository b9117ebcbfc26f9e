//===- Operations.cpp - the operations by name ----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that SimOps.def defines.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include <algorithm>
#include <vector>

using namespace conv::runtime::sim;

static std::vector<Operation> createTable() {
  std::vector<Operation> table = {
#define CONV_SIM_WAVE_OP(name, handler) {name, handler, nullptr, 0},
#define CONV_SIM_LANE_OP(name, handler) {name, nullptr, handler, 0},
#define CONV_SIM_MATRIX_OP(name, handler)                                      \
  {name, handler, nullptr, handler##_info.flops},
#include "conv/Runtime/SimOps.def"
  };
  std::sort(
      table.begin(), table.end(),
      [](const Operation &a, const Operation &b) { return a.name < b.name; });
  return table;
}

const Operation *conv::runtime::sim::findOperation(std::string_view name) {
  static const std::vector<Operation> table = createTable();
  auto found = std::lower_bound(table.begin(), table.end(), name,
                                [](const Operation &row, std::string_view key) {
                                  return row.name < key;
                                });
  return found != table.end() && found->name == name ? &*found : nullptr;
}
