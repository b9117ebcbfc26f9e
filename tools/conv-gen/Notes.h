//===- Notes.h - what is said about a line that is fine ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of other tools contain options about running them. These are read and
// have no effect here; one note says so for all lines.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_NOTES_H
#define CONV_TOOLS_CONVGEN_NOTES_H

#include <cstdint>
#include <map>
#include <string>

namespace conv::tools {

class Notes {
public:
  /// Notes an option of a line that affects no function.
  void addWithoutEffect(const std::string &flag) { ++withoutEffect[flag]; }
  /// Any other note, printed once with the number of lines.
  void add(const std::string &text) { ++others[text]; }

  /// Adds the notes of another line.
  void add(const Notes &line);

  /// Prints the notes on standard error; with the number of lines that each one
  /// concerns, if `ofList`.
  void print(bool ofList) const;

private:
  std::map<std::string, int64_t> withoutEffect, others;
};

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_NOTES_H
