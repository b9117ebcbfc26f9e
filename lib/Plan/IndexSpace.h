//===- IndexSpace.h - indices of a batch of products ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes views from order strings. Everything goes by their letters: one letter
// names the same index in every operand. A letter is either a digit of one of
// the four indices of a batch of matrix products, or computed from digits.
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
    /// The channel of rows or columns that is numbered row by row; 0 if none
    /// is.
    char channel = 0;
    /// The digit of the reduction that both operands have innermost, so that
    /// parts of it are to have whole rows of a tile; 0 if there is none.
    char innermost = 0;
    /// Merged groups are digits of columns and reduction, and the elements of
    /// the right operand between two groups are zero; else of rows and columns,
    /// and the result's elements between two groups are not written.
    bool mergesReduction;
  };

  /// With `halo_tile`, there are two positions. The digit of each is that of
  /// its halo tile, and digits of the block in the halo tile and of the place
  /// in the block follow after those of all letters. So does that of the place
  /// of a channel in its row.
  IndexSpace(MLIRContext *context, int64_t mergedGroups,
             ArrayRef<int64_t> haloTile)
      : context(context), mergedGroups(mergedGroups), haloTile(haloTile) {}

  bool hasHaloTiles() const { return !haloTile.empty(); }
  void setSize(char letter, int64_t size) { sizes[letter] = size; }
  /// The digit of a letter that is no dimension of a tensor.
  void setDigit(char letter, DigitRole role, int64_t size) {
    roles[letter] = role;
    setSize(letter, size);
  }
  /// Starts over with these digits.
  void setDigits(const Letters &letters);
  /// Splits the longest digit of the reduction that has equal parts, or else
  /// the longest one, in parts of one size, which are a digit of the batch. A
  /// reduction over halo tiles is split in shorter parts: along all of its
  /// digits.
  void split(int64_t splits);
  int64_t getSplits() const { return splits; }
  /// Makes columns outermost in the matrices of parts: rows are then neighbours
  /// there, as they are in the result.
  void turnParts() { areTurned = true; }
  int64_t getSplittableSize() const;
  /// Products that are summed up for an element of one part.
  int64_t getReductionSize() const;

  AffineExpr getIndex(char letter) const { return indices.lookup(letter); }
  void setIndex(char letter, AffineExpr index) { indices[letter] = index; }
  /// Operands have only the elements where `index` is from 0 to `limit - 1`.
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
  /// A tensor with the conditions, as matrices of the result's sizes.
  ViewAttr createLhsOfResult(StringRef order) const;
  /// A vector of all channels of the result, as matrices of its sizes.
  ViewAttr createVector(char channel) const;
  /// The tensor of all parts of a split reduction's result, as one batch that
  /// begins with matrix number `first`; and one part of it, as matrices of the
  /// result's sizes.
  ViewAttr createParts(int64_t first) const;
  ViewAttr createPart(int64_t split, int64_t first) const;
  /// How many matrices all parts are, and their rows and columns, the outermost
  /// first.
  SmallVector<int64_t> getPartsShape() const;

  /// The shape of a tensor with this order, as large as the letters' sizes.
  SmallVector<int64_t> getShape(StringRef order) const;

private:
  enum Space { Batch, Rows, Columns, Reduction };
  struct Condition {
    AffineExpr index;
    int64_t limit;
  };

  int64_t getSize(char letter) const { return sizes.lookup(letter); }
  /// Whether positions are rows or what is summed up.
  Space getPositionSpace() const;
  /// The size of a halo tile in a position's dimension, or of a row of
  /// channels; 1 for other letters.
  int64_t getHaloTileSize(char letter) const;
  /// As `getSize`, in halo tiles, or the length of a part of a digit that is
  /// split.
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
  /// Digits of the reduction that can be split; and the one of them that is, if
  /// they do not count halo tiles.
  std::string getSplittableLetters() const;
  char selectSplitLetter(int64_t parts) const;
  /// The number of the group that a digit of merged ones stands for.
  AffineExpr getGroup(char merged) const;
  SmallVector<AffineExpr> getCoordinates(StringRef order,
                                         AffineExpr group) const;
  /// Rows and columns of a matrix of parts, the outermost first.
  std::array<Space, 2> getPartSpaces() const {
    return areTurned ? std::array{Columns, Rows} : std::array{Rows, Columns};
  }
  /// The index of an element among all of a space.
  AffineExpr linearize(Space space) const;
  ViewAttr createView(ArrayRef<AffineExpr> coordinates, StringRef batch,
                      Space rows, Space columns,
                      ArrayRef<Condition> conditions = {},
                      PaddingMode padding = PaddingMode::Zeros) const;
  /// That the two digits of merged groups are the same.
  SmallVector<Condition> getSameGroup() const;

  MLIRContext *context;
  int64_t mergedGroups;
  SmallVector<int64_t> haloTile;
  std::string positions; ///< Letters that are numbered halo tile by halo tile.
  char channel = 0;      ///< The one that is numbered row by row.
  char innermost = 0;    ///< The one whose parts have whole rows of a tile.
  int64_t splits = 1;
  bool areTurned = false; ///< The matrices of parts.
  /// A letter that is split: the digit of the batch for its part, and how many
  /// a part has.
  struct Split {
    char part;
    int64_t length;
  };
  llvm::SmallDenseMap<char, Split> splitLetters;
  bool mergesReduction = false;
  llvm::SmallDenseMap<char, int64_t> sizes;
  llvm::SmallDenseMap<char, DigitRole> roles; ///< Of `setDigit`.
  llvm::SmallDenseMap<char, AffineExpr> indices;
  std::array<std::string, 4> digits;
  SmallVector<Condition> conditions; ///< Of the operands.
  SmallVector<Condition> written;    ///< Of the result.
};

} // namespace mlir::conv

#endif // CONV_LIB_PLAN_INDEXSPACE_H
