//===- Supervisor.h - many inputs, some of which end a process --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_SUPERVISOR_H
#define CONV_TOOLS_CONVFUZZ_SUPERVISOR_H

#include "Trial.h"

#include <array>
#include <functional>

namespace conv::tools {

/// An input that makes a tool crash, hang or report a defect.
struct Finding {
  int64_t number = 0; ///< Of the input.
  std::string what;   ///< "Segmentation fault", "takes more than 20 s", ...
};

/// Numbers of answers by exit code: fine, bad input, unsupported.
struct Answers {
  int64_t fine = 0, badInput = 0, unsupported = 0;
};

/// Runs the inputs `[first, last)` of a trial in a child process; if an input
/// ends the child, a new one replaces it. An input is seeded by its number.
class Supervisor {
public:
  Supervisor(const Trial &trial, uint64_t seed, unsigned secondsPerInput);
  ~Supervisor();
  Supervisor(const Supervisor &) = delete;

  Answers run(int64_t first, int64_t last,
              const std::function<void(const Finding &)> &report);
  std::string getInput(int64_t number) const;

private:
  struct Shared;
  /// Continues until an answer is a finding, which the exit code identifies.
  [[noreturn]] void work(int64_t last);

  const Trial &trial;
  uint64_t seed;
  unsigned secondsPerInput;
  Mutator mutator;
  Shared *shared; ///< Memory shared with the child.
};

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_SUPERVISOR_H
