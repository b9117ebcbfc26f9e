//===- ViewLookup.h - what the digits of a view do --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that needs the geometry of a convolution looks digits up by their roles.
// Functions that take or return a role need a view whose digits all have one;
// the functions about memory and conditions take any view.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_VIEWLOOKUP_H
#define CONV_DIALECT_CONV_IR_VIEWLOOKUP_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// Roles of the digits with several values that move a coordinate, in the order
/// of the map's dimensions.
SmallVector<DigitRole> getMovingRoles(ViewAttr view,
                                      const ViewAttr::Coordinate &coordinate);

/// Whether a coordinate is the value of a digit.
bool isCountedBy(ViewAttr view, const ViewAttr::Coordinate &coordinate,
                 DigitRole role);

/// The dimension whose coordinate is the value of a digit.
std::optional<size_t> findDimension(const ViewedTensor &tensor, DigitRole role);

/// How far the coordinate of these digits is from that of zeros.
int64_t getShift(const ViewAttr::Coordinate &coordinate,
                 ArrayRef<int64_t> digits);

/// The least and the greatest shift of digits that are from 0 to `last`.
std::pair<int64_t, int64_t> getShifts(const ViewAttr::Coordinate &coordinate,
                                      ArrayRef<int64_t> last);

/// Elements in memory from one value of a digit to the next: of all digits, in
/// the order of the map's dimensions, and of one, or 0 without it. `strides`
/// are the elements between neighbours of a dimension.
SmallVector<int64_t> getDistances(ViewAttr view, ArrayRef<int64_t> strides);
SmallVector<int64_t> getDistances(const ViewedTensor &tensor);
int64_t getDistance(const ViewedTensor &tensor, DigitRole role);

/// The element in memory at which all digits are 0.
int64_t getStart(ViewAttr view, ArrayRef<int64_t> strides);
int64_t getStart(const ViewedTensor &tensor);

/// Whether the view's conditions exclude only elements that are outside of the
/// tensor.
bool isClipped(const ViewedTensor &tensor);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_VIEWLOOKUP_H
