//===- TensorBox.h - boxes of digits and of coordinates ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a direct convolution is a box of digits of its product, and every
// coordinate of a view is linear in digits. So a tile reads a box of
// coordinates of an operand, and the coordinates stay linear in digits when
// that box moves to shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_TENSORBOX_H
#define CONV_KERNELS_DIRECT_TENSORBOX_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// The coordinates of a view's tensor, without those of conditions. Direct
/// kernels evaluate no conditions of operands (D4).
SmallVector<ViewAttr::Coordinate> getTensorCoordinates(ViewAttr view);

/// Whether all values of a digit after its last one are outside the tensor, so
/// that products with what is read there add nothing.
bool isZeroBeyond(const ViewedTensor &tensor, DigitRole role);

/// Tiles of an index space that are boxes of its digits.
struct DigitBox {
  SmallVector<int64_t> digits; ///< Sizes of the whole space, outermost first.
  SmallVector<int64_t> sizes;  ///< Sizes of one box.
  /// The last digit that has more than one value, or else the last one.
  size_t innermost = 0;
  /// Values of the innermost digit that are computed at a time. The box that is
  /// read includes values of the last run beyond the box.
  int64_t run = 1;

  /// The box of `tile` consecutive indices, or none if D1 does not hold.
  static std::optional<DigitBox> compute(ArrayRef<int64_t> digits, int64_t tile,
                                         int64_t run = 1);
  /// Tile sizes that may be boxes of these digits, with whole runs of the
  /// innermost digit. Each large one exceeds the one before by at least a 32nd.
  static SmallVector<int64_t> enumerateTiles(ArrayRef<int64_t> digits,
                                             int64_t run = 1);

  size_t getRank() const { return digits.size(); }
  int64_t getInnermostSize() const {
    return digits.empty() ? 1 : digits[innermost];
  }
  int64_t getTiles(size_t digit) const {
    return llvm::divideCeil(digits[digit], sizes[digit]);
  }
  int64_t getNumTiles() const;
  /// Values of a digit that are computed at a time.
  int64_t getRun(size_t digit) const { return digit == innermost ? run : 1; }
  /// Values of a digit that are read and computed, whole runs; and these.
  int64_t getPadded(size_t digit) const;
  int64_t countRuns(size_t digit) const {
    return getPadded(digit) / getRun(digit);
  }
  /// Whether some tile reads and computes values beyond the digit.
  bool mayExceed(size_t digit) const;
};

/// The number of 16-byte vectors of a position of a box in shared memory: the
/// box's own, or one more, unused, if their number is even. Lanes that read
/// neighbours then read all banks: the vectors of a position with `Together`,
/// the same vector of eight positions with `Odd`. The vectors of a position are
/// contiguous in both: otherwise copies that bypass registers reach half the
/// speed.
enum class VectorOrder { Together, Odd };

/// How the dimension next to the vectors of a position is split in blocks.
/// Without blocks, `size` is 0.
///
/// Blocks are whole lines of 128 bytes, of 8 vectors each. A line's vectors are
/// swizzled by exclusive or with the line's number, so that the same vector of
/// 8 neighbours lies in different banks. With unused vectors in between, as in
/// `VectorOrder::Odd`, copies were seen to take twice as long, since a sector
/// of 32 bytes then has parts of two positions.
struct BoxBlocks {
  int64_t dimension = 0;
  int64_t size = 0;     ///< Coordinates of a block, 8 times n.
  int64_t vectors = 0;  ///< Vectors of a position: 1, 2, 4 or 8.
  int64_t distance = 0; ///< From block to block, in shared memory.
  int64_t count = 0;    ///< Including unused ones after the box.

  static constexpr int64_t kLine = 8; ///< Vectors in 128 bytes.
  /// Blocks whose equal positions have at least four vectors together: they are
  /// transposed together.
  int64_t countTogether() const { return std::max<int64_t>(1, 4 / vectors); }
};

/// The box of a tensor that a tile reads, in shared memory. Lists of
/// coordinates are in the order of the tensor's dimensions.
struct TensorBox {
  /// 16-byte accesses that a work-item locates together; unless copies bypass
  /// registers, this many are in flight at a time.
  static constexpr int64_t kLoadsInFlight = 8;

  SmallVector<int64_t> sizes;   ///< The size of each coordinate.
  SmallVector<int64_t> corner;  ///< First coordinate relative to the first
                                ///< digits of the tile.
  SmallVector<int64_t> strides; ///< In shared memory.
  int64_t innermost;            ///< The dimension that is contiguous there.
  int64_t numElements;          ///< Elements in shared memory.
  SmallVector<bool> isGuarded;  ///< Whether some tile leaves the tensor.
  /// What a tile reads there: padding where the view leaves the tensor; zeros
  /// where only tiles do.
  SmallVector<PaddingMode> padding;
  int64_t copyDimension; ///< The dimension along which copies are vectors.
  int64_t copyWidth;     ///< Elements of a vector; copies align to it.
  int64_t run;           ///< Contiguous elements of the box in memory.
  /// In shared memory: the element of the first digits, and the distance
  /// between neighbours along each digit of the view. With blocks, the
  /// distances along digits inside of blocks and of vectors are meaningless.
  int64_t first;
  SmallVector<int64_t> distances;
  BoxBlocks blocks;
  /// Elements of the tensor that one tile after the other copies.
  double copied;

  /// The box that a tile with these `spaces` reads, in the order of the view's
  /// digits, with neighbours of the batch or neighbours in memory contiguous;
  /// in blocks of `block` coordinates, unless that is 0.
  static TensorBox compute(const ViewedTensor &operand,
                           ArrayRef<DigitBox> spaces, bool isAlongBatch,
                           VectorOrder order, int64_t block = 0);
  /// Elements in 16 bytes.
  static int64_t getVectorElements(Type element);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_TENSORBOX_H
