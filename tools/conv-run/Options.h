//===- Options.h - flags of conv-run ----------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVRUN_OPTIONS_H
#define CONV_TOOLS_CONVRUN_OPTIONS_H

#include "conv/Runtime/Sim.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace conv::tools {

struct RunFlags {
  std::string input, function, device, target;
  /// File by argument name.
  std::map<std::string, std::string> inputs, outputs;
  std::map<std::string, int64_t> sizes; ///< Run-time sizes by name.
  uint64_t seed = 0;
  bool integers = false, verify = false, bench = false, counters = false;
  bool clock = false, json = false;
  runtime::SimOptions sim;
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parseRunFlags(int argc, char **argv,
                                 const std::string &version, RunFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVRUN_OPTIONS_H
