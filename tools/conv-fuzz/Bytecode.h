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

/// The bytecode of a module, or empty if `text` is not a module.
std::string convertToBytecode(const std::string &text);

/// Treats a module, text or bytecode, like conv-opt: reads it, verifies it,
/// runs the first pipeline and prints the result. False if it is refused.
bool optimize(const std::string &source);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVFUZZ_BYTECODE_H
