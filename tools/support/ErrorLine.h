//===- ErrorLine.h - how tools report an error ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_ERRORLINE_H
#define CONV_TOOLS_SUPPORT_ERRORLINE_H

#include "conv/Support/Result.h"

#include <cstdio>
#include <string>

namespace conv::tools {

/// Prints one line on standard error and returns the exit code. Messages that
/// begin with a file position already contain "error:".
inline int printError(const std::string &tool, const Error &error) {
  bool hasPlace = error.message.find(": error: ") != std::string::npos;
  std::string line =
      hasPlace ? error.message : tool + ": error: " + error.message;
  std::fprintf(stderr, "%s\n", line.c_str());
  return int(error.kind);
}

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_ERRORLINE_H
