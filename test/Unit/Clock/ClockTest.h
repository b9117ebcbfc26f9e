//===- ClockTest.h - hand-written kernels -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_CLOCK_CLOCKTEST_H
#define CONV_TEST_UNIT_CLOCK_CLOCKTEST_H

#include "conv/Clock/Clock.h"

#include <gtest/gtest.h>

#include <string>

/// A kernel of these instructions, assembled by LLVM and decoded again.
/// Work-item ids are in v0, the workgroup id in s0.
conv::clock::Program assemble(const std::string &chip, const std::string &body);

/// Sets s[8:11] to a buffer of so many bytes at address 2^32. The clock does
/// not read its flags.
inline std::string describeBuffer(const std::string &bytes) {
  return "s_mov_b32 s8, 0\ns_mov_b32 s9, 1\ns_mov_b32 s10, " + bytes +
         "\ns_mov_b32 s11, 0x27000\n";
}

/// The trace of one workgroup with `waves` waves.
conv::clock::WorkgroupTrace interpret(const conv::clock::Program &program,
                                      const conv::clock::Pace &pace,
                                      int64_t waves = 1);

/// The times of a compute unit that executes nothing else.
conv::clock::IssueTimes issue(const std::string &chip, const std::string &body,
                              int64_t waves = 1);

#endif // CONV_TEST_UNIT_CLOCK_CLOCKTEST_H
