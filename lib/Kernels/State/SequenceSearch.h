//===- SequenceSearch.h - the packed sequence of a token --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H
#define CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H

#include "StateAccess.h"

namespace mlir::conv {

/// Adjacent tokens for which packed sequences are searched.
struct TokenBlock {
  Value first;
  int64_t count;
  Value length; ///< Number of all tokens.
};

/// What the search finds for each token of a block.
struct Neighbours {
  /// The number of its neighbours on one side in its sequence, as
  /// `conv.count_neighbours` defines it without a limit.
  SmallVector<Value> counts;
  /// The number of its sequence, -1 before the first start.
  SmallVector<Value> sequences;
};

Neighbours findNeighbours(const StateAccess &access, const StateTensor &starts,
                          Side side, const TokenBlock &block);

/// Whether each token of the block has at least `limit` neighbours on that
/// side. It searches for one token only, so false may be too careful.
Value isInsideSequence(const StateAccess &access, const StateTensor &starts,
                       Side side, const TokenBlock &block, int64_t limit);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H
