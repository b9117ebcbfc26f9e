//===- ScalarTables.h - scalar instructions by name -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table for each form of instructions, with the meanings of AMD's
// instruction set manuals. Instructions that kernels do not use to compute
// addresses are left out: their results are unknown.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_SCALARTABLES_H
#define CONV_LIB_CLOCK_SCALARTABLES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace conv::clock {

/// Results of 64 bits and the new scc, if it changes.
struct Result64 {
  uint64_t value;
  std::optional<bool> scc;
};
using Binary32 = Result64 (*)(uint32_t, uint32_t, bool scc);
using Binary64 = Result64 (*)(uint64_t, uint64_t);
using Compare = bool (*)(uint32_t, uint32_t);
using Unary64 = Result64 (*)(uint64_t);

/// The function of an instruction; null if its form lacks the name.
Binary32 lookupBinary32(std::string_view name);
Binary64 lookupBinary64(std::string_view name);
Binary64 lookupShift64(std::string_view name);
Compare lookupCompare(std::string_view name);
Unary64 lookupUnary32(std::string_view name);

/// A sum, and whether it overflows.
Result64 addSigned(uint32_t a, uint32_t b);

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_SCALARTABLES_H
