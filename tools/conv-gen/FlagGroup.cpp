//===- FlagGroup.cpp - flags of one part of the help text -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagGroup.h"

#include "CommandLine.h"

#include <charconv>
#include <cmath>

using namespace conv::tools;

std::string conv::tools::getLongName(const std::string &names) {
  return names.substr(names.find("--"));
}

/// Parses a whole decimal number; CLI11 would take octal and saturate.
static int64_t parseInteger(const std::string &flag, const std::string &text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw CLI::ValidationError(flag,
                               "expects a number below 2^63, but got " + text);
  if (error != std::errc() || rest != end)
    throw CLI::ValidationError(flag,
                               "expects a number, but got '" + text + "'");
  return value;
}

std::string conv::tools::describeTooSmall(int64_t minimum, int64_t value) {
  return "expects at least " + std::to_string(minimum) + ", but got " +
         std::to_string(value);
}

static double parseReal(const std::string &flag, const std::string &text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value) ||
      std::abs(value) > 3e38)
    throw CLI::ValidationError(flag, "expects a finite f32 number, but got '" +
                                         text + "'");
  return value;
}

CLI::Option *FlagGroup::addOption(CLI::Option *option) {
  return option->group(group)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);
}

void FlagGroup::addInteger(const std::string &names, int64_t &value,
                           std::optional<int64_t> minimum,
                           const std::string &help) {
  std::string flag = getLongName(names);
  auto assign = [flag, minimum, &value](const std::string &text) {
    value = parseInteger(flag, text);
    if (minimum && value < *minimum)
      throw CLI::ValidationError(flag, describeTooSmall(*minimum, value));
  };
  CLI::Option *option =
      addOption(app.add_option_function<std::string>(names, assign, help));
  option->type_name("INT");
  if (value >= minimum.value_or(0))
    option->default_str(std::to_string(value));
}

void FlagGroup::addSize(const std::string &names, int64_t &value,
                        int64_t minimum, int64_t open,
                        const std::string &help) {
  std::string flag = getLongName(names);
  auto assign = [flag, minimum, open, &value](const std::string &text) {
    value = text == "?" ? open : parseInteger(flag, text);
    if (text != "?" && value < minimum)
      throw CLI::ValidationError(flag, describeTooSmall(minimum, value));
  };
  CLI::Option *option =
      addOption(app.add_option_function<std::string>(names, assign, help));
  option->type_name("INT or ?");
  if (value >= minimum)
    option->default_str(std::to_string(value));
}

CLI::Option *FlagGroup::addText(const std::string &names, std::string &value,
                                const std::string &help) {
  return addOption(app.add_option(names, value, help));
}

void FlagGroup::addChoice(const std::string &names, std::string &value,
                          const std::vector<std::string> &choices,
                          const std::string &help) {
  addText(names, value, help)->check(isOneOf(choices));
}

CLI::Option *FlagGroup::addReal(const std::string &flag,
                                std::function<void(double)> assign,
                                const std::string &help) {
  auto parse = [flag, assign](const std::string &text) {
    assign(parseReal(flag, text));
  };
  return addOption(app.add_option_function<std::string>(flag, parse, help))
      ->type_name("NUMBER");
}
