//===- Options.cpp - the command line of conv-clock -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CLI11 uses exceptions, so this file does not see LLVM.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ChooseSizes.h"
#include "CommandLine.h"
#include "ErrorLine.h"
#include "OutputFiles.h"

using namespace conv;
using namespace conv::tools;

std::optional<int> tools::parseClockFlags(int argc, char **argv,
                                          ClockFlags &flags) {
  CLI::App app(
      "Models how long the AMD kernels of an artifact take, from their "
      "instructions alone (docs/amd-kernels.md says how).",
      "conv-clock");
  setUp(app, "conv " CONV_VERSION);
  app.add_option("PACK", flags.input, "Artifact (.convpack)")->required();
  for (auto [name, names, text] :
       {std::tuple("-f,--function", &flags.request.functions,
                   "Only this function; may be given for each"),
        std::tuple("-t,--target", &flags.request.targets,
                   "Only this target; may be given for each")})
    app.add_option(name, *names, text)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  std::vector<std::string> given;
  app.add_option("--size", given,
                 "NAME=NUMBER: a size that functions leave open")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--json", flags.request.json,
               "Print one JSON object instead of text");
  app.add_option("--timeline", flags.request.timeline,
                 "Draw one iteration of the main loop of the kernel that takes "
                 "longest (SVG); of one entry");
  app.footer("Example:\n  conv-clock layer.convpack --target gfx942 --timeline "
             "loop.svg\nExit codes: 0 fine, 2 bad input or usage, 3 not "
             "supported, 4 system error.");
  if (std::optional<int> code = parse(app, argc, argv))
    return code;
  Result<std::map<std::string, int64_t>> sizes = parseSizes(given);
  if (!sizes)
    return printError(app.get_name(), sizes.error());
  flags.request.sizes.sizes = *sizes;
  if (Result<void> checked = checkOutputs(
          {{"PACK", flags.input}}, {{"--timeline", flags.request.timeline}});
      !checked)
    return printError(app.get_name(), checked.error());
  return std::nullopt;
}
