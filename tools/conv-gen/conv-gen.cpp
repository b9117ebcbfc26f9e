//===- conv-gen.cpp - a problem in MIOpenDriver's grammar to .mlir -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, generates, writes.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "Options.h"

#include "ErrorLine.h"

#include "conv/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace conv;
using namespace conv::tools;

static Result<void> writeToStandardOutput(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return {};
  return Error{ErrorKind::System,
               std::string("cannot write standard output: ") +
                   std::strerror(errno)};
}

int main(int argc, char **argv) {
  GenOptions options;
  if (std::optional<int> code = parseGenOptions(argc, argv, options))
    return *code;
  Result<std::string> text = generate(options);
  if (!text)
    return printError("conv-gen", text.error());
  Result<void> written = options.output == "-"
                             ? writeToStandardOutput(*text)
                             : writeFile(options.output, *text);
  return written ? 0 : printError("conv-gen", written.error());
}
