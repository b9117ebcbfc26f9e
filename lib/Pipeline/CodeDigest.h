//===- CodeDigest.h - digest of the code of a schedule ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_CODEDIGEST_H
#define CONV_LIB_PIPELINE_CODEDIGEST_H

#include "CompilePair.h"

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The digest of the kernels and launches of a convolution, without its
/// epilogue, with a schedule. It does not depend on the caller's names.
::conv::Result<std::string> computeCodeDigest(ConvolutionOpInterface op,
                                              StringRef schedule,
                                              const Target &target);

/// The digest for the convolution's target; empty if it is refused.
std::string computeCodeForTarget(ConvolutionOpInterface op, StringRef schedule);

/// The file that `CompileOptions::database` names for the target of a module;
/// empty if there is none. A shipped file that cannot be read causes a warning.
std::string findDatabase(const std::string &option, ModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_CODEDIGEST_H
