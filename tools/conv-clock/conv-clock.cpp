//===- conv-clock.cpp - how long AMD kernels take, by a model -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clocks the named entries of an artifact, or all entries that have a clock.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ChooseSizes.h"
#include "ErrorLine.h"
#include "Output.h"

#include "conv/Artifact/RunTimeSizes.h"
#include "conv/Clock/Clock.h"

#include <algorithm>

using namespace conv;
using namespace conv::clock;
using namespace conv::tools;

static bool isSelected(const std::vector<std::string> &names,
                       const std::string &name) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

static Result<std::vector<EntryClock>> clockAll(const ClockFlags &flags) {
  Result<artifact::Artifact> artifact = artifact::Artifact::read(flags.input);
  if (!artifact)
    return artifact.error();
  std::vector<EntryClock> clocks;
  for (const artifact::Entry &entry : artifact->manifest.entries) {
    bool isNamed = isSelected(flags.functions, entry.function) &&
                   isSelected(flags.targets, entry.target);
    if (!isNamed || (flags.targets.empty() && !lookupPace(entry.target)))
      continue;
    Result<std::vector<int64_t>> sizes = chooseSizes(entry, {flags.sizes, {}});
    if (!sizes)
      return sizes.error();
    Result<artifact::Entry> sized = artifact::instantiate(entry, *sizes);
    if (!sized)
      return sized.error();
    Result<EntryClock> clock =
        clockEntry(*artifact, *sized, {!flags.timeline.empty()});
    if (!clock)
      return clock.error();
    clocks.push_back(std::move(*clock));
  }
  if (clocks.empty())
    return Error{ErrorKind::BadInput,
                 "expects an entry of these functions and targets in '" +
                     flags.input + "' that has a clock (" + paceNames() +
                     "), but got none"};
  return clocks;
}

static Result<void> report(const ClockFlags &flags,
                           const std::vector<EntryClock> &clocks) {
  if (!flags.timeline.empty()) {
    if (clocks.size() != 1)
      return Error{ErrorKind::BadInput,
                   "--timeline expects one entry, but got " +
                       std::to_string(clocks.size()) +
                       ": select it by --function and --target"};
    std::string drawing = drawTimeline(clocks.front());
    if (drawing.empty())
      return Error{ErrorKind::Unsupported,
                   "--timeline expects a kernel with a loop, but '" +
                       clocks.front().function + "' has none"};
    if (Result<void> written = writeOutput(flags.timeline, drawing); !written)
      return written;
  }
  if (flags.json)
    return writeOutput("-", writeJson(clocks));
  std::string text;
  for (const EntryClock &clock : clocks)
    text += writeText(clock);
  return writeOutput("-", text);
}

static int run(int argc, char **argv) {
  ClockFlags flags;
  if (std::optional<int> code = parseClockFlags(argc, argv, flags))
    return *code;
  Result<std::vector<EntryClock>> clocks = clockAll(flags);
  if (!clocks)
    return printError("conv-clock", clocks.error());
  Result<void> done = report(flags, *clocks);
  return done ? 0 : printError("conv-clock", done.error());
}

int main(int argc, char **argv) {
  return finish("conv-clock", run(argc, argv));
}
