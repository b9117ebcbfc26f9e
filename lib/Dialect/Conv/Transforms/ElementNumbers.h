//===- ElementNumbers.h - integers and places of elements -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTNUMBERS_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTNUMBERS_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace mlir::conv {

/// A number for each element of a tensor: its value, or its place.
using ElementNumbers = SmallVector<int64_t>;

/// The place of an element that is zero.
inline constexpr int64_t kZeroPlace = -1;

/// The type of a tensor of static shape that is small enough to visit each of
/// its elements, or null.
RankedTensorType getSmallType(Value value);

/// Calls `visit` with the coordinates of each element in turn.
void forEachPosition(ArrayRef<int64_t> shape,
                     function_ref<void(ArrayRef<int64_t>)> visit);

/// The linear number of the element at a position.
int64_t linearize(ArrayRef<int64_t> position, ArrayRef<int64_t> shape);

/// Follows TOSA ops back to constants, or to the tensor that they move.
class NumbersReader {
public:
  NumbersReader();

  /// The values of a tensor of integers that depends on constants only.
  std::optional<ElementNumbers> evaluate(Value tensor);

  /// The places of a tensor's elements in `source`, which must be set.
  std::optional<ElementNumbers> locate(Value tensor);

  Value source;

private:
  std::optional<ElementNumbers> read(Value tensor, bool isMoved);
  std::optional<ElementNumbers> readConstant(Value tensor, bool isMoved);
  std::optional<ElementNumbers> readElementwise(Operation *op);
  std::optional<ElementNumbers> readTile(tosa::TileOp op, bool isMoved);
  std::optional<ElementNumbers> readConcat(tosa::ConcatOp op, bool isMoved);
  std::optional<ElementNumbers> readSlice(tosa::SliceOp op, bool isMoved);
  std::optional<ElementNumbers> readSum(tosa::ReduceSumOp op);
  std::optional<ElementNumbers> readGather(tosa::GatherOp op);
  std::optional<ElementNumbers> readScatter(tosa::ScatterOp op);
  std::optional<ElementNumbers> readSource(Value tensor);

  DenseMap<Value, ElementNumbers> knownValues, knownPlaces;
  int64_t elementsLeft;
};

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_ELEMENTNUMBERS_H
