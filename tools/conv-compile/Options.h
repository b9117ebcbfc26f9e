//===- Options.h - flags of conv-compile ------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVCOMPILE_OPTIONS_H
#define CONV_TOOLS_CONVCOMPILE_OPTIONS_H

#include "ClockReport.h"

#include <optional>
#include <string>
#include <vector>

namespace conv::tools {

struct CompileFlags {
  std::string input, output;
  std::vector<std::string> targets;
  /// After parsing "pack", "asm", "llvm", "mlir" or "schedules".
  std::string emit;
  std::string stopAfter;
  std::string algorithm, schedule, database;
  double maxError = 0;            ///< For Winograd's algorithm; 0: see help.
  int64_t maxWorkspaceBytes = -1; ///< Negative: any number.
  std::string outline;            ///< Output of the rest; empty: no outlining.
  bool usesStaleSchedules = false;
  int64_t computeUnits = 0;
  bool externalizeConstants = false;
  bool prepacksFilters = false;
  std::string explain; ///< "text", "json", or empty for none.
  std::string report;  ///< "text", "json", or empty for none.
  ClockRequest clock;  ///< For `report`.
  bool timing = false;
  unsigned threads = 0; ///< 0: one per processor.
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parseCompileFlags(int argc, char **argv,
                                     const std::string &version,
                                     CompileFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVCOMPILE_OPTIONS_H
