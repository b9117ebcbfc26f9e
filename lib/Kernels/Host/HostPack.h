//===- HostPack.h - operands of a host tile ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of both operands of a matrix product, widened, in scratch buffers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTPACK_H
#define CONV_LIB_KERNELS_HOST_HOSTPACK_H

#include "../Parts/Host/HostCode.h"

namespace mlir::conv {

/// One operand's part of a block, and the scratch buffer for its f32 copy.
class HostPack {
protected:
  HostPack(const Kernel &kernel, const HostBlock &block,
           const MatrixOperand &operand, Value argument, Value scratch);

  /// The contribution of a row to the position of its elements.
  MatrixAccess::Position startOf(Value row) const {
    return access.add(access.createPosition(MatrixIndex::Batch, block.batch),
                      access.createPosition(MatrixIndex::Row, row));
  }
  /// Packs `kHostLanes` rows as vectors: at `first` of the scratch buffer for
  /// the first index of the block's reduction, and `distance` elements further
  /// for each next one. The last rows may repeat one.
  void packVectors(ArrayRef<Value> rows, Value first, int64_t distance) const;

  const Kernel &kernel;
  const IndexMath &math;
  const HostBlock &block;
  HostCode code;
  MatrixAccess access;
  Value source, scratch;

private:
  Value createIsEven(ArrayRef<Value> rows,
                     ArrayRef<MatrixAccess::Position> starts) const;
};

/// Where scratch has the elements of the left operand's tile. The reduction is
/// innermost, so that runs are copied, or outermost if rows are neighbours in
/// memory and elements of the reduction are not.
struct HostRowLayout {
  int64_t rowDistance, reductionDistance, elements;

  bool isReductionOutermost() const { return reductionDistance != 1; }
  static HostRowLayout get(const Kernel &kernel);
};

/// Packs the left operand's rows from `origin`, widened, in the layout
/// `HostRowLayout`. Rows after the block's last one, up to a whole register
/// tile, repeat that row.
void packHostRows(const Kernel &kernel, const HostBlock &block, Value origin,
                  Value scratch);

/// Packs the right operand's rows from `origin`, widened, into panels of as
/// many rows as a register tile has columns, with the reduction outermost. Rows
/// after the block's last column, up to a whole panel, repeat that row.
void packHostPanels(const Kernel &kernel, const HostBlock &block, Value origin,
                    Value scratch);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_HOST_HOSTPACK_H
