//===- Output.h - text to a file or to standard output ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_OUTPUT_H
#define CONV_TOOLS_SUPPORT_OUTPUT_H

#include "conv/Support/Result.h"

#include <string>

namespace conv::tools {

/// Writes a whole file, or standard output if `path` is "-". A text that is not
/// written completely is an error.
Result<void> writeOutput(const std::string &path, const std::string &text);

/// The exit code of a tool that is about to end with `code`: an error if its
/// output could not be written, else `code`.
int finish(const std::string &tool, int code);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_OUTPUT_H
