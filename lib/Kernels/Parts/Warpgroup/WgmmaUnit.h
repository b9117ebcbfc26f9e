//===- WgmmaUnit.h - matrix instructions of a warpgroup ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAUNIT_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAUNIT_H

#include "WgmmaSums.h"

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

/// Computes the tile of one consumer: atoms of 64 rows and all columns, one
/// below the other. Operands are tiles in shared memory whose rows are 128
/// swizzled bytes: of the reduction, or, for a transposed operand, of its own
/// rows, 64 lines of the first ones, then 64 of the next. Halo tiles have those
/// lines for several taps, some elements further on for each.
class WgmmaUnit : public WgmmaSums {
public:
  /// Where both operands are.
  struct Operands {
    Value left, right;
  };
  /// `memory` has the addresses of the first tiles of each; `consumer` is the
  /// warpgroup among those that compute.
  WgmmaUnit(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
            const TmaGeometry &geometry, Type operandType,
            const Operands &memory, Value consumer);

  /// Starts adding the product of two tiles, which are as many bytes after the
  /// first ones; the first step writes instead of adding.
  SmallVector<Value> createStep(ValueRange accumulators,
                                const Operands &operands, bool isFirst) const;

private:
  /// Where the left rows of an atom are, in bytes.
  Value createAtomOffset(const TmaGeometry &geometry, Value atom) const;
  /// The same of an atom that is a tap.
  Value createTapOffset(const TmaGeometry &geometry, Value atom) const;

  NVVM::WGMMATypes operandType;
  int64_t elementBytes, multipliedBytes; ///< Those are of a row.
  bool isLeftTransposed, isRightTransposed;
  /// From eight rows of a tile in shared memory to the next ones.
  int64_t leftStrideBytes, rightStrideBytes;
  /// Of descriptors of 64 bits, the lower half, which has the address and to
  /// which steps add, and the upper one.
  struct Descriptor {
    Value low;
    uint32_t high;
  };
  static Descriptor createDescriptor(const PtxBuilder &ptx, uint64_t layout,
                                     Value address);
  /// The descriptor of a tile so many units of addresses further.
  Value createMoved(const Descriptor &descriptor, Value units) const;

  /// Descriptors of the first tiles: of each atom, and of the columns.
  SmallVector<Descriptor> left;
  Descriptor right;
};

/// The descriptor of a tile at `address` in shared memory, whose rows are 128
/// swizzled bytes of the reduction.
Value createRowsDescriptor(const PtxBuilder &ptx, Value address);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAUNIT_H
