//===- ParseSource.cpp - text to a module -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode has no brackets to count. Its reader takes nested regions one by
// one, but calls itself for nested attributes, whose depth nothing limits.
//
//===----------------------------------------------------------------------===//

#include "ParseSource.h"

#include "conv/Support/Nesting.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;
using namespace mlir::conv;

OwningOpRef<ModuleOp> mlir::conv::parseSource(const SourceFile &source,
                                              MLIRContext *context) {
  StringRef text = source.text;
  bool isText = !isBytecode(llvm::MemoryBufferRef(text, source.name));
  if (std::optional<size_t> deep =
          isText ? ::conv::findDeepNesting(text) : std::nullopt) {
    StringRef before = text.take_front(*deep);
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
    emitError(FileLineColLoc::get(context, source.name, before.count('\n') + 1,
                                  *deep - lineStart + 1))
        << "expects at most " << ::conv::kMaxNesting << " levels of nesting";
    return nullptr;
  }
  return parseSourceString<ModuleOp>(text, ParserConfig(context), source.name);
}
