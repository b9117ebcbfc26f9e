//===- DynamicFlags.h - lines of dynamic convolutions -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes CLI11, so files that include this must not include MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H
#define CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H

#include "conv/Generate/Options.h"

#include <CLI/CLI.hpp>

namespace conv::tools {

/// Whether a line that starts with this word describes a dynamic convolution
/// rather than an op on states.
bool isDynamic(const std::string &word);

/// Adds the flags of such a line to `app`, which writes into `options`.
void addDynamicFlags(CLI::App &app, DynamicGenOptions &options);

/// Whether a line that starts with this word describes an op on states, and the
/// flags of that op, which differ between ops.
bool isState(const std::string &word);
void addStateFlags(CLI::App &app, const std::string &word,
                   StateGenOptions &options);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_DYNAMICFLAGS_H
