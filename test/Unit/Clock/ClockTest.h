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

/// A kernel of these instructions, assembled by LLVM and decoded again. Numbers
/// of work-items are in v0, the workgroup's in s0.
conv::clock::Program assemble(const std::string &chip, const std::string &body);

/// What one workgroup of so many waves executes.
conv::clock::WorkgroupTrace interpret(const conv::clock::Program &program,
                                      const conv::clock::Pace &pace,
                                      int64_t waves = 1);

/// When a compute unit with nothing else to do executes it.
conv::clock::IssueTimes issue(const std::string &chip, const std::string &body,
                              int64_t waves = 1);

#endif // CONV_TEST_UNIT_CLOCK_CLOCKTEST_H
