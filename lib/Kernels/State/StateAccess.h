//===- StateAccess.h - accesses of work-items to states ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work-item has one sequence and a few adjacent channels. The elements that
// it reads of them are at known distances, called places, from an offset that
// may depend on numbers in device memory. Places become as few accesses as
// their alignment allows.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_STATE_STATEACCESS_H
#define CONV_LIB_KERNELS_STATE_STATEACCESS_H

#include "../Parts/Kernel.h"
#include "../Parts/MultiplyAdd.h"

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Kernels/State/StateKernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::conv {

/// The number of items: a constant times run-time sizes.
struct ItemCount {
  int64_t constant = 1;
  SmallVector<SizeFactor> factors;
};

/// The code of work-items for their items, which are numbered from 0.
struct StateBody {
  ItemCount items;
  /// Builds an item; `guard` is false if the item does not exist.
  std::function<void(Value item, Value guard)> create;
};

/// A tensor in memory. `strides` count elements. A stride that depends on
/// run-time sizes is multiplied by its entry of `scales`, otherwise null.
struct StateTensor {
  Value buffer;
  SmallVector<int64_t> shape, strides;
  Type element;
  SmallVector<Value> scales;
};

/// What the loads of a kernel have to do with its neighbours on the stream.
enum class LoadTiming {
  /// They wait for the previous kernel; the next one may start at any time.
  Usual,
  /// They only prefetch to the cache that all kernels share, and return zeros:
  /// allowed before the previous kernel has ended.
  Prefetch,
  /// The next kernel may start only after an item has started all its loads.
  BeforeNext,
};

/// The number of adjacent channels of a work-item: a power of two that divides
/// `channels`, at most `most`, and at most 16 bytes; fewer if all work-items
/// have so few `elements` that the GPU would be idle.
int64_t countChannels(const ::conv::ChipInfo &chip, int64_t channels,
                      int64_t elements, Type element, int64_t most);

/// Accesses of elements at fixed distances from an offset.
class StateAccess {
public:
  /// `numbers` has the run-time sizes `sizes` in the width of `math`.
  StateAccess(ImplicitLocOpBuilder &builder, const IndexMath &math,
              const ::conv::ChipInfo &chip, gpu::GPUFuncOp function,
              const RunTimeSizes &sizes, ArrayRef<Value> numbers,
              int64_t workItems);

  /// Accesses of the same elements with another timing.
  StateAccess with(LoadTiming other) const {
    StateAccess copy = *this;
    copy.timing = other;
    return copy;
  }
  bool isPrefetching() const { return timing == LoadTiming::Prefetch; }
  /// Called by an item after its loads.
  void finishLoads() const;

  /// The size of dimensions with this letter, as a number in `width`: `known`
  /// if it is static, else the size that callers chose.
  Value getSize(char letter, int64_t known, const IndexMath &width) const;
  Value getSize(char letter, int64_t known) const {
    return getSize(letter, known, math);
  }
  /// `count` times the size of such a dimension in units of `per`, rounded up.
  ItemCount multiply(ItemCount count, char letter, int64_t known,
                     int64_t per = 1) const;
  Value getCount(const ItemCount &count) const;
  /// `index` times the stride of a dimension, times `factor`.
  Value scale(const StateTensor &tensor, unsigned dimension, Value index,
              int64_t factor = 1) const;

  int64_t countChannels(int64_t channels, int64_t elements, Type element,
                        int64_t most) const {
    return conv::countChannels(chip, channels, elements, element, most);
  }

  /// Loads the elements at `offset` plus each of `places`, in that order, or
  /// zeros if `guard` is false. `offset` is a multiple of `alignment`.
  SmallVector<Value> load(const StateTensor &tensor, Value offset,
                          int64_t alignment, ArrayRef<int64_t> places,
                          Value guard) const;
  /// The store that corresponds to `load`. All places must differ.
  void store(ArrayRef<Value> elements, const StateTensor &tensor, Value offset,
             int64_t alignment, ArrayRef<int64_t> places, Value guard) const;
  /// An element of a vector of i32 or i64, as an i64.
  Value loadNumber(const StateTensor &vector, Value index, Value guard) const;

  /// On the host, a workgroup is one work-item, which does all its items.
  bool isOnHost() const { return branched; }

  ImplicitLocOpBuilder &b;
  const IndexMath &math;
  const ::conv::ChipInfo &chip;
  gpu::GPUFuncOp function; ///< The kernel being built.
  /// Work-items of a GPU's workgroup, or items of a workgroup on the host.
  const int64_t workItems;

private:
  const RunTimeSizes &sizes;
  SmallVector<Value> numbers;
  bool branched; ///< The host has no guarded stores.
  LoadTiming timing = LoadTiming::Usual;
  /// Fetches the cache lines that start in what a load would load.
  void prefetch(const StateTensor &tensor, Value offset,
                ArrayRef<int64_t> places, Value guard) const;
  void storeRuns(ArrayRef<Value> elements, const StateTensor &tensor,
                 Value offset, int64_t alignment, ArrayRef<int64_t> places,
                 Value guard) const;
  /// Adjacent elements accessed together, by their numbers in `places`.
  struct Run {
    int64_t first;
    SmallVector<size_t> numbers;
  };
  static SmallVector<Run> split(const StateTensor &tensor, int64_t alignment,
                                ArrayRef<int64_t> places);
};

/// Counterparts of `IndexMath` for two values: a product, and an unsigned
/// comparison.
Value createProduct(ImplicitLocOpBuilder &b, Value lhs, Value rhs);
Value isBelow(ImplicitLocOpBuilder &b, Value lhs, Value rhs);

/// The number of sequences for which a schedule is chosen: the known number or,
/// if it is a run-time size, a usual one.
inline int64_t assumeSequences(int64_t known) {
  constexpr int64_t kUsual = 64;
  return ShapedType::isDynamic(known) ? kUsual : known;
}

/// The digits of an item: a row, a token of a state, and a channel chunk.
std::array<Value, 3> splitItem(const IndexMath &math, Value item,
                               int64_t tokens, int64_t chunks);
/// Places of adjacent channels.
SmallVector<int64_t> listChannels(int64_t channels, int64_t stride);

/// The work-items of a decoding step, and the bytes of tokens, states, taps and
/// other operands that one of them holds at once. A number of sequences that
/// callers choose counts as a usual one.
struct UpdateItems {
  int64_t count, readBytes;
};
UpdateItems countUpdateItems(CausalUpdateOp op, const ::conv::ChipInfo &chip);

/// The bodies of the kernels of these ops. `tensors` describes operands and
/// results; like `access`, it outlives the body.
StateBody createCausalUpdate(CausalUpdateOp op, const StateAccess &access,
                             ArrayRef<StateTensor> tensors);
StateBody createFinalState(FinalStateOp op, const StateAccess &access,
                           ArrayRef<StateTensor> tensors);
StateBody createBackwardState(DynamicBackwardStateOp op,
                              const StateAccess &access,
                              ArrayRef<StateTensor> tensors);

StateBody createTokens(DynamicOpInterface op, const StateAccess &access,
                       ArrayRef<StateTensor> tensors);

/// The largest power of two that divides all of `strides`.
int64_t getCommonAlignment(ArrayRef<int64_t> strides);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_STATE_STATEACCESS_H
