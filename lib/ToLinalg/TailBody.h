//===- TailBody.h - a tail's scalars in a linalg.generic ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOLINALG_TAILBODY_H
#define CONV_LIB_TOLINALG_TAILBODY_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

/// What `tail` makes of a sum and of an element of each of its operands. An
/// empty one converts the sum to `element`.
Value createTailBody(OpBuilder &builder, Location loc, Region &tail,
                     Type element, Value sum, ValueRange operands);

} // namespace mlir::conv

#endif // CONV_LIB_TOLINALG_TAILBODY_H
