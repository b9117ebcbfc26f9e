//===- ReadEntry.h - manifest entries out of the IR -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_READENTRY_H
#define CONV_PIPELINE_READENTRY_H

#include "conv/Artifact/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

/// Fills in what is known of a function at the conv stage: problem, schedule,
/// arguments, error bound and reference.
LogicalResult readProblem(func::FuncOp function,
                          ::conv::artifact::Entry &entry);

/// Fills in launches and workspace from the list of launches that the gpu stage
/// leaves. `code` and `sha256` of each stay empty.
LogicalResult readLaunches(func::FuncOp function,
                           ::conv::artifact::Entry &entry);

/// Fills in what the kernels of a binary use, from its own metadata.
LogicalResult readResources(gpu::BinaryOp binary,
                            ::conv::artifact::Entry &entry);

} // namespace mlir::conv

#endif // CONV_PIPELINE_READENTRY_H
