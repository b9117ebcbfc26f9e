//===- Options.h - the command line of conv-clock ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVCLOCK_OPTIONS_H
#define CONV_TOOLS_CONVCLOCK_OPTIONS_H

#include "ClockReport.h"

#include <optional>
#include <string>

namespace conv::tools {

struct ClockFlags {
  std::string input;
  ClockRequest request;
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parseClockFlags(int argc, char **argv, ClockFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVCLOCK_OPTIONS_H
