//===- ReadEntry.h - manifest entries from the IR ---------------*- C++ -*-===//
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

/// Fills in the data of a function at the conv stage: problem, schedule,
/// arguments, error bound and reference.
LogicalResult readProblem(func::FuncOp function,
                          ::conv::artifact::Entry &entry);

/// Fills in which arguments of a function at the conv stage are packed.
void readPacked(func::FuncOp function, ::conv::artifact::Entry &entry);

/// Fills in the data of the function that packs the filters of `reader`, whose
/// entry is `of`, at the conv stage.
void readPacking(func::FuncOp packing, func::FuncOp reader,
                 const ::conv::artifact::Entry &of,
                 ::conv::artifact::Entry &entry);

/// Fills in launches and workspace from the list of launches that the gpu stage
/// leaves. The `code` and `sha256` of each launch stay empty.
LogicalResult readLaunches(func::FuncOp function,
                           ::conv::artifact::Entry &entry);

/// Fills in the resources of a binary's kernels from its own metadata.
LogicalResult readResources(gpu::BinaryOp binary,
                            ::conv::artifact::Entry &entry);

} // namespace mlir::conv

#endif // CONV_PIPELINE_READENTRY_H
