//===- Options.cpp - the command line of conv-cache -------------*- C++ -*-===//
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
    "Looks into the folder of artifacts that libconv_compiler.so keeps: "
    "$CONV_CACHE_DIR, else $XDG_CACHE_HOME/conv, else ~/.cache/conv.";

static const char *const kFooter = R"(Commands:
  list     the functions, targets and sizes of the files, the longest unused first
  verify   whether each file is whole and only its user can write it
  clear    removes the files

Examples:
  conv-cache list
  conv-cache verify --json
  CONV_CACHE_DIR=/scratch/conv conv-cache clear

Exit codes: 0 fine, 1 a file is not to be trusted, 2 bad usage, 4 system error.)";

std::optional<int> tools::parseCacheFlags(int argc, char **argv,
                                          CacheFlags &flags) {
  CLI::App app(kDescription, "conv-cache");
  setUp(app, "conv " CONV_VERSION);
  app.footer(kFooter);
  app.add_option("COMMAND", flags.command, "list, verify or clear")
      ->required()
      ->check(isOneOf({"list", "verify", "clear"}));
  app.add_option("--folder", flags.folder, "Another folder");
  app.add_flag("--json", flags.json, "Print one JSON object instead of text");
  return parse(app, argc, argv);
}
