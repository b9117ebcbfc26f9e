//===- Output.cpp - text to a file or to standard output --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Standard output is written through its descriptor, never through /dev/stdout:
// that name may lead to a file, which would then be replaced.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "ErrorLine.h"

#include "conv/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace conv;

/// Fails if earlier output could not be written.
static Result<void> flushStandardOutput() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return {};
  // Earlier failures leave only a flag.
  return Error{ErrorKind::System,
               std::string("cannot write standard output: ") +
                   (errno ? std::strerror(errno) : "a write failed")};
}

Result<void> tools::writeOutput(const std::string &path,
                                const std::string &text) {
  if (path != "-")
    return writeFile(path, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return flushStandardOutput();
}

int tools::finish(const std::string &tool, int code) {
  Result<void> flushed = flushStandardOutput();
  return code == 0 && !flushed ? printError(tool, flushed.error()) : code;
}
