//===- TargetCheck.h - whose passes these are -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_TARGETCHECK_H
#define CONV_LIB_BACKEND_TARGETCHECK_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Fails with an error at `op` unless its `conv.target` belongs to `backend`.
LogicalResult verifyTarget(Operation *op, ::conv::Backend backend);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_TARGETCHECK_H
