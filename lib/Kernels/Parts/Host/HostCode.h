//===- HostCode.h - loops and accesses of host kernels ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host kernel computes one workgroup's tile on one thread: it packs the tiles
// of both operands, in the type that is multiplied, into cache-sized scratch
// buffers, multiplies one register tile at a time, and applies the epilogue to
// the sums.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_HOST_HOSTCODE_H
#define CONV_LIB_KERNELS_PARTS_HOST_HOSTCODE_H

#include "../MatrixAccess.h"
#include "conv/Chip/HostProcessor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::conv {

using ::conv::kHostLanes;

/// The part of the reduction and of the result that is computed at a time.
struct HostBlock {
  Value batch;         ///< The matrix.
  Value k, length;     ///< First reduction index, and number of them.
  Value rows, columns; ///< Size of the tile, clipped to the result.
};

/// Loops and accesses of a host kernel. Buffers are one-dimensional.
class HostCode {
public:
  /// LLVM may unroll the loops of `forEach`, unless `isRolled`: where bodies
  /// are large, that takes longer than everything else, and nothing is faster.
  explicit HostCode(const Kernel &kernel, bool isRolled = false)
      : kernel(kernel), b(kernel.b), math(kernel.math),
        lanes(kernel.chip.processor->vectorLanes), pairs(kernel.atom.k),
        isRolled(isRolled) {}

  Value sub(Value lhs, Value rhs) const;

  /// The type of sums, and the one that operands are multiplied in: the same
  /// one, or pairs.
  Type getSumType() const;
  Type getMultipliedType() const;
  /// Memory of the thread for `elements` of a type: number `index` of
  /// `function`, which all subproblems of the kernel share.
  Value createScratch(gpu::GPUFuncOp function, size_t index, Type type,
                      int64_t elements) const;
  /// Memory of the thread with the type of `buffer`, but for `elements`.
  Value createBuffer(gpu::GPUFuncOp function, Value buffer,
                     int64_t elements) const;
  /// A one-dimensional buffer with the same elements.
  Value flatten(Value buffer) const;
  Value load(Value buffer, Value offset, int64_t elements) const;
  /// A vector in the type that is multiplied.
  Value widen(Value elements) const;
  Value loadWide(Value buffer, Value offset, int64_t elements) const {
    return widen(load(buffer, offset, elements));
  }
  void store(Value elements, Value buffer, Value offset) const;
  /// Stores elements `step` apart.
  void storeEvenly(Value elements, Value buffer, Value offset,
                   int64_t step) const;
  /// The same, for the elements from `first` until `last`; on processors that
  /// have such stores.
  void storeEvenly(Value elements, Value buffer, Value offset, int64_t step,
                   Value first, Value last) const;
  /// The only element of `one`, or one element of a buffer, `elements` times.
  Value repeat(Value one, int64_t elements) const;
  Value loadRepeated(Value buffer, Value offset, int64_t elements) const;
  /// An element of an operand that is multiplied by `elements` others, or, of
  /// pairs, a pair.
  Value loadMultiplied(Value buffer, Value offset, int64_t elements) const;
  /// A vector of pairs as a vector of integers, one for each, and back.
  Value joinPairs(Value vector) const;
  Value splitPairs(Value vector) const;
  /// Elements that are `step` apart, in the type that is multiplied.
  Value loadWideEvenly(Value buffer, Value offset, int64_t step,
                       int64_t elements) const;
  /// Whether a vector is gathered from this buffer by an instruction.
  bool hasGathers(Value buffer) const;
  /// Elements at `distances` of 32 bits from an offset; zeros, or what need not
  /// exist, where the mask is false.
  Value gather(Value buffer, Value offset, Value distances, Value mask) const;
  /// Elements at any offsets.
  Value loadEach(Value buffer, ArrayRef<Value> offsets) const;
  /// One vector of vectors of one element.
  Value join(ArrayRef<Value> elements) const;
  /// Whether a mask may disable elements of a vector in this buffer, which then
  /// need not exist.
  bool hasMaskedLoads(Value buffer) const;
  /// A mask of the elements from `first` until `last`, or of those that have
  /// such `numbers`.
  Value createMask(Value first, Value last, int64_t elements) const;
  Value createMask(Value first, Value last, ArrayRef<int32_t> numbers) const;
  /// Zeros, or elements of `others`, where the mask is false.
  Value loadMasked(Value buffer, Value offset, Value mask,
                   Value others = {}) const;
  /// Like `load`, but returns zeros if `guard` is false.
  Value loadGuarded(Value buffer, Value offset, Value guard,
                    int64_t elements) const;
  void storeZeros(int64_t elements, Value buffer, Value offset) const;
  /// accumulator + lhs * rhs, for widened vectors; of pairs, both products.
  Value multiplyAdd(Value lhs, Value rhs, Value accumulator) const;

  /// A loop from `begin` while the index is below `end`.
  void forEach(Value begin, Value end, int64_t step,
               function_ref<void(Value)> body) const;
  /// The values that a loop over a digit has: multiples of `step` below `end`.
  struct DigitLoop {
    Value end;
    int64_t step = 1;
  };
  /// Loops over digits, outermost first. `body` gets a value of each.
  void forEachDigit(ArrayRef<DigitLoop> loops,
                    function_ref<void(ArrayRef<Value>)> body) const;
  /// A loop over vectors of `kHostLanes` elements, and then a loop over the
  /// remaining elements. The range must not be negative.
  void
  forEachVector(Value begin, Value end,
                function_ref<void(Value first, int64_t elements)> body) const;
  /// A loop over the parts of `length` indices between multiples of `size`.
  /// `body` gets the first index of each part, and its length.
  void forEachRun(Value begin, Value length, int64_t size,
                  function_ref<void(Value first, Value length)> body) const;

  const Kernel &kernel;
  ImplicitLocOpBuilder &b;
  const IndexMath &math;
  int64_t lanes; ///< f32 elements of the processor's vectors.
  int64_t pairs; ///< Neighbours of the reduction that a lane multiplies.
  bool isRolled;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_HOST_HOSTCODE_H
