//===- Trial.h - what a tool does with an input -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_TRIAL_H
#define CONV_TOOLS_CONVFUZZ_TRIAL_H

#include "Mutator.h"

#include "conv/Support/Result.h"

#include <functional>
#include <string>
#include <vector>

namespace conv::tools {

/// A kind of input, and how to run it.
struct Trial {
  std::string name;
  InputForm form;
  std::vector<std::string> corpus;
  /// Does in this process what the tools that read such a file do.
  std::function<Result<void>(const std::string &input)> run;
};

/// Trials of all kinds, with the .mlir files below `folders` as corpus. Kinds
/// without an input are left out.
Result<std::vector<Trial>>
createTrials(const std::vector<std::string> &folders);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_TRIAL_H
