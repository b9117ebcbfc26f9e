//===- Generate.h - a problem as MLIR -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_GENERATE_H
#define CONV_TOOLS_CONVGEN_GENERATE_H

#include "Options.h"

#include "conv/Support/Result.h"

namespace conv::tools {

/// The text of a module with one function.
Result<std::string> generate(const GenOptions &options);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_GENERATE_H
