//===- ClockReport.h - modelled times of an artifact ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_CLOCKREPORT_H
#define CONV_TOOLS_SUPPORT_CLOCKREPORT_H

#include "ChooseSizes.h"

#include "conv/Clock/Clock.h"

namespace conv::tools {

/// Which entries of an artifact to clock, and how to report them.
struct ClockRequest {
  /// Empty lists: every function, and every target that has a clock.
  std::vector<std::string> functions, targets;
  GivenSizes sizes; ///< For functions that leave sizes open.
  bool json = false;
  std::string timeline; ///< SVG file for the only entry; empty: no drawing.
};

/// Clocks the requested entries. Fails if there are none; `name` is the
/// artifact's, for messages.
Result<std::vector<clock::EntryClock>>
clockEntries(const artifact::Artifact &artifact, const std::string &name,
             const ClockRequest &request);

/// Draws the timeline of the only clock into `file`.
Result<void> drawClock(const std::vector<clock::EntryClock> &clocks,
                       const std::string &file);

/// Prints the clocks on standard output.
Result<void> printClocks(const std::vector<clock::EntryClock> &clocks,
                         bool json);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_CLOCKREPORT_H
