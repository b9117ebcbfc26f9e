//===- ParseSource.h - text to a module -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_PARSESOURCE_H
#define CONV_PIPELINE_PARSESOURCE_H

#include "conv/Pipeline/Compile.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

/// Parses MLIR text or bytecode, and reports what is wrong: also more levels of
/// nesting than conv/Support/Nesting.h allows.
OwningOpRef<ModuleOp> parseSource(const SourceFile &source,
                                  MLIRContext *context);

} // namespace mlir::conv

#endif // CONV_PIPELINE_PARSESOURCE_H
