//===- Banks.h - how LDS serves a wave --------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of LDS bank conflicts, of the simulator and of the clock.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_BANKS_H
#define CONV_CHIP_BANKS_H

#include <cstdint>
#include <vector>

namespace conv {

/// One lane's part of an LDS instruction; `address` is in bytes from LDS start.
struct LdsAccess {
  uint32_t lane;
  uint32_t address;
};

struct BankCost {
  uint64_t cycles;    ///< Passes through the banks.
  uint64_t conflicts; ///< Of these, beyond one for each group of lanes.
};

/// What a load or store of `bytes` bytes a lane costs. Lanes are served in
/// groups that together fill the banks once; in a group, each bank gives one
/// word a pass, to every lane that asks for it.
BankCost computeBankCost(const std::vector<LdsAccess> &accesses, uint32_t bytes,
                         uint32_t bankCount, bool isStore);

} // namespace conv

#endif // CONV_CHIP_BANKS_H
