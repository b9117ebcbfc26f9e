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

/// Builds the code of a work-item for a block of adjacent tokens.
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
  /// Elements of a work-item: one per channel, or one per group and tap.
  using Elements = SmallVector<Value>;

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
  /// Place of the kernel, relative to the block, for a tap `distance` away.
  int64_t getKernelPlace(int64_t token, int64_t distance) const {
    return isGradientOfInput() ? token + distance : token;
  }
  int64_t getSeenPlace(int64_t token, int64_t distance) const {
    return isGradientOfInput() ? token + distance : token - distance;
  }
  /// Offsets of channels in a [B, T, D] tensor, and of kernel elements.
  Value getChannelOffset(const StateTensor &tensor, int64_t distance) const;
  Value getKernelOffset(const StateTensor &tensor, int64_t distance) const;
  int64_t getKernelAlignment(const StateTensor &tensor) const;
  SmallVector<int64_t> listChannels(int64_t stride) const;
  SmallVector<int64_t> listKernel(const StateTensor &tensor) const;

  Elements loadChannels(Value tensor, int64_t distance);
  Elements loadKernelElements(Value tensor, int64_t distance);
  /// Row `row` of the state of `sequence`, if `isThere`.
  Elements loadState(Value sequence, Value row, Value isThere);
  /// The initial state at token `distance`, if sequences are not packed.
  Elements loadStateBefore(int64_t distance);
  /// What token `token` of packed sequences sees of its initial state.
  Elements loadPackedState(int64_t token, int64_t distance);
  /// Widened tokens, preceded by the initial state. Each is loaded once.
  Elements getTokens(Value tensor, int64_t distance);
  /// Normalised taps, by group and tap. Each kernel is loaded once.
  Elements getKernel(int64_t distance);
  /// What token `token` sees at a distance in its sequence or its state.
  Elements getSeen(Value tensor, int64_t token, int64_t distance);
  Value mask(Value element, int64_t token, int64_t distance) const;
  Value mask(Value element, int64_t token, Value distance) const;
  /// Adds elements pairwise. At least one of each pair is zero.
  Elements add(Elements elements, const Elements &others) const;
  Elements computeChannels(int64_t token);
  /// The gradient of the input as a loop over the kernels.
  Elements computeChannelsByKernel(int64_t token);
  /// Adds the products with the kernel `distance` after the token's own.
  void addKernel(int64_t token, Value distance, Elements &sums);
  Elements computeKernel(int64_t token);
  SmallVector<Elements> computeSums();
  /// Loads everything that the sums of all tokens need.
  void loadAll();
  /// The sums for packed sequences. Most blocks are inside one sequence.
  SmallVector<Elements> computePackedSums();
  /// For each operand, what the epilogue reads for a token.
  SmallVector<Elements> loadEpilogueOperands(int64_t token);
  /// Replaces the sums of each token by results.
  void applyEpilogue(MutableArrayRef<Elements> results);
  void store(ArrayRef<Value> elements, int64_t token) const;
  /// The exchange of results between work-items, if it makes the stores of
  /// neighbouring work-items adjacent.
  std::optional<VectorExchange> planExchange() const;
  void storeExchanged(ArrayRef<Elements> results, Value item);

  mutable DynamicOpInterface op; ///< Its accessors are not const.
  const StateAccess &access;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  ArrayRef<StateTensor> tensors;
  DynamicShape shape;
  Direction direction;
  Type accumulator;
  bool tapsLast;
  int64_t groups, perGroup; ///< Groups of a work-item; channels of a group.
  int64_t channels, tokens, chunks;
  std::optional<VectorExchange> exchange;

  // State of the item that is being built.
  Value guard, batch, chunk, first;
  Neighbours neighbours; ///< Empty if the block is in one sequence.
  mutable DenseMap<int64_t, Value> inside;
  DenseMap<std::pair<Value, int64_t>, Elements> loaded;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_TOKENKERNEL_H
