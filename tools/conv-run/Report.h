//===- Report.h - what conv-run found out -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVRUN_REPORT_H
#define CONV_TOOLS_CONVRUN_REPORT_H

#include "Verify.h"

#include "conv/Clock/Clock.h"
#include "conv/Runtime/Sim.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace conv::tools {

/// Times of repeated runs.
struct BenchTimes {
  int64_t runs = 0;
  double medianMilliseconds = 0, bestMilliseconds = 0;
};

/// All results of a run; text and JSON are two views of it.
struct Report {
  artifact::Entry entry; ///< With plain tensors in place of packed ones.
  std::string device;
  double milliseconds = 0;
  double flops = 0; ///< Of all convolutions; 0 if unknown.
  std::map<std::string, std::string> origins; ///< Origins of inputs, by name.
  std::map<std::string, std::string> outputs; ///< Files, by name.
  /// By name of the result; empty without a verification.
  std::vector<std::pair<std::string, reference::Comparison>> comparisons;
  std::optional<BenchTimes> bench;
  std::optional<runtime::SimCounters> counters;
  std::vector<clock::EntryClock> clocks; ///< Of the simulated chip's code.
};

void printText(const Report &report);
void printJson(const Report &report);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVRUN_REPORT_H
