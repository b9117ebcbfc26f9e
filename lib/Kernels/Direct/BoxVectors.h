//===- BoxVectors.h - vectors of a box of elements --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements of a box that a work-item computes share a vector in memory.
// Kernels access those vectors, and the model predicts how long they take.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_BOXVECTORS_H
#define CONV_LIB_KERNELS_DIRECT_BOXVECTORS_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

#include <map>
#include <vector>

namespace mlir::conv {

/// The elements of the result that a work-item computes at a time: a box in the
/// digits of the result's view.
struct ElementBox {
  /// One digit of the view.
  struct Digit {
    int64_t extent;    ///< Number of values.
    int64_t alignment; ///< Divides the first value; 0 if it is zero.
    bool mayExceed;    ///< Some values may be outside the result.
  };
  SmallVector<Digit> digits;

  int64_t getNumElements() const;
  /// Digits of an element, relative to the first element. The last digit is the
  /// fastest.
  SmallVector<int64_t> getDigits(int64_t element) const;
};

/// The vectors in which a box lies in the result or in an operand of the
/// epilogue, whose view has the same digits as that of the result.
class BoxVectors {
public:
  /// Vectors as wide as the layout allows. No vector starts before a box or
  /// crosses the end of a digit, and each condition of the result's view
  /// excludes all elements of a vector or none. The box must outlive this.
  BoxVectors(const ElementBox &box, const ViewedTensor &tensor,
             ViewAttr result);

  /// Narrows vectors until the box contains all elements of each vector.
  void narrowToWhole();
  int64_t getWidth() const { return width; } ///< Elements of a vector.

  /// Coordinates of a vector's first element, relative to the first element of
  /// the box. Elements outside the tensor may share the address of another
  /// element, but never its coordinates.
  using Coordinates = std::vector<int64_t>;
  struct Place {
    Coordinates vector;
    int64_t lane;
  };
  Place getPlace(int64_t element) const;
  /// The elements of each vector, in its order.
  SmallVector<SmallVector<int64_t>> list() const;

  /// The coordinates of the tensor, and the conditions of the result's view.
  ArrayRef<ViewAttr::Coordinate> getCoordinates() const { return coordinates; }
  ArrayRef<ViewAttr::Coordinate> getConditions() const { return conditions; }

private:
  int64_t computeWidth(const ViewedTensor &tensor) const;
  /// The number of elements of the box in each vector.
  std::map<Coordinates, int64_t> countElements() const;

  const ElementBox &box;
  SmallVector<ViewAttr::Coordinate> coordinates, conditions;
  std::optional<size_t> along; ///< The dimension of vectors.
  int64_t width;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_BOXVECTORS_H
