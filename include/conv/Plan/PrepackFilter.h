//===- PrepackFilter.h - filters that callers pack once ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PLAN_PREPACKFILTER_H
#define CONV_PLAN_PREPACKFILTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {

/// Marks the filters of a function that one convolution reads, and that callers
/// pass, with `conv.prepack`. Refuses a function without one.
LogicalResult requestPrepacking(func::FuncOp function);

/// Whether callers have the work of a transform done once: it reads only a
/// filter that is packed (`conv.unpack`) or will be (`conv.prepack`).
bool isPrepacked(Operation *transform);

} // namespace mlir::conv

#endif // CONV_PLAN_PREPACKFILTER_H
