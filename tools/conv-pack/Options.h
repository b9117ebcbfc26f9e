//===- Options.h - the command line of conv-pack ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVPACK_OPTIONS_H
#define CONV_TOOLS_CONVPACK_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

namespace conv::tools {

enum class PackCommand { List, Verify, Merge, Extract };

struct PackFlags {
  PackCommand command = PackCommand::List;
  std::vector<std::string> inputs;
  std::string output;
  bool json = false;
  bool isLong = false; ///< list: all fields of an entry.
  std::vector<std::string> functions, targets; ///< Empty: all.
  std::string keep;            ///< merge: which of two different ones.
  bool mixedCompilers = false; ///< merge: allow several compilers.
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parsePackFlags(int argc, char **argv, PackFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVPACK_OPTIONS_H
