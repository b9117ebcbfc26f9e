//===- TakeConstants.h - moves constants out of the IR ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINE_TAKECONSTANTS_H
#define CONV_PIPELINE_TAKECONSTANTS_H

#include "conv/Artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Moves the elements of each `conv.constant` of `function` to the data of
/// `artifact` and leaves their digest. Fails if a resource has no elements.
LogicalResult takeConstants(func::FuncOp function,
                            ::conv::artifact::Artifact &artifact);

/// Makes constants arguments that callers pass, after the others.
void externalizeConstants(func::FuncOp function);

} // namespace mlir::conv

#endif // CONV_PIPELINE_TAKECONSTANTS_H
