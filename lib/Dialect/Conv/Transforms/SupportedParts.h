//===- SupportedParts.h - types and arithmetic of kernels -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDPARTS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDPARTS_H

#include "SupportedConvolutions.h"

namespace mlir::conv {

/// Checks the arithmetic of a kernel.
LogicalResult checkScalar(Operation &op);
template <typename RangeTy> LogicalResult checkScalars(RangeTy &&ops) {
  for (Operation &op : ops)
    if (failed(checkScalar(op)))
      return failure();
  return success();
}

/// Checks where an operand or the result comes from.
LogicalResult checkTensor(Operation *op, Value tensor,
                          Constants constants = Constants::Refused);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_SUPPORTEDPARTS_H
