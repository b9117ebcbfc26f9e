//===- CopyMatrices.h - copies of matrices ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_COPYMATRICES_H
#define CONV_LIB_PLAN_COPYMATRICES_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// Creates a kernel with `schedule` that copies the matrices which the view
/// `from` makes of `source`. Elements are converted to `element`, which has all
/// values of their type.
Value copyMatrices(OpBuilder &builder, Location loc, Value source,
                   ViewAttr from, Type element, Attribute schedule);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_COPYMATRICES_H
