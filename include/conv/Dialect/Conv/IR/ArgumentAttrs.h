//===- ArgumentAttrs.h - memory layout of arguments -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of a function's arguments and results. `conv.strides`: strides, in
// elements; contiguous without it. `conv.constant`: callers do not pass the
// argument. `conv.in_place`: the argument's buffer holds a result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H
#define CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>

namespace mlir::conv {

/// The strides of an argument or a result of a tensor type, given its
/// `conv.strides` or null. They are dynamic outside of a dynamic size.
SmallVector<int64_t> getArgumentStrides(Attribute attribute, Type type);

/// Contiguous strides, last dimension innermost, as far as sizes are static.
SmallVector<int64_t> computeContiguousStrides(ArrayRef<int64_t> shape);

/// Elements from the first to the last, or none if they reach 2^63. Dynamic
/// sizes count as one.
std::optional<int64_t> computeExtent(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> strides);

/// Where the buffer of a function's argument comes from: the index-th buffer
/// that callers pass, or the index-th that is stored with the code.
struct ArgumentPlace {
  bool isConstant;
  int64_t index;
};
ArgumentPlace getArgumentPlace(FunctionOpInterface function, unsigned argument);

/// The result in an argument's buffer (`conv.in_place`), and the argument whose
/// buffer a result shares; none if there is none.
std::optional<unsigned> getResultInPlace(FunctionOpInterface function,
                                         unsigned argument);
std::optional<unsigned> getArgumentInPlace(FunctionOpInterface function,
                                           unsigned result);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H
