//===- CommandLine.h - what all tools do with their flags -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes, error lines and flag parsing, the same in every tool. Files that
// include this use exceptions (CLI11 does), so they must not see MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_COMMANDLINE_H
#define CONV_TOOLS_SUPPORT_COMMANDLINE_H

#include "conv/Support/Result.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace conv::tools {

/// Applies the conventions of all tools: one line per error, help in --help, a
/// flag given twice is an error.
void setUp(CLI::App &app, const std::string &version);

/// Parses the arguments. The exit code if the tool is to end now (after --help,
/// --version or a usage error), none if it is to go on.
std::optional<int> parse(CLI::App &app, int argc, char **argv);
std::optional<int> parse(CLI::App &app, std::vector<std::string> words);

/// Gives long names that follow one dash, as LLVM's tools take them, the second
/// one: `-target=host` is `--target=host`.
void addDashes(const CLI::App &app, std::vector<std::string> &words);

/// What is wrong, in one line; names the flag that an unknown one resembles.
std::string describe(const CLI::App &app, const CLI::ParseError &error);

/// Accepts decimal numbers below 2^64. CLI11 alone takes -1 for the largest
/// one.
CLI::Validator isUnsigned();

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_COMMANDLINE_H
