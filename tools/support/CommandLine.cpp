//===- CommandLine.cpp - what all tools do with their flags -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns CLI11's exceptions into the conventions of the tools: a usage error is
// one line on standard error and exit code 2.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "ErrorLine.h"

#include "conv/Support/Nearest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <iostream>

using namespace conv;

void tools::setUp(CLI::App &app, const std::string &version) {
  // Reports a file that may not grow (ulimit -f) as an error.
  std::signal(SIGXFSZ, SIG_IGN);
  app.set_version_flag("--version", version, "Print the version and exit");
  app.get_formatter()->column_width(34);
  app.set_help_flag("-h,--help", "Print this help and exit");
}

/// Whether an option is repeated that has no value, whose repetitions CLI11
/// counts, or one value, which CLI11 refuses in its own words.
static bool isRepeated(const CLI::Option &option) {
  int values = option.get_items_expected_max();
  bool isOnce =
      option.get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
  return option.count() > 1 && (values == 0 || (values == 1 && isOnce));
}

/// Refuses repeated options of a program and of its command.
static void refuseRepeated(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (isRepeated(*option))
      throw CLI::ArgumentMismatch(option->get_name() +
                                  " is given more than once");
  for (const CLI::App *command : app.get_subcommands())
    refuseRepeated(*command);
}

/// The number that is the whole text; none if it is no number of that type.
template <typename Number>
static std::optional<Number> readNumber(const std::string &text) {
  Number value;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc() && rest == end)
    return value;
  return std::nullopt;
}

CLI::Validator tools::isUnsigned() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        if (readNumber<uint64_t>(text))
          return "";
        return "expects a number from 0 to 2^64 - 1, but got " + text;
      },
      "");
}

CLI::Validator tools::isAtLeast(int64_t least) {
  return CLI::Validator(
      [least](const std::string &text) -> std::string {
        std::optional<int64_t> value = readNumber<int64_t>(text);
        if (value && *value >= least)
          return "";
        return "expects a number from " + std::to_string(least) +
               " to 2^63 - 1, but got " + text;
      },
      "");
}

CLI::Validator tools::isWithin(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](const std::string &text) -> std::string {
        std::optional<int64_t> value = readNumber<int64_t>(text);
        if (value && *value >= least && *value <= most)
          return "";
        return "expects a number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", but got " + text;
      },
      "");
}

CLI::Validator tools::isPositive() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        std::optional<double> value = readNumber<double>(text);
        if (value && std::isfinite(*value) && *value > 0)
          return "";
        return "expects a number above 0, but got " + text;
      },
      "");
}

/// "a, b or c".
static std::string listChoices(const std::vector<std::string> &words) {
  std::string text = words.front();
  for (size_t i = 1; i < words.size(); ++i)
    text += (i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

CLI::Validator tools::isOneOf(const std::vector<std::string> &words,
                              bool ignoresCase) {
  return CLI::Validator(
      [words, ignoresCase](std::string &text) -> std::string {
        std::string given = ignoresCase ? CLI::detail::to_lower(text) : text;
        if (std::find(words.begin(), words.end(), given) == words.end())
          return "expects " + listChoices(words) + ", but got " + text;
        text = given;
        return "";
      },
      "{" + CLI::detail::join(words, ",") + "}");
}

CLI::Validator tools::isFileName() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        if (text != "-")
          return "";
        return "expects a file, but got - (standard output is for text)";
      },
      "");
}

void tools::addDashes(const CLI::App &app, std::vector<std::string> &words) {
  for (std::string &word : words) {
    bool hasOneDash = word.size() > 2 && word[0] == '-' && word[1] != '-';
    if (hasOneDash &&
        app.get_option_no_throw("-" + word.substr(0, word.find('='))))
      word.insert(0, "-");
  }
}

/// The option of `app` that resembles `flag`, which has its dashes; empty if
/// none does.
static std::string findSimilar(const CLI::App &app, const std::string &flag) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back(name);
  std::string name =
      flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string similar = findNearest(name.substr(0, name.find('=')), names);
  return similar.empty() ? "" : "--" + similar;
}

std::string tools::describe(const CLI::App &app, const CLI::ParseError &error) {
  // A missing required option may be a misspelt one.
  std::vector<std::string> unknown = app.remaining();
  bool isUnknown = dynamic_cast<const CLI::ExtrasError *>(&error) ||
                   dynamic_cast<const CLI::RequiredError *>(&error);
  if (!isUnknown || unknown.empty()) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return message;
  }
  if (unknown[0][0] != '-')
    return "does not expect the argument '" + unknown[0] + "'";
  std::string similar = findSimilar(app, unknown[0]);
  return "does not know " + unknown[0] +
         (similar.empty() ? "" : ", did you mean " + similar + "?");
}

std::optional<int> tools::parse(CLI::App &app, int argc, char **argv) {
  return parse(app, std::vector<std::string>(argv + 1, argv + argc));
}

/// CLI11 would take the next word as the value of `--name=` or `--name ""`.
static void refuseEmptyValues(const std::vector<std::string> &words) {
  auto refuse = [](const std::string &name) {
    throw CLI::ArgumentMismatch(name + " expects a value, but got none");
  };
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() > 3 && words[i].starts_with("--") &&
        words[i].ends_with('='))
      refuse(words[i].substr(0, words[i].size() - 1));
    if (i > 0 && words[i].empty() && words[i - 1].starts_with('-') &&
        words[i - 1].find('=') == std::string::npos)
      refuse(words[i - 1]);
  }
}

std::optional<int> tools::parse(CLI::App &app, std::vector<std::string> words) {
  try {
    addDashes(app, words);
    refuseEmptyValues(words);
    std::reverse(words.begin(), words.end()); // In CLI11's order.
    try {
      app.parse(words);
    } catch (const CLI::ArgumentMismatch &) {
      refuseRepeated(app);
      throw;
    }
    refuseRepeated(app);
    return std::nullopt;
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::CallForVersion &) {
    std::cout << app.version() << "\n";
    return 0;
  } catch (const CLI::ParseError &error) {
    return printError(app.get_name(),
                      Error{ErrorKind::BadInput, describe(app, error)});
  }
}
