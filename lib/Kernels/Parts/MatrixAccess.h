//===- MatrixAccess.h - where a view's elements are -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of matrix elements: a view and the strides of its tensor, boiled
// down to what a kernel has to compute. The address of an element is a sum of
// one part for each of its three indices, so that loops keep what does not
// change.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H
#define CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H

#include "Kernel.h"

#include <optional>

namespace mlir::conv {

/// The coordinate in the tensor that stands for one that may be outside. With
/// padding of zeros it is the same one, and others may still be outside if they
/// are farther than padding.
Value createPadded(const IndexMath &math, PaddingMode padding, Value coordinate,
                   int64_t size);

/// The indices of an element, in the order of a matrix tensor's dimensions.
enum class MatrixIndex { Batch, Row, Column };

class MatrixAccess {
public:
  /// The part that indices contribute to an address.
  struct Position {
    Value offset; ///< Elements.
    /// Of the coordinates that have to be looked at.
    SmallVector<Value, 3> coordinates;
  };

  MatrixAccess(const IndexMath &math, const MatrixOperand &operand);

  /// The part of one index. That of the row includes what does not depend on
  /// any index.
  Position createPosition(MatrixIndex index, Value value) const;
  Position add(const Position &lhs, const Position &rhs) const;
  /// The position `steps` elements further along an index, of which no outer
  /// digit changes on the way.
  Position advance(const Position &position, MatrixIndex index,
                   Value steps) const;
  /// Where the element at a complete position is, in elements.
  Value createOffset(const Position &position) const;
  /// What is known of an index: its innermost digit is `remainder` more than a
  /// multiple of `modulus`.
  struct Congruence {
    MatrixIndex index;
    int64_t remainder, modulus;
  };
  /// Whether the matrix has an element at a complete position, and `guard`.
  Value createGuard(const Position &position, Value guard,
                    std::optional<Congruence> known = {}) const;

  /// Whether two elements have one guard, and their offsets differ by what lies
  /// between them along the index, where all else that is known is the same.
  bool areGuardedAlike(const Congruence &lhs, const Congruence &rhs) const;

  /// Elements that follow each other both along the index and in memory, and
  /// that the matrix has all or none of: at most `limit`, which is a
  /// power of two, at positions whose index is a multiple of it.
  int64_t getVectorWidth(MatrixIndex index, int64_t limit) const;
  /// Elements along the index until an outer digit changes.
  int64_t getInnermostSize(MatrixIndex index) const;
  /// Distance in memory of neighbours along the index; 0 if there are none.
  int64_t getInnermostDistance(MatrixIndex index) const;
  /// Whether addresses do not depend on the index.
  bool isBroadcast(MatrixIndex index) const { return digitsOf(index).empty(); }
  /// Whether offset and guard take more than the sum of three parts.
  bool isChecked() const { return !checks.empty(); }
  /// By how many elements each element of `other` follows that of this matrix,
  /// if it is as many for all of them.
  std::optional<int64_t> getDistanceTo(const MatrixAccess &other) const;
  /// Whether innermost neighbours along an index have the same checked
  /// coordinates.
  bool isCheckedTogether(MatrixIndex index) const;

private:
  /// One digit of an index.
  struct Digit {
    int64_t size;
    int64_t distance;           ///< In memory, of neighbours.
    SmallVector<int64_t> steps; ///< In the coordinates of `checks`.
    bool operator==(const Digit &) const = default;
  };
  /// A condition, or a coordinate that may leave the tensor.
  struct Check {
    int64_t size, constant;
    PaddingMode padding;
    /// In memory, of neighbours: 0 if the offset has the coordinate already.
    int64_t distance;
    bool operator==(const Check &) const = default;
  };
  bool isInside(size_t check, std::optional<Congruence> known) const;
  ArrayRef<Digit> digitsOf(MatrixIndex index) const {
    return digits[static_cast<size_t>(index)];
  }
  static void simplify(SmallVectorImpl<Digit> &digits);

  const IndexMath &math;
  std::array<SmallVector<Digit>, 3> digits; ///< Outermost first.
  SmallVector<Check> checks;
  int64_t constant = 0;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H
