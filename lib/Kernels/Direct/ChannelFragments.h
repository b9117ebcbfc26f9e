//===- ChannelFragments.h - fragments of vectors of channels ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In shared memory, the vector of channels at one position is a row of a block
// of 8 rows; one load brings a block to a subgroup's registers. The lanes
// choose where the rows are, so positions and windows are arbitrary.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H
#define CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H

#include "SharedBox.h"

#include <array>

namespace mlir::conv {

/// A lane's words of two blocks: of each, a pair of elements in 32 bits.
using BlockWords = std::array<Value, 2>;

/// The pair that a lane gets from a block: neighbouring channels of one
/// position, or neighbouring positions of one channel.
enum class PairOf { Channels, Positions };

/// Loads as many blocks as there are words: 2 or 4. Lane `i` gives the place in
/// the box of vector `i % 8` of block `i / 8`, modulo the number of blocks.
void loadBlocks(const Kernel &kernel, const SharedBox &box, Value place,
                PairOf pair, MutableArrayRef<Value> words);
/// Loads two blocks.
BlockWords loadBlocks(const Kernel &kernel, const SharedBox &box, Value place,
                      PairOf pair);

/// The fragment of an atom that consists of these words of 16-bit elements.
Value createFragment(ImplicitLocOpBuilder &b, ArrayRef<Value> words,
                     Type element);

/// Lanes of the subgroup wait for each other, and see each other's writes.
void synchronizeSubgroup(const Kernel &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H
