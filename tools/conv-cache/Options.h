//===- Options.h - the command line of conv-cache ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVCACHE_OPTIONS_H
#define CONV_TOOLS_CONVCACHE_OPTIONS_H

#include <optional>
#include <string>

namespace conv::tools {

struct CacheFlags {
  std::string command; ///< "list", "verify" or "clear".
  std::string folder;  ///< Empty: the default.
  bool json = false;
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parseCacheFlags(int argc, char **argv, CacheFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVCACHE_OPTIONS_H
