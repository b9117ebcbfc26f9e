//===- MutateCommand.h - conv-fuzz mutate -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_MUTATECOMMAND_H
#define CONV_TOOLS_CONVFUZZ_MUTATECOMMAND_H

#include "CommandLine.h"

namespace conv::tools {

struct MutateFlags {
  uint64_t seed = 0;
  int64_t runs = 1000;
  unsigned seconds = 20;
  std::string kinds = "all";
  std::string findings;
  std::vector<std::string> folders;
};

/// Adds the command to conv-fuzz.
CLI::App *addMutateCommand(CLI::App &app, MutateFlags &flags);

/// Mutates inputs and passes them to the tools; returns the exit code.
int runMutateCommand(const MutateFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_MUTATECOMMAND_H
