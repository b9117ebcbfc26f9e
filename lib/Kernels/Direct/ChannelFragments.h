//===- ChannelFragments.h - fragments of vectors of channels ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In shared memory, the vector of channels at one position is a row of a block
// of 8 rows, as one load brings it to a subgroup's registers. Where the rows
// are is up to the lanes, so that positions and windows may be any.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H
#define CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H

#include "SharedBox.h"

#include <array>

namespace mlir::conv {

/// What a lane holds of two blocks: a pair of elements of each, in 32 bits.
using BlockWords = std::array<Value, 2>;

/// What of a block a lane gets: neighbouring channels of a position, or
/// neighbouring positions of a channel.
enum class PairOf { Channels, Positions };

/// Loads as many blocks as there are words, 2 or 4. Lane `i` gives the place in
/// the box of vector `i % 8` of block `i / 8`, modulo their number.
void loadBlocks(const Kernel &kernel, const SharedBox &box, Value place,
                PairOf pair, MutableArrayRef<Value> words);
/// Loads two of them.
BlockWords loadBlocks(const Kernel &kernel, const SharedBox &box, Value place,
                      PairOf pair);

/// The fragment of an atom that has these words of elements of 16 bits.
Value createFragment(ImplicitLocOpBuilder &b, ArrayRef<Value> words,
                     Type element);

/// Makes lanes of a subgroup wait for each other, and see what they did.
void synchronizeSubgroup(const Kernel &kernel);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_CHANNELFRAGMENTS_H
