//===- ExplainSource.h - explains a whole module ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_EXPLAINSOURCE_H
#define CONV_LIB_PIPELINE_EXPLAINSOURCE_H

#include "CompilePair.h"

namespace mlir::conv {

/// Explains the choice for each kernel of a module, and how kernels overlap.
/// Functions are explained one by one: a function that cannot be compiled has
/// the reason in its place. It is an error if there is no other.
::conv::Result<std::string> explainSource(const SourceFile &source,
                                          const Target &target,
                                          const CompileOptions &options);

/// Explains how the kernels overlap of the functions of a walk at the conv
/// stage, which goes on to the tiled stage; or says why it cannot.
std::string explainTiled(Walk &walk, StringRef function, const Target &target,
                         const CompileOptions &options);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_EXPLAINSOURCE_H
