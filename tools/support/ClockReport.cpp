//===- ClockReport.cpp - modelled times of an artifact --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockReport.h"

#include "Output.h"
#include "PackedSequences.h"

#include "conv/Artifact/RunTimeSizes.h"

#include <algorithm>

using namespace conv;
using namespace conv::clock;
using namespace conv::tools;

static bool isSelected(const std::vector<std::string> &names,
                       const std::string &name) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::vector<EntryClock>>
tools::clockEntries(const artifact::Artifact &artifact, const std::string &name,
                    const ClockRequest &request) {
  std::vector<EntryClock> clocks;
  for (const artifact::Entry &entry : artifact.manifest.entries) {
    bool isNamed = isSelected(request.functions, entry.function) &&
                   isSelected(request.targets, entry.target);
    if (!isNamed || (request.targets.empty() && !lookupPace(entry.target)))
      continue;
    Result<std::vector<int64_t>> sizes = chooseSizes(entry, request.sizes);
    if (!sizes)
      return sizes.error();
    Result<artifact::Entry> sized = artifact::instantiate(entry, *sizes);
    if (!sized)
      return sized.error();
    ClockOptions options{.keepTimeline = !request.timeline.empty()};
    for (size_t i = 0; i < sized->arguments.size(); ++i) {
      Result<std::optional<std::string>> starts = evenSequences(*sized, i);
      if (!starts)
        return starts.error();
      if (*starts)
        options.contents[i] = **starts;
    }
    Result<EntryClock> clock = clockEntry(artifact, *sized, options);
    if (!clock)
      return clock.error();
    clocks.push_back(std::move(*clock));
  }
  if (clocks.empty())
    return Error{ErrorKind::BadInput,
                 "expects an entry of these functions and targets in '" + name +
                     "' that has a clock (" + paceNames() + "), but got none"};
  return clocks;
}

Result<void> tools::drawClock(const std::vector<EntryClock> &clocks,
                              const std::string &file) {
  if (clocks.size() != 1)
    return Error{ErrorKind::BadInput,
                 "--timeline expects one function for one target, but got " +
                     std::to_string(clocks.size())};
  std::string drawing = drawTimeline(clocks.front());
  if (drawing.empty())
    return Error{ErrorKind::Unsupported,
                 "--timeline expects a kernel with a loop, but '" +
                     clocks.front().function + "' has none"};
  return writeOutput(file, drawing);
}

Result<void> tools::printClocks(const std::vector<EntryClock> &clocks,
                                bool json) {
  if (json)
    return writeOutput("-", writeJson(clocks));
  std::string text;
  for (const EntryClock &clock : clocks)
    text += writeText(clock);
  return writeOutput("-", text);
}
