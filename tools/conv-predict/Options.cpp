//===- Options.cpp - the command line of conv-predict -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"

using namespace conv;
using namespace conv::tools;

static const char *const kDescription =
    "Says what the cost models predict for given schedules, and how that "
    "depends on their constants. Fits of the constants ask it (bench/compare "
    "fit).";

static const char *const kFooter =
    R"(Requests are lines of standard input, answers are lines of standard output; both are JSON objects.
  module       MLIR with one convolution, as conv-gen writes it
  target       the chip
  schedules    a list of #conv.schedule<...>
  constants    other values of constants, by name (default: none)
  derivatives  whether to differentiate (default: false)
The answer has the predicted seconds of each schedule, null for one that the convolution cannot have. For each constant that
matters, derivatives has d log(seconds) / d log(constant) of each schedule. The answer to a bad request has only an error.

Examples:
  conv-predict --constants sm_90a
  conv-predict < requests.jsonl > answers.jsonl

Exit codes: 0 fine, 2 a request or the usage was bad.)";

std::optional<int> tools::parsePredictFlags(int argc, char **argv,
                                            PredictFlags &flags) {
  CLI::App app(kDescription, "conv-predict");
  setUp(app, "conv " CONV_VERSION);
  app.footer(kFooter);
  app.add_option("--constants", flags.constantsOf,
                 "Print the constants of a target instead: those that are not "
                 "zero");
  return parse(app, argc, argv);
}
