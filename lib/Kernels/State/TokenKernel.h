//===- TokenKernel.h - dynamic convolutions of any length -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_STATE_TOKENKERNEL_H
#define CONV_LIB_KERNELS_STATE_TOKENKERNEL_H

#include "../Parts/VectorExchange.h"
#include "SequenceSearch.h"
#include "StateAccess.h"

namespace mlir::conv {

/// Builds what a work-item does for a block of neighbouring tokens.
class TokenBuilder {
public:
  TokenBuilder(DynamicOpInterface op, const StateAccess &access,
               ArrayRef<StateTensor> tensors);

  ItemCount countItems() const {
    ItemCount sequences = access.multiply({chunks, {}}, 'B', shape.b);
    return access.multiply(sequences, 'T', shape.t, tokens);
  }
  void create(Value item, Value guard);

private:
  /// Elements of a work-item, by channel, or by group and tap.
  using Elements = SmallVector<Value>;

  void selectChannels();
  const StateTensor &get(Value tensor) const;
  Elements widen(Elements elements) const;
  Value widen(Value element) const {
    return widenElement(b, b.getLoc(), element, accumulator);
  }
  void locate(Value item, Value guard);
  /// Whether token `distance` from the first of the block is in the sequence.
  Value isInside(int64_t distance) const;
  /// The token's offset in a tensor whose first dimensions are B and T.
  Value getRow(const StateTensor &tensor, int64_t distance) const;
  bool isGradientOfInput() const {
    return direction == Direction::BackwardData;
  }
  /// Where the kernel is, from the token, whose tap sees `distance` far.
  int64_t getKernelPlace(int64_t token, int64_t distance) const {
    return isGradientOfInput() ? token + distance : token;
  }
  int64_t getSeenPlace(int64_t token, int64_t distance) const {
    return isGradientOfInput() ? token + distance : token - distance;
  }
  /// Where channels of a [B, T, D] are, and elements of kernels.
  Value getChannelOffset(const StateTensor &tensor, int64_t distance) const;
  Value getKernelOffset(const StateTensor &tensor, int64_t distance) const;
  int64_t getKernelAlignment(const StateTensor &tensor) const;
  SmallVector<int64_t> listChannels(int64_t stride) const;
  SmallVector<int64_t> listKernel(const StateTensor &tensor) const;

  Elements loadChannels(Value tensor, int64_t distance);
  Elements loadKernelElements(Value tensor, int64_t distance);
  /// The states of `sequence` from `row` on, if `isThere`.
  Elements loadState(Value sequence, Value row, Value isThere);
  /// The state that token `distance` of a sequence that is not packed has.
  Elements loadStateBefore(int64_t distance);
  /// What token `token` of packed sequences sees of its state.
  Elements loadPackedState(int64_t token, int64_t distance);
  /// Tokens with what the initial state has before them, widened; each once.
  Elements getTokens(Value tensor, int64_t distance);
  /// Taps by group and tap, normalised; each once.
  Elements getKernel(int64_t distance);
  /// What token `token` sees at a distance: of its sequence, or its state.
  Elements getSeen(Value tensor, int64_t token, int64_t distance);
  Value mask(Value element, int64_t token, int64_t distance) const;
  /// Sums of elements, of which one of each pair is zero.
  Elements add(Elements elements, const Elements &others) const;
  Elements computeChannels(int64_t token);
  Elements computeKernel(int64_t token);
  SmallVector<Elements> computeSums();
  /// Loads what sums of all tokens need.
  void loadAll();
  /// The sums of packed sequences: most blocks are inside of one.
  SmallVector<Elements> computePackedSums();
  /// By operand, what the epilogue reads for a token.
  SmallVector<Elements> loadEpilogueOperands(int64_t token);
  /// Makes results of sums, by token.
  void applyEpilogue(MutableArrayRef<Elements> results);
  void store(ArrayRef<Value> elements, int64_t token) const;
  /// What work-items exchange their results with, if that makes stores of
  /// neighbours follow each other.
  std::optional<VectorExchange> planExchange() const;
  void storeExchanged(ArrayRef<Elements> results, Value item);

  mutable DynamicOpInterface op; ///< Accessors of ops are not const.
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  ArrayRef<StateTensor> tensors;
  DynamicShape shape;
  Direction direction;
  Type accumulator;
  bool tapsLast;
  int64_t groups, perGroup; ///< Of a work-item: its groups, channels of each.
  int64_t channels, tokens, chunks;
  std::optional<VectorExchange> exchange;

  // State of the item that is being built.
  Value guard, batch, chunk, first;
  Neighbours neighbours; ///< Empty if all of the block are in one sequence.
  mutable DenseMap<int64_t, Value> inside;
  DenseMap<std::pair<Value, int64_t>, Elements> loaded;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_TOKENKERNEL_H
