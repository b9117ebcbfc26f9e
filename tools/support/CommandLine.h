//===- CommandLine.h - what all tools do with their flags -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes, error lines and flag parsing, equal in all tools. Files that
// include this use exceptions (CLI11 does), so they must not include MLIR.
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
/// repeated flag is an error.
void setUp(CLI::App &app, const std::string &version);

/// Parses the arguments. An exit code if the tool must end now (after --help,
/// --version or a usage error), none if it continues.
std::optional<int> parse(CLI::App &app, int argc, char **argv);
std::optional<int> parse(CLI::App &app, std::vector<std::string> words);

/// Gives a second dash to long names after one dash, which LLVM's tools accept:
/// `-target=host` becomes `--target=host`.
void addDashes(const CLI::App &app, std::vector<std::string> &words);

/// The error in one line; suggests a similar flag for an unknown one.
std::string describe(const CLI::App &app, const CLI::ParseError &error);

/// Accepts decimal numbers below 2^64. CLI11 alone would take -1 as the largest
/// number.
CLI::Validator isUnsigned();
/// Accepts decimal numbers from `least` to 2^63 - 1, which CLI11 alone would
/// take larger ones for.
CLI::Validator isAtLeast(int64_t least);
/// Accepts decimal numbers from `least` to `most`.
CLI::Validator isWithin(int64_t least, int64_t most);
/// Accepts finite numbers above 0. CLI11's `PositiveNumber` accepts NaN.
CLI::Validator isPositive();
/// Accepts one of a few words; with `ignoresCase`, also in other letters than
/// theirs, which are small.
CLI::Validator isOneOf(const std::vector<std::string> &words,
                       bool ignoresCase = false);
/// Accepts names of files for bytes, which standard output, `-`, is not for.
CLI::Validator isFileName();

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_COMMANDLINE_H
