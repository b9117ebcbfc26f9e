//===- ChipTableTest.cpp - facts that must agree ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of the chip table that follow from each other or from data sheets. A
// mistyped row contradicts at least one of them.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"

#include "gtest/gtest.h"

#include <map>
#include <set>
#include <tuple>

using namespace conv;

namespace {

TEST(ChipTable, NamesAreFoundAndUnique) {
  std::set<std::string_view> names;
  for (const ChipInfo &chip : allChips()) {
    EXPECT_TRUE(names.insert(chip.name).second) << chip.name;
    EXPECT_EQ(lookupChip(chip.name), &chip);
    EXPECT_NE(chipNames().find(chip.name), std::string::npos);
  }
  EXPECT_EQ(lookupChip("gfx000"), nullptr);
  EXPECT_EQ(lookupChip(""), nullptr);
}

/// How many lanes hold each element of a tile of `rows` x `columns`.
using Coverage = std::map<std::pair<int, int>, int>;

static void expectEachHeld(const Coverage &coverage, int rows, int columns,
                           int times) {
  EXPECT_EQ(int(coverage.size()), rows * columns);
  for (auto [element, count] : coverage) {
    EXPECT_LT(element.first, rows);
    EXPECT_LT(element.second, columns);
    EXPECT_EQ(count, times) << element.first << ", " << element.second;
  }
}

/// Accumulators of all lanes, by the formula of `MatrixAtom`.
static Coverage coverAccumulators(const ChipInfo &chip,
                                  const MatrixAtom &atom) {
  Coverage held;
  int columns = atom.accColumns(), lanesPerRow = atom.n / columns;
  int groups = chip.subgroupSize / lanesPerRow;
  for (int lane = 0; lane < chip.subgroupSize; ++lane)
    for (int v = 0; v < atom.m * atom.n / chip.subgroupSize; ++v) {
      int u = v / columns;
      int row = u % atom.accRun +
                atom.accRun * (lane / lanesPerRow + groups * (u / atom.accRun));
      ++held[{row, lane % lanesPerRow * columns + v % columns}];
    }
  return held;
}

/// Fragments of all lanes, for an operand with `tileRows` rows of which each
/// lane holds `rowsPerLane`.
static Coverage coverOperand(const ChipInfo &chip, const MatrixAtom &atom,
                             int tileRows, int rowsPerLane) {
  Coverage held;
  int distance = tileRows / rowsPerLane, groups = atom.groupsOfK();
  for (int lane = 0; lane < chip.subgroupSize; ++lane) {
    int first = atom.splitsRows() ? lane / groups : lane % distance;
    int group =
        atom.splitsRows() ? lane % groups : lane / (chip.subgroupSize / groups);
    for (int row = 0; row < rowsPerLane; ++row)
      for (int k = 0; k < atom.kPerLane; ++k)
        ++held[{first + row * distance, group * atom.kPerLane + k}];
  }
  return held;
}

TEST(ChipTable, AtomsCoverTheirTilesWithTheLanesTheyHave) {
  for (const ChipInfo &chip : allChips()) {
    if (chip.backend == Backend::Host)
      continue;
    for (const MatrixAtom &atom : chip.atoms) {
      if (isWarpgroupAtom(atom.kind))
        continue; // Operands are in shared memory; accumulators see below.
      SCOPED_TRACE(std::string(chip.name) + " " + std::to_string(atom.m));
      EXPECT_EQ(atom.k % atom.kPerLane, 0);
      expectEachHeld(coverAccumulators(chip, atom), atom.m, atom.n, 1);
      // If lanes outnumber elements, several lanes hold copies.
      auto copies = [&](int rows, int rowsPerLane) {
        return chip.subgroupSize * rowsPerLane * atom.kPerLane /
               (rows * atom.k);
      };
      expectEachHeld(coverOperand(chip, atom, atom.m, atom.rowsOfA()), atom.m,
                     atom.k, copies(atom.m, atom.rowsOfA()));
      expectEachHeld(coverOperand(chip, atom, atom.n, 1), atom.n, atom.k,
                     copies(atom.n, 1));
    }
  }
}

TEST(ChipTable, AccumulatorsOfAWarpgroupCoverTheirTile) {
  for (const MatrixAtom &atom : lookupChip("sm_90a")->atoms) {
    if (!isWarpgroupAtom(atom.kind))
      continue;
    Coverage held;
    for (int subgroup = 0; subgroup < 4; ++subgroup)
      for (int lane = 0; lane < 32; ++lane)
        for (int v = 0; v < atom.m * atom.n / 128; ++v)
          ++held[{16 * subgroup + lane / 4 + v / 2 % 2 * 8,
                  v / 4 * 8 + lane % 4 * 2 + v % 2}];
    expectEachHeld(held, atom.m, atom.n, 1);
  }
}

TEST(ChipTable, MmaSyncFragmentsAreThoseOfThePtxIsa) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  const MatrixAtom &atom = chip.atoms.front();
  ASSERT_EQ(atom.kind, AtomKind::MMASync);
  int columns = atom.accColumns();
  for (int lane = 0; lane < 32; ++lane) {
    int groupId = lane / 4, threadInGroup = lane % 4; // The manual's names.
    EXPECT_EQ(lane / atom.groupsOfK(), groupId);
    for (int i = 0; i < 4; ++i) {
      // "row = groupID for ci where i < 2, groupID + 8 for ci where i >= 2;
      //  col = (threadID_in_group * 2) + (i & 0x1)".
      int u = i / columns, lanesPerRow = atom.n / columns;
      int row =
          u % atom.accRun +
          atom.accRun * (lane / lanesPerRow +
                         chip.subgroupSize / lanesPerRow * (u / atom.accRun));
      EXPECT_EQ(row, i < 2 ? groupId : groupId + 8);
      EXPECT_EQ(lane % lanesPerRow * columns + i % columns,
                threadInGroup * 2 + (i & 1));
    }
  }
}

/// Dense peak of the product's data sheet, in 10^12 flop/s.
struct DataSheet {
  std::string_view chip;
  NumericType type;
  double teraflops;
};

TEST(ChipTable, PeakRatesAreThoseOfTheDataSheets) {
  using enum NumericType;
  for (DataSheet sheet : {DataSheet{"gfx90a", F16, 181},
                          {"gfx90a", BF16, 181},
                          {"gfx90a", F32, 45.3},
                          {"gfx90a", I8, 181},
                          {"gfx942", F16, 1307.4},
                          {"gfx942", F32, 163.4},
                          {"gfx942", TF32, 653.7},
                          {"gfx942", F8FNUZ, 2614.9},
                          {"gfx942", I8, 2614.9},
                          {"gfx950", F16, 2309.6},
                          {"gfx950", F32, 144.2},
                          {"gfx950", I8, 4614},
                          {"gfx950", F8, 4614},
                          {"gfx1100", F16, 122.8},
                          {"gfx1100", F32, 61.4},
                          {"gfx1100", I8, 122.8},
                          {"gfx1201", F16, 194.6},
                          {"gfx1201", F32, 48.7},
                          {"gfx1201", F8, 389},
                          {"gfx1201", I8, 389},
                          {"sm_80", F16, 312},
                          {"sm_80", TF32, 156},
                          {"sm_80", I8, 624},
                          {"sm_80", F32, 19.5},
                          {"sm_90a", F32, 66.9}}) {
    const ChipInfo &chip = *lookupChip(sheet.chip);
    for (const MatrixAtom &atom : chip.atoms)
      // Data sheets ignore tf32 parts.
      if (atom.operand == sheet.type && atom.kind != AtomKind::WGMMA3xTF32)
        EXPECT_NEAR(peakFlops(chip, atom) / 1e12, sheet.teraflops,
                    0.01 * sheet.teraflops)
            << sheet.chip << " " << getName(sheet.type);
  }
}

// On sm_90a only `wgmma` reaches it, unless its columns are few.
TEST(ChipTable, HopperMultipliesEightBitFloatsTwiceAsFastAsSixteenBits) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  int64_t found = 0;
  for (const MatrixAtom &atom : chip.atoms) {
    bool isFloat8 =
        atom.operand == NumericType::F8 && atom.kind == AtomKind::WGMMA;
    EXPECT_EQ(atom.hasNarrowSums(), isFloat8);
    if (!isFloat8 || atom.n < 64)
      continue;
    ++found;
    EXPECT_NEAR(peakFlops(chip, atom) / 1e12, 2141, 1) << atom.n;
  }
  EXPECT_EQ(found, 8);
}

TEST(ChipTable, KindAndSizeTellAtomsOfOneStoredTypeApart) {
  using enum NumericType;
  for (const ChipInfo &chip : allChips())
    for (NumericType type : {F32, F16, BF16, F8, F8FNUZ, I8}) {
      std::set<std::tuple<AtomKind, int, int, int>> seen;
      for (const MatrixAtom &atom : chip.atoms)
        if (atom.takes(getMultipliedType(chip, type)))
          EXPECT_TRUE(seen.insert({atom.kind, atom.m, atom.n, atom.k}).second)
              << chip.name << " " << getName(type) << " " << atom.k;
    }
}

TEST(ChipTable, SumsAreInI32ForIntegersAndInF32Otherwise) {
  using enum NumericType;
  for (const ChipInfo &chip : allChips())
    for (const MatrixAtom &atom : chip.atoms)
      EXPECT_EQ(atom.accumulator,
                atom.operand == I8 || atom.operand == I32 ? I32 : F32)
          << chip.name;
}

// PTX ISA, wgmma.mma_async: sizes of .s8, which lack 40, 56 and 72.
TEST(ChipTable, WarpgroupAtomsOfIntegersHaveColumnsThatExist) {
  for (const ChipInfo &chip : allChips())
    for (const MatrixAtom &atom : chip.atoms)
      if (atom.kind == AtomKind::WGMMA && atom.operand == NumericType::I8)
        EXPECT_TRUE(atom.n == 8 || atom.n == 24 || atom.n % 16 == 0)
            << chip.name << " " << atom.n;
}

TEST(ChipTable, RegistersAreWholeGranules) {
  for (const ChipInfo &chip : allChips()) {
    EXPECT_LE(chip.registersPerLane, chip.registerFilePerLane) << chip.name;
    EXPECT_EQ(chip.registerFilePerLane % chip.registerAllocationUnit, 0)
        << chip.name;
    EXPECT_LT(chip.accumulationRegisters, chip.registersPerLane) << chip.name;
  }
}

struct SimulatedChip {
  std::string_view name;
  int waveSize;
  int64_t ldsBytes;
  int ldsBanks;
};

// The simulator has a table of its own, from the ISA documents.
TEST(ChipTable, AgreesWithTheSimulators) {
  std::set<std::string_view> simulated;
  for (SimulatedChip sim : {
#define CONV_SIM_CHIP(name, waveSize, ldsBytes, ldsBanks, isGfx9, isFnuz)      \
  SimulatedChip{name, waveSize, ldsBytes, ldsBanks},
#include "conv/Runtime/SimChips.def"
       }) {
    const ChipInfo *chip = lookupChip(sim.name);
    ASSERT_TRUE(chip) << sim.name;
    EXPECT_EQ(chip->subgroupSize, sim.waveSize) << sim.name;
    EXPECT_EQ(chip->sharedMemoryBytes, sim.ldsBytes) << sim.name;
    EXPECT_EQ(chip->sharedMemoryBanks, sim.ldsBanks) << sim.name;
    simulated.insert(sim.name);
  }
  for (const ChipInfo &chip : allChips())
    if (chip.backend == Backend::AMDGPU)
      EXPECT_EQ(chip.runnable, simulated.count(chip.name) != 0) << chip.name;
}

} // namespace
