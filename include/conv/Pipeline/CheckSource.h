//===- CheckSource.h - whether MLIR survives an input -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's readers trust what they read: text may nest until the stack ends, and
// bytecode may claim sizes without end. Whoever reads a file of a user checks
// it first.
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
/// process has read it and written it again. None, with an error, for more
/// levels of nesting than conv/Support/Nesting.h allows, for bytecode that is
/// wrong and, after `tryTextInChild`, for text that makes a reader crash. Text
/// may still be wrong.
std::optional<SourceFile> checkSource(const SourceFile &source,
                                      MLIRContext *context);

/// Reports what is wrong with a source, and reads it otherwise.
OwningOpRef<ModuleOp> parseSource(const SourceFile &source,
                                  MLIRContext *context);

/// Bytes in memory that is aligned for the resources of bytecode.
std::unique_ptr<llvm::MemoryBuffer> copyAligned(StringRef bytes,
                                                StringRef name);

} // namespace mlir::conv

#endif // CONV_PIPELINE_CHECKSOURCE_H
