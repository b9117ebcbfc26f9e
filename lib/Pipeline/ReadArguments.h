//===- ReadArguments.h - roles and layouts of arguments ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_READARGUMENTS_H
#define CONV_LIB_PIPELINE_READARGUMENTS_H

#include "conv/Artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Reads the sizes, arguments and constants of a function at the conv stage.
void readArguments(func::FuncOp function, ::conv::artifact::Entry &entry);

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_READARGUMENTS_H
