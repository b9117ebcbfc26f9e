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

/// How many neighbours each of `count` tokens from `first` on has on that side
/// in its sequence, as `conv.count_neighbours` says without a limit. There are
/// `length` tokens in all.
SmallVector<Value> countNeighbours(const StateAccess &access,
                                   const StateTensor &starts, Side side,
                                   Value first, int64_t count, Value length);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_SEQUENCESEARCH_H
