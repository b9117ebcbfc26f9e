//===- GeneratorLine.h - lines of rocMLIR's generator -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_GENERATORLINE_H
#define CONV_TOOLS_CONVGEN_GENERATORLINE_H

#include "Notes.h"
#include "Words.h"

namespace conv::tools {

/// Translates the arguments of rocmlir-gen to the equivalent MIOpenDriver line.
/// Options that do not affect the problem go to `notes`.
Result<Words> translateGeneratorLine(const Words &arguments, Notes &notes);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_GENERATORLINE_H
