//===- Banks.cpp - how LDS serves a wave ----------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes that share a pass depend on the width of the instruction. Wide
// reads do not group neighbouring lanes: docs/simulator.md has the table and
// its source.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Banks.h"

#include <algorithm>
#include <bit>

using namespace conv;

/// The groups of a 16-byte read in a half-wave of 32 lanes, on 32 banks: lanes
/// 0-3 go with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27.
static uint32_t getWideReadGroup(uint32_t lane) {
  static constexpr uint32_t groupOfQuad[8] = {0, 1, 2, 3, 1, 0, 3, 2};
  return lane / 32 * 4 + groupOfQuad[lane % 32 / 4];
}

/// The pass that serves `lane` when there are no conflicts.
static uint32_t getGroup(uint32_t lane, uint32_t bytes, uint32_t bankCount,
                         bool isStore) {
  // A group has as many lanes as fill the banks once.
  uint32_t wordsPerLane = std::max(1u, bytes / 4);
  uint32_t lanesPerGroup =
      std::max(1u, bankCount / std::bit_ceil(wordsPerLane));
  if (bytes == 16 && bankCount == 32 && !isStore)
    return getWideReadGroup(lane);
  return lane / lanesPerGroup;
}

BankCost conv::computeBankCost(const std::vector<LdsAccess> &accesses,
                               uint32_t bytes, uint32_t bankCount,
                               bool isStore) {
  constexpr uint32_t maxGroups = 64;
  std::vector<uint32_t> words[maxGroups];
  for (const LdsAccess &access : accesses) {
    uint32_t group = getGroup(access.lane, bytes, bankCount, isStore);
    uint32_t firstWord = access.address / 4;
    uint32_t lastWord = (access.address + bytes - 1) / 4;
    for (uint32_t word = firstWord; word <= lastWord; ++word)
      words[group].push_back(word);
  }
  BankCost cost = {0, 0};
  std::vector<uint32_t> load(bankCount);
  for (std::vector<uint32_t> &group : words) {
    if (group.empty())
      continue;
    std::sort(group.begin(), group.end());
    group.erase(std::unique(group.begin(), group.end()), group.end());
    std::fill(load.begin(), load.end(), 0);
    for (uint32_t word : group)
      ++load[word % bankCount];
    uint32_t passes = *std::max_element(load.begin(), load.end());
    cost.cycles += passes;
    cost.conflicts += passes - 1;
  }
  return cost;
}
