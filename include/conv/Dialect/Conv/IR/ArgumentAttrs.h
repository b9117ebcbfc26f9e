//===- ArgumentAttrs.h - how arguments lie in memory ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `conv.strides` of a function's arguments and results; without it elements are
// contiguous. Strides and extents count elements. `conv.constant` of an
// argument: callers do not pass it. `conv.in_place`: a result is in its buffer.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H
#define CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>

namespace mlir::conv {

/// The strides that an argument or a result of a tensor type has, given its
/// `conv.strides` or null. Outside of a size that is `?` they are dynamic.
SmallVector<int64_t> getArgumentStrides(Attribute attribute, Type type);

/// Strides without gaps, the last dimension innermost, as far as sizes say.
SmallVector<int64_t> computeContiguousStrides(ArrayRef<int64_t> shape);

/// Elements from the first to the last, or none if they reach 2^63. Sizes that
/// are `?` count as one.
std::optional<int64_t> computeExtent(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> strides);

/// Where the buffer of a function's argument comes from: the index-th that
/// callers pass, or the index-th that is stored with the code.
struct ArgumentPlace {
  bool isConstant;
  int64_t index;
};
ArgumentPlace getArgumentPlace(FunctionOpInterface function, unsigned argument);

/// The result that is in the buffer of an argument (`conv.in_place`), and the
/// argument in whose buffer a result is, or none.
std::optional<unsigned> getResultInPlace(FunctionOpInterface function,
                                         unsigned argument);
std::optional<unsigned> getArgumentInPlace(FunctionOpInterface function,
                                           unsigned result);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_ARGUMENTATTRS_H
