//===- conv-gen.cpp - a problem in MIOpenDriver's grammar to .mlir --------===//
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
#include "Output.h"

using namespace conv;
using namespace conv::tools;

static int run(int argc, char **argv) {
  GenOptions options;
  if (std::optional<int> code = parseGenOptions(argc, argv, options))
    return *code;
  Result<std::string> text = generate(options);
  if (!text)
    return printError("conv-gen", text.error());
  Result<void> written = writeOutput(options.output, *text);
  return written ? 0 : printError("conv-gen", written.error());
}

int main(int argc, char **argv) { return finish("conv-gen", run(argc, argv)); }
