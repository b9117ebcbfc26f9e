//===- StateOps.h - checks that ops on states share -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_STATEOPS_H
#define CONV_LIB_DIALECT_CONV_IR_STATEOPS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

inline RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether kernels can sum up products of this type.
inline bool isFactor(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(8);
}

/// Checks that a tensor has `rank` positive sizes and fewer than 2^63 bytes,
/// and that only the first `open` sizes are `?`.
LogicalResult verifyBuffer(Operation *op, Value tensor, StringRef name,
                           int64_t rank, size_t open = 0);

/// Checks the shape and the element type of a tensor.
LogicalResult verifyType(Operation *op, Value tensor, StringRef name,
                         ArrayRef<int64_t> shape, Type element);

/// Checks a vector of numbers by which kernels find places.
LogicalResult verifyNumbers(Operation *op, Value tensor, StringRef name,
                            int64_t count);

/// " --NAME" or " --NAME i64" if the operand exists, otherwise nothing.
std::string formatNumbers(StringRef name, Value tensor);

/// The name of an op, a type, and sizes by their letters.
std::string
formatSizes(Operation *op, Type type,
            std::initializer_list<std::pair<const char *, int64_t>> sizes);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_STATEOPS_H
