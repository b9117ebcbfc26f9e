//===- Notes.h - what is said about a line that is fine ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of other tools hold options about running them. Those are read and
// change nothing here, which is said once for all lines.
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
  /// An option that a line has and no function depends on.
  void addWithoutEffect(const std::string &flag) { ++withoutEffect[flag]; }
  /// Anything else, said once with the number of lines.
  void add(const std::string &text) { ++others[text]; }

  /// The notes of another line.
  void add(const Notes &line);

  /// Prints them on standard error; with the number of lines that each one is
  /// about, if `ofList`.
  void print(bool ofList) const;

private:
  std::map<std::string, int64_t> withoutEffect, others;
};

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_NOTES_H
