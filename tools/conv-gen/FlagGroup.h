//===- FlagGroup.h - flags of one part of the help text ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes CLI11, so files that include this must not include MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_FLAGGROUP_H
#define CONV_TOOLS_CONVGEN_FLAGGROUP_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>

namespace conv::tools {

/// The long name of an option, as notes and errors spell it.
std::string getLongName(const std::string &names);

/// The error for a number that is too small.
std::string describeTooSmall(int64_t minimum, int64_t value);

/// Adds flags to one group of the help text. A repeated flag takes its last
/// value, as in MIOpenDriver.
class FlagGroup {
public:
  FlagGroup(CLI::App &app, std::string group)
      : app(app), group(std::move(group)) {}

  /// A decimal number that is not below `minimum`.
  void addInteger(const std::string &names, int64_t &value,
                  std::optional<int64_t> minimum, const std::string &help);
  /// A decimal number not below `minimum`, or `?`, which gives `open`.
  void addSize(const std::string &names, int64_t &value, int64_t minimum,
               int64_t open, const std::string &help);
  CLI::Option *addText(const std::string &names, std::string &value,
                       const std::string &help);
  void addChoice(const std::string &names, std::string &value,
                 const std::vector<std::string> &choices,
                 const std::string &help);
  /// A finite number in the range of f32.
  CLI::Option *addReal(const std::string &flag,
                       std::function<void(double)> assign,
                       const std::string &help);
  template <typename T>
  void addFlag(const std::string &flag, T &value, const std::string &help) {
    addOption(app.add_flag(flag, value, help));
  }

private:
  CLI::Option *addOption(CLI::Option *option);

  CLI::App &app;
  std::string group;
};

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_FLAGGROUP_H
