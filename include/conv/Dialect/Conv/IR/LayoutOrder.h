//===- LayoutOrder.h - dimension orders of tensors --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_LAYOUTORDER_H
#define CONV_DIALECT_CONV_IR_LAYOUTORDER_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// The letters of a tensor's dimensions, outermost first.
StringRef getOrder(LayoutsAttr layouts, TensorRole role);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_LAYOUTORDER_H
