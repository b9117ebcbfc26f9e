//===- Bytecode.h - MLIR in its other form ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVFUZZ_BYTECODE_H
#define CONV_TOOLS_CONVFUZZ_BYTECODE_H

#include <string>

namespace conv::tools {

/// The bytecode of a module, or empty if `text` is none.
std::string convertToBytecode(const std::string &text);

/// What conv-opt does with a module, text or bytecode: reads it, verifies it,
/// runs the first pipeline and prints what results. False if it is refused.
bool optimize(const std::string &source);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_BYTECODE_H
