//===- Banks.h - how LDS serves a wave --------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of LDS bank conflicts that the simulator and the clock share.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_BANKS_H
#define CONV_CHIP_BANKS_H

#include <cstdint>
#include <vector>

namespace conv {

/// One lane's share of an LDS instruction; `address` is relative to LDS start.
struct LdsAccess {
  uint32_t lane;
  uint32_t address;
};

struct BankCost {
  uint64_t cycles;    ///< Passes through the banks.
  uint64_t conflicts; ///< Passes beyond one for each group of lanes.
};

/// The cost of a load or store of `bytes` bytes a lane. Lanes are served in
/// groups that together fill the banks once. In a group, each bank delivers one
/// word per pass, to every lane that asks for that word.
BankCost computeBankCost(const std::vector<LdsAccess> &accesses, uint32_t bytes,
                         uint32_t bankCount, bool isStore);

} // namespace conv

#endif // CONV_CHIP_BANKS_H
