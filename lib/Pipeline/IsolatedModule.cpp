//===- IsolatedModule.cpp - a module outside of any context -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode that this process wrote needs none of the checks and limits that a
// user's bytecode needs.
//
//===----------------------------------------------------------------------===//

#include "IsolatedModule.h"

#include "conv/Pipeline/CheckSource.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::conv;

IsolatedModule IsolatedModule::create(ModuleOp module, StringRef sourceName) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  // Writing fails only for unsupported bytecode versions.
  LogicalResult written = writeBytecodeToFile(module, stream);
  assert(succeeded(written));
  (void)written;
  return IsolatedModule(copyAligned(bytes, sourceName));
}

OwningOpRef<ModuleOp> IsolatedModule::restore(MLIRContext *context) const {
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(*bytecode,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  return parseSourceFile<ModuleOp>(
      manager, ParserConfig(context, /*verifyAfterParse=*/false));
}
