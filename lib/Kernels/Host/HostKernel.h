//===- HostKernel.h - what the parts of a host kernel share -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host kernel computes one workgroup's tile on one thread: both operands'
// tiles are packed as f32 into a cache-sized scratch, a register tile at a time
// is multiplied, and the epilogue is applied to the sums.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTKERNEL_H
#define CONV_LIB_KERNELS_HOST_HOSTKERNEL_H

#include "../Parts/MatrixAccess.h"

namespace mlir::conv {

/// f32 elements of a vector register of x86-64-v3.
inline constexpr int64_t kHostLanes = 8;

/// The part of the reduction, and of the result, that is computed at a time.
struct HostBlock {
  Value batch;         ///< The matrix.
  Value k, length;     ///< First reduction index, and how many.
  Value rows, columns; ///< Those of the tile that the result has.
};

/// Loops and accesses of a host kernel. Buffers are one-dimensional.
class HostCode {
public:
  explicit HostCode(const Kernel &kernel) : b(kernel.b), math(kernel.math) {}

  Value sub(Value lhs, Value rhs) const;

  /// A buffer with the same elements in one dimension.
  Value flatten(Value buffer) const;
  Value load(Value buffer, Value offset, int64_t elements) const;
  /// A vector with elements as they are multiplied and summed up.
  Value widen(Value elements) const;
  Value loadWide(Value buffer, Value offset, int64_t elements) const {
    return widen(load(buffer, offset, elements));
  }
  void store(Value elements, Value buffer, Value offset) const;
  /// As `load`, or zeros where `guard` is false.
  Value loadGuarded(Value buffer, Value offset, Value guard,
                    int64_t elements) const;
  void storeZeros(int64_t elements, Value buffer, Value offset) const;
  /// accumulator + lhs * rhs, of wide vectors.
  Value multiplyAdd(Value lhs, Value rhs, Value accumulator) const;

  /// A loop from `begin` while below `end`.
  void forEach(Value begin, Value end, int64_t step,
               function_ref<void(Value)> body) const;
  /// A loop over vectors of `kHostLanes` elements, and one over the elements
  /// that remain. The range must not be negative.
  void
  forEachVector(Value begin, Value end,
                function_ref<void(Value first, int64_t elements)> body) const;
  /// A loop over the parts of a block's reduction between multiples of `size`:
  /// the first index of each, and its length.
  void forEachRun(const HostBlock &block, int64_t size,
                  function_ref<void(Value first, Value length)> body) const;

  ImplicitLocOpBuilder &b;
  const IndexMath &math;
};

/// One operand's part of a block, and the scratch that takes it, widened.
class HostPack {
protected:
  HostPack(const Kernel &kernel, const HostBlock &block,
           const MatrixOperand &operand, Value argument, Value scratch)
      : kernel(kernel), math(kernel.math), block(block), code(kernel),
        access(kernel.math, operand), source(code.flatten(argument)),
        scratch(scratch) {}

  /// The part of the place of a row's elements that no column changes.
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

/// Packs the left operand's rows from `origin`, widened, to rows of `gemmK`
/// elements. Rows beyond the block's, up to a whole register tile,
/// repeat the last one.
void packHostRows(const Kernel &kernel, const HostBlock &block, Value origin,
                  Value scratch);

/// Packs the right operand's rows from `origin`, widened, to panels of as many
/// rows as a register tile has columns, each with the reduction outermost.
/// Rows beyond the block's columns, up to a whole panel, repeat the last one.
void packHostPanels(const Kernel &kernel, const HostBlock &block, Value origin,
                    Value scratch);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTKERNEL_H
