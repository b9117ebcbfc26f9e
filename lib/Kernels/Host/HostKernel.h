//===- HostKernel.h - what the parts of a host kernel share -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host kernel computes one workgroup's tile on one thread: it packs the tiles
// of both operands as f32 into a cache-sized scratch buffer, multiplies one
// register tile at a time, and applies the epilogue to the sums.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTKERNEL_H
#define CONV_LIB_KERNELS_HOST_HOSTKERNEL_H

#include "../Parts/MatrixAccess.h"

namespace mlir::conv {

/// f32 elements of a vector register of x86-64-v3.
inline constexpr int64_t kHostLanes = 8;

/// The part of the reduction and of the result that is computed at a time.
struct HostBlock {
  Value batch;         ///< The matrix.
  Value k, length;     ///< First reduction index, and number of them.
  Value rows, columns; ///< Size of the tile, clipped to the result.
};

/// Loops and accesses of a host kernel. Buffers are one-dimensional.
class HostCode {
public:
  explicit HostCode(const Kernel &kernel) : b(kernel.b), math(kernel.math) {}

  Value sub(Value lhs, Value rhs) const;

  /// A one-dimensional buffer with the same elements.
  Value flatten(Value buffer) const;
  Value load(Value buffer, Value offset, int64_t elements) const;
  /// A vector in the type of the accumulators.
  Value widen(Value elements) const;
  Value loadWide(Value buffer, Value offset, int64_t elements) const {
    return widen(load(buffer, offset, elements));
  }
  void store(Value elements, Value buffer, Value offset) const;
  /// Like `load`, but returns zeros if `guard` is false.
  Value loadGuarded(Value buffer, Value offset, Value guard,
                    int64_t elements) const;
  void storeZeros(int64_t elements, Value buffer, Value offset) const;
  /// accumulator + lhs * rhs, for widened vectors.
  Value multiplyAdd(Value lhs, Value rhs, Value accumulator) const;

  /// A loop from `begin` while the index is below `end`.
  void forEach(Value begin, Value end, int64_t step,
               function_ref<void(Value)> body) const;
  /// A loop over vectors of `kHostLanes` elements, and then a loop over the
  /// remaining elements. The range must not be negative.
  void
  forEachVector(Value begin, Value end,
                function_ref<void(Value first, int64_t elements)> body) const;
  /// A loop over the parts of a block's reduction between multiples of `size`.
  /// `body` gets the first index of each part, and its length.
  void forEachRun(const HostBlock &block, int64_t size,
                  function_ref<void(Value first, Value length)> body) const;

  ImplicitLocOpBuilder &b;
  const IndexMath &math;
};

/// One operand's part of a block, and the scratch buffer for its f32 copy.
class HostPack {
protected:
  HostPack(const Kernel &kernel, const HostBlock &block,
           const MatrixOperand &operand, Value argument, Value scratch)
      : kernel(kernel), math(kernel.math), block(block), code(kernel),
        access(kernel.math, operand), source(code.flatten(argument)),
        scratch(scratch) {}

  /// The contribution of a row to the position of its elements.
  MatrixAccess::Position startOf(Value row) const {
    return access.add(access.createPosition(MatrixIndex::Batch, block.batch),
                      access.createPosition(MatrixIndex::Row, row));
  }

  const Kernel &kernel;
  const IndexMath &math;
  const HostBlock &block;
  HostCode code;
  MatrixAccess access;
  Value source, scratch;
};

/// Packs the left operand's rows from `origin`, widened, into rows of `gemmK`
/// elements. Rows after the block's last one, up to a whole register tile,
/// repeat that row.
void packHostRows(const Kernel &kernel, const HostBlock &block, Value origin,
                  Value scratch);

/// Packs the right operand's rows from `origin`, widened, into panels of as
/// many rows as a register tile has columns, with the reduction outermost. Rows
/// after the block's last column, up to a whole panel, repeat that row.
void packHostPanels(const Kernel &kernel, const HostBlock &block, Value origin,
                    Value scratch);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTKERNEL_H
