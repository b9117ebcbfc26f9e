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

/// Bytes of an address unit in descriptors.
inline constexpr int64_t kDescriptorUnitBytes = 16;

/// Computes the tile of one consumer: atoms of 64 rows and all columns, one
/// below the other. Operands are tiles in shared memory. Their rows are 128
/// swizzled bytes, of the reduction or, for a transposed operand, of its own
/// rows: 64 lines of the first 64 elements, then 64 of the next. Halo tiles
/// have these lines for several taps, each tap some elements further on.
class WgmmaUnit : public WgmmaSums {
public:
  /// The addresses of both operands.
  struct Operands {
    Value left, right;
  };
  /// Element types of the operands; two 8-bit float types may be mixed.
  struct Types {
    Types(Type both) : left(both), right(both) {}
    Types(Type left, Type right) : left(left), right(right) {}
    Type left, right;
  };
  /// `memory` has the address of each operand's first tile. `consumer` is the
  /// number of the warpgroup among the consumers.
  WgmmaUnit(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
            const TmaGeometry &geometry, const Types &types,
            const Operands &memory, Value consumer);

  /// Starts to add the product of two tiles at byte offsets `operands` from the
  /// first tiles. The first step overwrites the accumulators.
  SmallVector<Value> createStep(ValueRange accumulators,
                                const Operands &operands, bool isFirst) const;

  /// The sums after the product of two tiles, with promotion: as often as the
  /// tile says, partial sums of the product are added in f32.
  SmallVector<Value> createPromotedStep(ValueRange sums,
                                        const Operands &operands) const;

private:
  int64_t getUnits(int64_t inRow, bool isTransposed, int64_t strideBytes) const;
  /// Descriptors of what an instruction reads from byte `inRow` of rows on, for
  /// operands that are `units` address units after the first ones.
  Value createLeft(int64_t atom, Value units, int64_t inRow) const;
  Value createRight(Value units, int64_t inRow) const;
  /// Adds the product of an atom's rows to `sums`, or overwrites them.
  Value createInstruction(Value sums, Value a, Value b, bool isFirst) const;
  /// Starts the product of bytes `first` to `end` of all rows, which overwrites
  /// `accumulators`. Each atom is a commit group of its own.
  SmallVector<Value> createPartialProduct(ValueRange accumulators,
                                          const Operands &operands,
                                          int64_t first, int64_t end) const;
  /// The offset of an atom's rows in the left operand, in bytes.
  Value createAtomOffset(const TmaGeometry &geometry, Value atom) const;
  /// The offset, in bytes, of an atom that is a tap.
  Value createTapOffset(const TmaGeometry &geometry, Value atom) const;

  NVVM::WGMMATypes leftType, rightType;
  int64_t elementBytes, multipliedBytes; ///< Per row.
  bool isLeftTransposed, isRightTransposed;
  /// Bytes between groups of eight rows of a tile in shared memory.
  int64_t leftStrideBytes, rightStrideBytes;
  /// A 64-bit descriptor. The lower half has the address, to which steps add;
  /// the upper half is constant.
  struct Descriptor {
    Value low;
    uint32_t high;
  };
  static Descriptor createDescriptor(const PtxBuilder &ptx, uint64_t layout,
                                     Value address);
  /// The descriptor of a tile that is `units` address units further.
  Value createMoved(const Descriptor &descriptor, Value units) const;

  /// Descriptors of the first tiles: one per atom, and one for the columns.
  SmallVector<Descriptor> left;
  Descriptor right;
};

/// The descriptor of a tile at `address` in shared memory whose rows are 128
/// swizzled bytes of the reduction.
Value createRowsDescriptor(const PtxBuilder &ptx, Value address);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAUNIT_H
