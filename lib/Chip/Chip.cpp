//===- Chip.cpp - looking chips up ------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins the tables of all vendors. The tables hold the facts.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include <vector>

using namespace conv;

std::string_view conv::getName(NumericType type) {
  switch (type) {
  case NumericType::F32:
    return "f32";
  case NumericType::TF32:
    return "tf32";
  case NumericType::F16:
    return "f16";
  case NumericType::BF16:
    return "bf16";
  case NumericType::F8:
    return "f8";
  case NumericType::F8FNUZ:
    return "f8FNUZ";
  case NumericType::I8:
    return "i8";
  case NumericType::I32:
    return "i32";
  }
  return "";
}

int64_t conv::byteSize(NumericType type) {
  switch (type) {
  case NumericType::F32:
  case NumericType::TF32:
  case NumericType::I32:
    return 4;
  case NumericType::F16:
  case NumericType::BF16:
    return 2;
  case NumericType::F8:
  case NumericType::F8FNUZ:
  case NumericType::I8:
    return 1;
  }
  return 0;
}

NumericType conv::getMultipliedType(const ChipInfo &chip, NumericType stored) {
  bool isTaken = std::any_of(
      chip.atoms.begin(), chip.atoms.end(),
      [&](const MatrixAtom &atom) { return atom.operand == stored; });
  if (chip.backend != Backend::Host || isTaken)
    return stored;
  switch (stored) {
  case NumericType::F16:
  case NumericType::BF16:
  case NumericType::F8:
  case NumericType::F8FNUZ:
    return NumericType::F32;
  case NumericType::I8:
    return NumericType::I32;
  default:
    return stored;
  }
}

std::span<const ChipInfo> conv::allChips() {
  static const std::vector<ChipInfo> chips = [] {
    std::vector<ChipInfo> all;
    for (std::span<const ChipInfo> table :
         {amdChips(), nvidiaChips(), hostChips()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return chips;
}

const ChipInfo *conv::lookupChip(std::string_view name) {
  for (const ChipInfo &chip : allChips())
    if (chip.name == name)
      return &chip;
  return nullptr;
}

std::string conv::chipNames() {
  std::string names;
  for (const ChipInfo &chip : allChips())
    names += (names.empty() ? "" : ", ") + std::string(chip.name);
  return names;
}

double conv::peakFlops(const ChipInfo &chip, const MatrixAtom &atom) {
  // An instruction has twice as many elements of half the size.
  double flopsPerClock = atom.kind == AtomKind::FMA
                             ? 2.0 * chip.fmaPerClock *
                                   double(byteSize(NumericType::F32)) /
                                   double(byteSize(atom.operand))
                             : 2.0 * atom.m * atom.n * atom.k / atom.cycles *
                                   chip.simdsPerComputeUnit;
  return flopsPerClock * chip.computeUnits * chip.clockGHz * 1e9;
}
