//===- IndexSpace.h - indices of a batch of products ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes views from dimension order strings. One letter names the same index in
// every operand. A letter is either a digit of one of the four indices of a
// batch of matrix products, or computed from digits.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PLAN_INDEXSPACE_H
#define CONV_LIB_PLAN_INDEXSPACE_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include <string>

namespace mlir::conv {

class IndexSpace {
public:
  /// Letters of the digits of each index, outermost first. The batch is `G`.
  struct Letters {
    std::string rows, columns, reduction;
    /// Positions of rows or reduction that are numbered by halo tiles.
    std::string positions;
    /// The channel that is numbered by channel rows, whose digit is innermost
    /// among rows, columns or the reduction; 0 if none is; and the channels of
    /// such a row.
    char channel = 0;
    int64_t channelRow = 0;
    /// The reduction digit that both operands have innermost: slices of it
    /// should have whole rows of a tile; 0 if there is none. And the elements
    /// of such a row.
    char innermost = 0;
    int64_t innermostRow = 0;
    /// Whether merged groups are digits of columns and reduction, and the right
    /// operand is zero between two groups. Otherwise they are digits of rows
    /// and columns, and the result is not written between two groups.
    bool mergesReduction;
  };

  /// A non-empty `haloTile` has two dimensions. The digit of each position then
  /// counts halo tiles, and digits of the block in the halo tile and of the
  /// position in the block follow the digits of all letters. So does the digit
  /// of a channel in its row.
  IndexSpace(MLIRContext *context, int64_t mergedGroups,
             ArrayRef<int64_t> haloTile)
      : context(context), mergedGroups(mergedGroups), haloTile(haloTile) {}

  bool hasHaloTiles() const { return !haloTile.empty(); }
  void setSize(char letter, int64_t size) { sizes[letter] = size; }
  /// Sets which element of the filter has index 0 in the dimension `letter`.
  void setFilterOrigin(char letter, int64_t element) {
    filterOrigins[letter] = element;
  }
  /// Sets the role and size of a digit that is not a dimension of a tensor.
  void setDigit(char letter, DigitRole role, int64_t size) {
    roles[letter] = role;
    setSize(letter, size);
  }
  /// Starts over with these digits.
  void setDigits(const Letters &letters);
  /// Splits the reduction into slices of one size, whose numbers are digits of
  /// the batch: the longest digit among those that divide evenly; else several
  /// digits that together do; else the longest digit. A reduction over halo
  /// tiles is split along all of its digits, whichever way has the shortest
  /// slices.
  void split(int64_t splits);
  int64_t getSplits() const { return splits; }
  /// Makes columns outermost in the matrices of split-K slices: rows are then
  /// contiguous there, as they are in the result.
  void turnParts() { areTurned = true; }
  /// Whether there can be so many slices: at most `getMostAlone`, or equal ones
  /// of several digits.
  bool canSplit(int64_t splits) const;
  /// The longest digit, or the number of halo tiles.
  int64_t getMostAlone() const;
  /// The product of all digits that can be split.
  int64_t getSplittableSize() const;
  /// Products that are summed up for an element of one split-K slice.
  int64_t getReductionSize() const;

  AffineExpr getIndex(char letter) const { return indices.lookup(letter); }
  void setIndex(char letter, AffineExpr index) { indices[letter] = index; }
  /// Restricts operands to elements where `index` is from 0 to `limit - 1`.
  void addCondition(AffineExpr index, int64_t limit) {
    conditions.push_back({index, limit});
  }
  void clearConditions() { conditions.clear(); }

  /// Views of tensors with this order of dimensions.
  ViewAttr createLhs(StringRef order,
                     PaddingMode padding = PaddingMode::Zeros) const;
  ViewAttr createRhs(StringRef order,
                     PaddingMode padding = PaddingMode::Zeros) const;
  ViewAttr createResult(StringRef order) const;
  /// A view that applies the conditions, as matrices of the result's sizes.
  ViewAttr createLhsOfResult(StringRef order) const;
  /// A vector of all channels of the result, as matrices of its sizes.
  ViewAttr createVector(char channel) const;
  /// The tensor of all split-K slices of a result, as one batch that begins
  /// with matrix number `first`; and the view of one slice, as matrices of the
  /// result's sizes.
  ViewAttr createSlices(int64_t first) const;
  ViewAttr createSlice(int64_t split, int64_t first) const;
  /// The number of matrices of all split-K slices, and their rows and columns,
  /// the outermost first.
  SmallVector<int64_t> getPartsShape() const;

  /// The shape of a tensor with this order and the sizes of its letters.
  SmallVector<int64_t> getShape(StringRef order) const;

private:
  enum Space { Batch, Rows, Columns, Reduction };
  struct Condition {
    AffineExpr index;
    int64_t limit;
  };

  int64_t getSize(char letter) const { return sizes.lookup(letter); }
  /// Whether both operands of a reduction have images innermost; and the letter
  /// of the reduction that is next to them, 0 if there is none.
  bool areImagesInnermost() const { return innermost == 'N'; }
  char getNextToInnermost() const {
    StringRef letters = digits[Reduction];
    size_t place = letters.find(innermost);
    return place == 0 || place == StringRef::npos ? 0 : letters[place - 1];
  }
  /// Whether positions are in the rows or in the reduction.
  Space getPositionSpace() const;
  /// The extent of a halo tile in a position's dimension, or the size of a
  /// channel row; 1 for other letters.
  int64_t getHaloTileSize(char letter) const;
  /// The size of a letter in halo tiles, or the length of a slice if the digit
  /// is split.
  int64_t getDigitSize(char letter) const;
  /// Sets indices and conditions from the digits.
  void setIndices();
  AffineExpr computeIndex(char letter) const;
  /// What the digit of a letter counts.
  DigitRole getRole(char letter) const;
  /// The position of a letter's digit in the list of all digits.
  AffineExpr getDigit(char letter) const;
  bool hasHaloTileReduction() const {
    return !positions.empty() && getPositionSpace() == Reduction;
  }
  /// The reduction digits that can be split, outermost first, and the one of
  /// them that is best split alone.
  std::string getSplittableLetters() const;
  char selectSplitLetter(int64_t slices) const;
  /// Whether so many slices of a digit start at whole rows, and whether they
  /// are equal as well.
  bool hasWholeRows(char letter, int64_t slices) const;
  bool canHaveSlices(char letter, int64_t slices) const;
  /// The number of slices of each digit.
  using Counts = SmallVector<int64_t>;
  Counts selectSlices(StringRef letters, int64_t slices) const;
  /// Equal slices of as few digits as possible, most of them of outer digits;
  /// slices of the last digit are not short. Empty if there are none.
  Counts distributeEvenly(StringRef letters, int64_t slices) const;
  /// The number of the group that a digit of merged groups stands for.
  AffineExpr getGroup(char merged) const;
  SmallVector<AffineExpr> getCoordinates(StringRef order,
                                         AffineExpr group) const;
  /// The rows and columns of a split-K slice's matrix, the outermost first.
  std::array<Space, 2> getSliceSpaces() const {
    return areTurned ? std::array{Columns, Rows} : std::array{Rows, Columns};
  }
  /// The linear index of an element among all elements of a space.
  AffineExpr linearize(Space space) const;
  ViewAttr createView(ArrayRef<AffineExpr> coordinates, StringRef batch,
                      Space rows, Space columns,
                      ArrayRef<Condition> conditions = {},
                      PaddingMode padding = PaddingMode::Zeros) const;
  /// The condition that the digits of merged groups on both sides are equal.
  SmallVector<Condition> getSameGroup() const;

  MLIRContext *context;
  int64_t mergedGroups;
  SmallVector<int64_t> haloTile;
  std::string positions; ///< Letters that are numbered by halo tiles.
  char channel = 0;      ///< The letter numbered by channel rows.
  int64_t channelRow = 0;
  char innermost = 0; ///< The letter whose slices have whole rows.
  int64_t innermostRow = 0;
  int64_t splits = 1;
  bool areTurned = false; ///< Split-K slices have columns outermost.
  /// A letter that is split: the digit of the batch that counts its slices, and
  /// the length of a slice.
  struct Split {
    char part;
    int64_t length;
  };
  llvm::SmallDenseMap<char, Split> splitLetters;
  bool mergesReduction = false;
  llvm::SmallDenseMap<char, int64_t> sizes;
  llvm::SmallDenseMap<char, int64_t> filterOrigins; ///< 0 if there is none.
  llvm::SmallDenseMap<char, DigitRole> roles;       ///< Set by `setDigit`.
  llvm::SmallDenseMap<char, AffineExpr> indices;
  std::array<std::string, 4> digits;
  SmallVector<Condition> conditions; ///< The operands' conditions.
  SmallVector<Condition> written;    ///< The result's conditions.
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_INDEXSPACE_H
