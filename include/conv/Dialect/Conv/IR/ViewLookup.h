//===- ViewLookup.h - geometry of a view by digit roles ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that needs the geometry of a convolution looks digits up by their roles.
// Functions that take or return a role require a view whose digits all have
// one; the functions about memory and conditions take any view.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_VIEWLOOKUP_H
#define CONV_DIALECT_CONV_IR_VIEWLOOKUP_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// Roles of the digits, with more than one value, that change a coordinate, in
/// the order of the map's dimensions.
SmallVector<DigitRole> getMovingRoles(ViewAttr view,
                                      const ViewAttr::Coordinate &coordinate);

/// Whether a coordinate equals the value of a digit.
bool isCountedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                 DigitRole role);

/// The dimension whose coordinate equals the value of a digit.
std::optional<size_t> findDimension(const ViewedTensor &tensor, DigitRole role);

/// The change of a coordinate from all digits 0 to these digits.
int64_t getShift(const ViewAttr::Coordinate &coordinate,
                 ArrayRef<int64_t> digits);

/// The smallest and the largest shift for digits from 0 to `last`.
std::pair<int64_t, int64_t> getShifts(const ViewAttr::Coordinate &coordinate,
                                      ArrayRef<int64_t> last);

/// The distance in memory, in elements, from one value of a digit to the next:
/// of all digits in the order of the map's dimensions, or of one digit (0 if it
/// is absent). `strides` are those of the tensor's dimensions.
SmallVector<int64_t> getDistances(ViewAttr view, ArrayRef<int64_t> strides);
SmallVector<int64_t> getDistances(const ViewedTensor &tensor);
int64_t getDistance(const ViewedTensor &tensor, DigitRole role);

/// That of the innermost of these digits that has more than one value; 0 if
/// none has.
int64_t getInnermostDistance(const ViewedTensor &tensor,
                             ArrayRef<DigitRole> roles);

/// The element in memory at which all digits are 0.
int64_t getStart(ViewAttr view, ArrayRef<int64_t> strides);
int64_t getStart(const ViewedTensor &tensor);

/// Whether the view's conditions exclude only elements outside of the
/// tensor.
bool isClipped(const ViewedTensor &tensor);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_VIEWLOOKUP_H
