//===- CodeDigest.h - what a schedule becomes, as a digest ------*- C++ -*-===//
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

/// The digest of the kernels and launches of a convolution without its epilogue
/// by a schedule. It has no names of the caller's in it.
::conv::Result<std::string> computeCodeDigest(ConvolutionOpInterface op,
                                              StringRef schedule,
                                              const Target &target);

/// The digest for the target around the convolution; empty if it is refused.
std::string computeCodeForTarget(ConvolutionOpInterface op, StringRef schedule);

/// The file that `CompileOptions::database` means for the target of a module;
/// empty if there is none. A file that ships and cannot be read is a warning.
std::string findDatabase(const std::string &option, ModuleOp module);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_CODEDIGEST_H
