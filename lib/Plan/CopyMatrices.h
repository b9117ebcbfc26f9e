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

/// Creates a block transform whose blocks have one element, which the unit
/// matrix keeps: what `source` has through the view `from`, the result has
/// through the view `to`, which may also be outside of it.
Value createBlockCopy(OpBuilder &builder, Location loc, Value source,
                      ViewAttr from, RankedTensorType result, ViewAttr to);

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_COPYMATRICES_H
