//===- CheckSource.h - checks before MLIR reads an input --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's readers trust their input: text may nest until the stack overflows,
// and bytecode may claim sizes without limit. Everything that reads a user's
// file checks it here first.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_CHECKSOURCE_H
#define CONV_PIPELINE_CHECKSOURCE_H

#include "conv/Pipeline/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

namespace mlir::conv {

/// A source that MLIR's readers survive: text as it is, bytecode as a child
/// process has read it and written it again. Returns nothing, after an error,
/// for more nesting than conv/Support/Nesting.h allows, for invalid bytecode
/// and, after `tryTextInChild`, for text that makes a reader crash. The
/// returned text may still be invalid.
std::optional<SourceFile> checkSource(const SourceFile &source,
                                      MLIRContext *context);

/// Reads a source, or reports what is wrong with it.
OwningOpRef<ModuleOp> parseSource(const SourceFile &source,
                                  MLIRContext *context);

/// Copies bytes to memory that is aligned for the resources of bytecode.
std::unique_ptr<llvm::MemoryBuffer> copyAligned(StringRef bytes,
                                                StringRef name);

} // namespace mlir::conv

#endif // CONV_PIPELINE_CHECKSOURCE_H
