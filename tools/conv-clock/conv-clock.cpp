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

#include "ErrorLine.h"
#include "Output.h"

using namespace conv;
using namespace conv::tools;

static Result<void> run(const ClockFlags &flags) {
  Result<artifact::Artifact> artifact = artifact::Artifact::read(flags.input);
  if (!artifact)
    return artifact.error();
  auto clocks = clockEntries(*artifact, flags.input, flags.request);
  if (!clocks)
    return clocks.error();
  const std::string &timeline = flags.request.timeline;
  if (!timeline.empty())
    if (Result<void> drawn = drawClock(*clocks, timeline); !drawn)
      return drawn;
  return printClocks(*clocks, flags.request.json);
}

static int parseAndRun(int argc, char **argv) {
  ClockFlags flags;
  if (std::optional<int> code = parseClockFlags(argc, argv, flags))
    return *code;
  Result<void> done = run(flags);
  return done ? 0 : printError("conv-clock", done.error());
}

int main(int argc, char **argv) {
  return finish("conv-clock", parseAndRun(argc, argv));
}
