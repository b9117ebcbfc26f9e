//===- SequenceSearch.h - which packed sequence a token is in ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H
#define CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H

#include "StateAccess.h"

namespace mlir::conv {

/// Neighbouring tokens, of which packed sequences are searched.
struct TokenBlock {
  Value first;
  int64_t count;
  Value length; ///< Tokens in all.
};

/// By token of a block.
struct Neighbours {
  /// How many it has on one side in its sequence, as `conv.count_neighbours`
  /// says without a limit.
  SmallVector<Value> counts;
  /// The number of its sequence, -1 before the first start.
  SmallVector<Value> sequences;
};

Neighbours findNeighbours(const StateAccess &access, const StateTensor &starts,
                          Side side, const TokenBlock &block);

/// Whether each token of the block has at least `limit` neighbours on that
/// side, by the search of one token; false may be too careful.
Value isInsideSequence(const StateAccess &access, const StateTensor &starts,
                       Side side, const TokenBlock &block, int64_t limit);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H
