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
  /// Of their elements; 8-bit floats may be of two types.
  struct Types {
    Types(Type both) : left(both), right(both) {}
    Types(Type left, Type right) : left(left), right(right) {}
    Type left, right;
  };
  /// `memory` has the addresses of the first tiles of each; `consumer` is the
  /// warpgroup among those that compute.
  WgmmaUnit(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
            const TmaGeometry &geometry, const Types &types,
            const Operands &memory, Value consumer);

  /// Starts adding the product of two tiles, which are as many bytes after the
  /// first ones; the first step writes instead of adding.
  SmallVector<Value> createStep(ValueRange accumulators,
                                const Operands &operands, bool isFirst) const;

  /// The sums after the product of two tiles, which is promoted to f32: as
  /// often as the tile says, sums of a part of it are added in f32.
  SmallVector<Value> createPromotedStep(ValueRange sums,
                                        const Operands &operands) const;

private:
  int64_t getUnits(int64_t inRow, bool isTransposed, int64_t strideBytes) const;
  /// Descriptors of what an instruction reads from byte `inRow` of rows on, if
  /// operands are so many units after the first ones.
  Value createLeft(int64_t atom, Value units, int64_t inRow) const;
  Value createRight(Value units, int64_t inRow) const;
  /// Adds the product of an atom's rows to `sums`, or writes it there.
  Value createInstruction(Value sums, Value a, Value b, bool isFirst) const;
  /// Starts the product of bytes `first` to `end` of all rows, which is written
  /// over `accumulators`, each atom's in a group of its own.
  SmallVector<Value> createPart(ValueRange accumulators,
                                const Operands &operands, int64_t first,
                                int64_t end) const;
  /// Where the left rows of an atom are, in bytes.
  Value createAtomOffset(const TmaGeometry &geometry, Value atom) const;
  /// The same of an atom that is a tap.
  Value createTapOffset(const TmaGeometry &geometry, Value atom) const;

  NVVM::WGMMATypes leftType, rightType;
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
