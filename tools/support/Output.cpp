//===- Output.cpp - text to a file or to standard output --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Standard output is written through its descriptor, never through /dev/stdout:
// that name may lead to a file which would then be replaced.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "conv/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace conv;

Result<void> tools::writeOutput(const std::string &path,
                                const std::string &text) {
  if (path != "-")
    return writeFile(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return {};
  return Error{ErrorKind::System,
               std::string("cannot write standard output: ") +
                   std::strerror(errno)};
}
