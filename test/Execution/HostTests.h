//===- HostTests.h - layers for kernels of the host -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_EXECUTION_HOSTTESTS_H
#define CONV_TEST_EXECUTION_HOSTTESTS_H

#include "Execution.h"

namespace conv::test {

/// The levels of processors that this machine has code for.
std::vector<std::string> listLevels();

/// Two images of a layer with square windows and as many output as input
/// channels.
GenOptions makeLayer(int64_t channels, int64_t groups, int64_t height,
                     int64_t width, int64_t filter, int64_t stride,
                     const std::string &layout);

/// Runs it in each type on each level.
void addTypes(const std::string &name, GenOptions options);

/// A program with a schedule for its convolution.
std::string insertSchedule(const std::string &text, const GenOptions &options,
                           const std::string &schedule);

} // namespace conv::test

#endif // CONV_TEST_EXECUTION_HOSTTESTS_H
