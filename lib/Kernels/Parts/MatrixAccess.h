//===- MatrixAccess.h - addresses of a view's elements ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of matrix elements: a view and the strides of its tensor, reduced
// to what a kernel has to compute. The address of an element is the sum of one
// contribution for each of its three indices, so that loops keep the
// contributions that do not change. Several subproblems that share code have
// one access, whose numbers may differ.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H
#define CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H

#include "Kernel.h"

#include <optional>

namespace mlir::conv {

/// The coordinate in the tensor that replaces one that may be outside. With
/// zero padding the coordinate stays as it is. With the other modes the result
/// may still be outside if the coordinate is farther out than the padding.
Value createPadded(const IndexMath &math, PaddingMode padding, Value coordinate,
                   int64_t size);

/// The indices of an element, in the order of a matrix tensor's dimensions.
enum class MatrixIndex { Batch, Row, Column };

class MatrixAccess {
public:
  /// The contribution of one or more indices to an address.
  struct Position {
    Value offset; ///< Elements.
    /// The coordinates that have to be checked.
    SmallVector<Value, 3> coordinates;
  };

  MatrixAccess(const IndexMath &math, const ViewedTensor &operand);
  MatrixAccess(const IndexMath &math, const MatrixOperand &operand)
      : MatrixAccess(math, operand.getViewed()) {}
  /// The access of subproblems that are alike (`areAlike`).
  MatrixAccess(const IndexMath &math, ArrayRef<ViewedTensor> operands);

  /// Whether one access can serve all of these tensors: digits and coordinates
  /// differ in nothing but numbers, and distances along innermost digits are
  /// equal.
  static bool areAlike(ArrayRef<ViewedTensor> operands);

  /// The contribution of one index. The contribution of the row includes
  /// everything that does not depend on any index.
  Position createPosition(MatrixIndex index, Value value) const;
  Position add(const Position &lhs, const Position &rhs) const;
  /// The position `steps` elements further along an index. No outer digit may
  /// change on the way.
  Position advance(const Position &position, MatrixIndex index,
                   Value steps) const;
  /// Whether elements fewer than `length` after a multiple of `length` along an
  /// index are at the same distances from it everywhere, which may be different
  /// ones for each subproblem.
  bool movesTogether(MatrixIndex index, int64_t length) const;
  /// The position `steps` elements further along such an index.
  Position advanceTogether(const Position &position, MatrixIndex index,
                           int64_t steps) const;
  /// The offset, in elements, of the element at a complete position.
  Value createOffset(const Position &position) const;
  /// A known property of an index: it is `remainder` plus a multiple of
  /// `modulus`, and so is its innermost digit if its size is such a multiple.
  struct Congruence {
    MatrixIndex index;
    int64_t remainder, modulus;
    /// Digits of other sizes are known by what divides their size and
    /// `modulus`.
    bool ofDivisors = false;
  };
  /// True if `guard` holds and a complete position is in the matrix.
  Value createGuard(const Position &position, Value guard,
                    std::optional<Congruence> known = {}) const;

  /// Whether `createRange` describes neighbours along an index.
  bool hasRange(MatrixIndex index) const;
  /// The part of `length` neighbours from `start` on along an index that is in
  /// the matrix, as numbers of the first one and of the one after the last. No
  /// outer digit may change on the way. Empty ranges may be negative.
  std::pair<Value, Value> createRange(const Position &start, MatrixIndex index,
                                      Value length) const;

  /// Neighbours along an index, from a multiple of their number on, that are
  /// evenly spaced in memory and of which the matrix has a range: those of the
  /// innermost digit, and, if these all have the same coordinates, of the digit
  /// before it.
  int64_t getEvenRangeSize(MatrixIndex index) const;
  /// The range of `length` such neighbours, as `createRange` returns it. The
  /// position `start` is that of `first`.
  std::pair<Value, Value> createEvenRange(const Position &start,
                                          MatrixIndex index, Value first,
                                          Value length) const;

  /// Whether two elements that differ only along the index have the same guard,
  /// and offsets that differ by a constant, their distance along the index.
  bool areGuardedAlike(const Congruence &lhs, const Congruence &rhs) const;

  /// The contribution of one index to the offsets of a single subproblem, which
  /// takes fewer divisions than a position, and the least and the greatest one.
  Value createDistance(MatrixIndex index, Value value) const;
  std::pair<int64_t, int64_t> getDistanceRange(MatrixIndex index) const;
  /// A tap is a number of all digits of an index but the innermost one, or an
  /// element of the index. The condition says whether a coordinate is inside in
  /// some taps: bit `i` is tap `i`.
  enum class Tap { Run, Element };
  struct TapGuard {
    Value condition;
    uint32_t taps;
  };
  /// The number of runs after which conditions repeat, since outer digits move
  /// no coordinate that may be outside, of a single subproblem.
  int64_t countTapGuards(MatrixIndex index) const;
  /// The conditions on a position that lacks the index, for the first `taps`
  /// taps, at most 32, of a single subproblem. Elements of a run are checked
  /// together. Taps with the same coordinate share a condition, and have none
  /// if it is always inside.
  SmallVector<TapGuard> createTapGuards(const Position &position,
                                        MatrixIndex index, Tap tap,
                                        int64_t taps) const;
  /// The number of elements along an index after which conditions repeat, and
  /// offsets with a distance added to them, of a single subproblem: all digits
  /// but the outermost one, unless that moves a coordinate that may be outside.
  struct Period {
    int64_t elements, distance;
  };
  Period getPeriod(MatrixIndex index) const;

  /// The number of elements that follow each other both along the index and in
  /// memory, and that the matrix has all or none of. It divides `limit`, a
  /// power of two, and holds where the index is a multiple of the result.
  int64_t getVectorWidth(MatrixIndex index, int64_t limit) const;
  /// Elements along the index until an outer digit changes, or a divisor of
  /// them where subproblems have different ones.
  int64_t getInnermostSize(MatrixIndex index) const;
  /// Memory distance of neighbours along the index; 0 if there are none.
  int64_t getInnermostDistance(MatrixIndex index) const;
  /// Elements along the index, until their distance in memory changes.
  int64_t getEvenSize(MatrixIndex index) const;
  /// Whether addresses do not depend on the index.
  bool isBroadcast(MatrixIndex index) const { return digitsOf(index).empty(); }
  /// Whether offset and guard need more than the sum of three positions.
  bool isChecked() const { return !checks.empty(); }
  /// Whether offsets are the sums of three positions, even outside.
  bool hasLinearOffsets() const;
  /// Whether elements may be outside the tensor (`createGuard`).
  bool isGuarded() const;
  /// Whether all checked coordinates are numbers of 32 bits.
  bool hasNarrowCoordinates() const;
  /// The distance from each element of this matrix to the same element of
  /// `other`, if it is the same for all elements.
  std::optional<int64_t> getDistanceTo(const MatrixAccess &other) const;
  /// Whether the same code locates the elements of both matrices, given the
  /// positions of their rows: offsets and guards differ in nothing else.
  bool differsOnlyInRows(const MatrixAccess &other) const;
  /// Number of coordinates that a position has.
  size_t countChecked() const { return checks.size(); }
  /// Whether the digits of an index are separated by the same numbers in all
  /// subproblems.
  bool hasEqualDigits(MatrixIndex index) const;
  /// Whether innermost neighbours along an index have the same checked
  /// coordinates.
  bool isCheckedTogether(MatrixIndex index) const;

private:
  /// One digit of an index.
  struct Digit {
    SharedNumber size;
    SharedNumber distance;           ///< Between neighbours in memory.
    SmallVector<SharedNumber> steps; ///< Step of each coordinate in `checks`.
    bool operator==(const Digit &) const = default;
  };
  /// A condition, or a coordinate that may leave the tensor.
  struct Check {
    int64_t size;
    SharedNumber constant;
    PaddingMode padding;
    /// Between neighbours in memory; 0 if the offset includes the coordinate.
    int64_t distance;
    bool operator==(const Check &) const = default;
  };
  /// A number of each subproblem.
  SharedNumber collect(llvm::function_ref<int64_t(size_t)> of) const;
  /// Adds the checks, and the digits' steps in them. Returns the strides of the
  /// dimensions; that of a dimension whose coordinates outside are replaced is
  /// 0, since `createOffset` adds its contribution.
  SmallVector<int64_t> addChecks(ArrayRef<ViewedTensor> operands,
                                 SmallVectorImpl<Digit> &all);
  /// The least and the greatest coordinate of a subproblem, for all indices or
  /// those that satisfy `known`.
  std::pair<int64_t, int64_t> getRange(size_t subproblem, size_t check,
                                       std::optional<Congruence> known) const;
  bool isInside(size_t check, std::optional<Congruence> known) const;
  ArrayRef<Digit> getTapDigits(MatrixIndex index, Tap of) const;
  int64_t getStepOfTap(size_t check, MatrixIndex index, Tap of,
                       int64_t tap) const;
  /// `createRange` for coordinates that move by `steps` every `repeat`
  /// neighbours, of which the first one is number `within`.
  std::pair<Value, Value> createRange(const Position &start,
                                      ArrayRef<SharedNumber> steps,
                                      int64_t repeat, Value within,
                                      Value length) const;
  /// The digit that an even range crosses beside the innermost one, or null.
  const Digit *getRangeDigit(MatrixIndex index) const;
  /// The number of neighbours along an index that pass or fail a check
  /// together; 0 if all of an innermost digit do.
  int64_t getCheckedWidth(size_t check, MatrixIndex index) const;
  ArrayRef<Digit> digitsOf(MatrixIndex index) const {
    return digits[static_cast<size_t>(index)];
  }
  void simplify(SmallVectorImpl<Digit> &digits) const;
  /// Whether a number of a digit continues in the next outer digit.
  bool continues(const SharedNumber &outer, const SharedNumber &inner,
                 const SharedNumber &size) const;

  const IndexMath &math;
  size_t subproblems;
  std::array<SmallVector<Digit>, 3> digits; ///< Outermost first.
  SmallVector<Check> checks;
  SharedNumber constant = 0;
};

/// The access to a tensor (`TiledConvolution::getTensor`) in a kernel's code.
MatrixAccess createAccess(const Kernel &kernel, size_t tensor);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_MATRIXACCESS_H
