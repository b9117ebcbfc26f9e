//===- TensorBox.h - boxes of digits and of coordinates ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a direct convolution is a box of digits of its product, and every
// coordinate of a view is linear in digits: so what a tile reads of an operand
// lies in a box of coordinates, and stays linear in digits when that box is
// moved to shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DIRECT_TENSORBOX_H
#define CONV_KERNELS_DIRECT_TENSORBOX_H

#include "conv/Dialect/Conv/IR/ViewedTensor.h"

namespace mlir::conv {

/// Tiles of an index space that are boxes of its digits.
struct DigitBox {
  SmallVector<int64_t> digits; ///< Sizes of the whole space, outermost first.
  SmallVector<int64_t> sizes;  ///< Of one box.
  /// The last digit that has more than one value, or else the last one.
  size_t innermost = 0;
  /// Values of the innermost digit that are computed at a time. What a box
  /// reads includes those that the last run has beyond the box.
  int64_t run = 1;

  /// The box of `tile` consecutive indices, or none if D1 does not hold.
  static std::optional<DigitBox> compute(ArrayRef<int64_t> digits, int64_t tile,
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
  /// Whether some tile reads and computes more values than the digit has.
  bool mayExceed(size_t digit) const;
};

/// How many 16-byte vectors a place of a box has in shared memory: those of the
/// box, or one more, unused, if they are an even number. Lanes that read
/// neighbours read all banks: vectors of a place in the first order, the same
/// ones of eight places in the other. Either way, vectors of a place are side
/// by side: where they are not, copies that take no registers reach half the
/// speed.
enum class VectorOrder { Together, Odd };

/// How the dimension next to the vectors of a place is cut in blocks. Without
/// them, `size` is 0.
///
/// Blocks are whole lines of 128 bytes, of 8 vectors each, in which a vector
/// has another place, by exclusive or with the number of its line: so the same
/// vector of 8 neighbours lies in different banks. With unused vectors in
/// between, as `VectorOrder::Odd` has them, copies were seen to take twice as
/// long, since a sector of 32 bytes is then parts of two.
struct BoxBlocks {
  int64_t dimension = 0;
  int64_t size = 0;     ///< Coordinates of one, a multiple of 8.
  int64_t vectors = 0;  ///< Of a place: 1, 2, 4 or 8.
  int64_t distance = 0; ///< From one to the next, in shared memory.
  int64_t count = 0;    ///< In all of the box, and unused ones after it.

  static constexpr int64_t kLine = 8; ///< Vectors of 128 bytes.
  /// Blocks whose same positions are as many vectors as four, at least: they
  /// are transposed together.
  int64_t countTogether() const { return std::max<int64_t>(1, 4 / vectors); }
};

/// The box of a tensor that a tile reads, in shared memory. The lists about
/// coordinates are in the order of the tensor's dimensions.
struct TensorBox {
  /// Pieces of it that a work-item locates together; without copies that take
  /// no registers, as many are on their way at a time.
  static constexpr int64_t kLoadsInFlight = 8;

  SmallVector<int64_t> sizes;   ///< Of coordinates.
  SmallVector<int64_t> corner;  ///< First coordinate, less that of the digits
                                ///< that the tile starts with.
  SmallVector<int64_t> strides; ///< In shared memory.
  int64_t innermost;            ///< The dimension with neighbours side by side.
  int64_t numElements;          ///< There.
  SmallVector<bool> isGuarded;  ///< Some tile leaves the tensor.
  /// What is there: padding where the view leaves the tensor; nothing, as
  /// zeros, where only tiles do.
  SmallVector<PaddingMode> padding;
  int64_t copyDimension; ///< Along which elements are copied together.
  int64_t copyWidth;     ///< How many, at multiples of it.
  int64_t run; ///< Elements of the box that follow each other in memory.
  /// In shared memory: where the element of the first digits is, and the
  /// distance of neighbours along each digit of the view. With blocks, those
  /// of the digits inside of blocks and of vectors make no sense.
  int64_t first;
  SmallVector<int64_t> distances;
  BoxBlocks blocks;
  /// Elements of the tensor that one tile after the other copies.
  double copied;

  /// The box of what a tile reads that is `spaces`, in the order of the view's
  /// digits, with neighbours of the batch side by side or those in memory; in
  /// blocks of so many coordinates, unless that is 0.
  static TensorBox compute(const ViewedTensor &operand,
                           ArrayRef<DigitBox> spaces, bool isAlongBatch,
                           VectorOrder order, int64_t block = 0);
  /// Elements of 16 bytes.
  static int64_t getVectorElements(Type element);
};

} // namespace mlir::conv

#endif // CONV_KERNELS_DIRECT_TENSORBOX_H
