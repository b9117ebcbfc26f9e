//===- ChipTableTest.cpp - facts that must agree ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of the chip table that follow from each other or from data sheets. A
// row that was typed wrong contradicts at least one of them.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/Chip.h"

#include "gtest/gtest.h"

#include <set>

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

TEST(ChipTable, AtomsCoverTheirTilesWithTheLanesTheyHave) {
  for (const ChipInfo &chip : allChips()) {
    if (chip.backend == Backend::Host)
      continue;
    for (const MatrixAtom &atom : chip.atoms) {
      SCOPED_TRACE(std::string(chip.name) + " " + std::to_string(atom.m));
      EXPECT_EQ(atom.k % atom.kPerLane, 0);
      EXPECT_EQ(chip.subgroupSize % atom.n, 0);
      // Accumulator registers of all lanes are the tile, each element once.
      int groups = chip.subgroupSize / atom.n;
      int registers = atom.m * atom.n / chip.subgroupSize;
      EXPECT_EQ(registers % atom.accRun, 0);
      std::set<int> rows;
      for (int group = 0; group < groups; ++group)
        for (int v = 0; v < registers; ++v)
          rows.insert(v % atom.accRun +
                      atom.accRun * (group + groups * (v / atom.accRun)));
      EXPECT_EQ(int(rows.size()), atom.m);
      EXPECT_EQ(*rows.rbegin(), atom.m - 1);
      // The lanes hold every k of a row, or copies of all of it.
      if (atom.kind == AtomKind::FMA)
        continue;
      EXPECT_TRUE(groups * atom.kPerLane == atom.k || atom.kPerLane == atom.k);
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
                          {"gfx942", F16, 1307.4},
                          {"gfx942", F32, 163.4},
                          {"gfx950", F16, 2309.6},
                          {"gfx950", F32, 144.2},
                          {"gfx1100", F16, 122.8},
                          {"gfx1100", F32, 61.4},
                          {"gfx1201", F16, 194.6},
                          {"gfx1201", F32, 48.7}}) {
    const ChipInfo &chip = *lookupChip(sheet.chip);
    for (const MatrixAtom &atom : chip.atoms)
      if (atom.operand == sheet.type)
        EXPECT_NEAR(peakFlops(chip, atom) / 1e12, sheet.teraflops,
                    0.01 * sheet.teraflops)
            << sheet.chip << " " << getName(sheet.type);
  }
}

TEST(ChipTable, RegistersAreWholeGranules) {
  for (const ChipInfo &chip : allChips()) {
    EXPECT_LE(chip.registersPerLane, chip.registerFilePerLane) << chip.name;
    EXPECT_EQ(chip.registerFilePerLane % chip.registerGranule, 0) << chip.name;
    EXPECT_LT(chip.accumulationRegisters, chip.registersPerLane) << chip.name;
  }
}

} // namespace
