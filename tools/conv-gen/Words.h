//===- Words.h - the words of a command line --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_WORDS_H
#define CONV_TOOLS_CONVGEN_WORDS_H

#include "conv/Support/Result.h"

#include <string>
#include <vector>

namespace conv::tools {

using Words = std::vector<std::string>;

/// The words of a line in the syntax of a shell: blanks separate, quotes and
/// backslashes escape, `#` begins a comment, and the first command ends at `|`,
/// `;`, `&` or `>`.
Result<Words> splitWords(const std::string &line);

/// The name of a program without its folder: `./bin/MIOpenDriver` is
/// `MIOpenDriver`.
std::string baseName(const std::string &path);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_WORDS_H
