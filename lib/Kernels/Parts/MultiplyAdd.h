//===- MultiplyAdd.h - sums of products of one element type -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes multiply elements that are widened to the accumulator's type
// (`getAccumulatorType`), so kernels need not know whether it is an integer.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_MULTIPLYADD_H
#define CONV_LIB_KERNELS_PARTS_MULTIPLYADD_H

#include "mlir/IR/Builders.h"

namespace mlir::conv {

/// Widens an element, or a vector of elements, to the type `wide`.
Value widenElement(OpBuilder &builder, Location loc, Value element, Type wide);
/// `lhs * rhs + sum`, all of one type; floating types round once.
Value multiplyAdd(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                  Value sum);
/// The sum of two accumulators.
Value addSums(OpBuilder &builder, Location loc, Value lhs, Value rhs);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_MULTIPLYADD_H
