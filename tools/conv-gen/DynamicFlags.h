//===- DynamicFlags.h - lines of dynamic convolutions -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes CLI11, so files that see this must not see MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H
#define CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H

#include "conv/Generate/Options.h"

#include <CLI/CLI.hpp>

namespace conv::tools {

/// Whether a line that starts with this word is of a dynamic convolution, and
/// of no op on states.
bool isDynamic(const std::string &word);

/// Adds what such a line has to `app`, which writes into `options`.
void addDynamicFlags(CLI::App &app, DynamicGenOptions &options);

/// Whether a word begins a line of an op on states, and the flags of that op,
/// which differ from one to the other.
bool isState(const std::string &word);
void addStateFlags(CLI::App &app, const std::string &word,
                   StateGenOptions &options);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H
