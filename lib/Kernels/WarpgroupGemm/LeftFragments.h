//===- LeftFragments.h - rows of f32 in registers ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that take parts of the left operand take them from registers:
// lanes load their elements from the tile that copies brought, wherever its
// reduction is, and make parts of them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace mlir::conv {

class LeftFragments {
public:
  static constexpr int64_t kRegisters = 4; ///< Of a fragment.

  /// For work-item `workItem` of consumer `consumer`.
  LeftFragments(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                bool isTransposed, Value consumer, Value workItem);

  /// The lane's elements for instruction `step` of a row, of atom `atom` of its
  /// consumer: rows r and r + 8 of place t, and of place t + 4, with lane
  /// 4 r + t (PTX ISA, "register fragments for wgmma.mma_async.m64nNk8").
  SmallVector<Value> load(Value left, int64_t atom, int64_t step) const;

private:
  /// Where the lane's register `number` of that is in the tile.
  std::pair<Value, int64_t> locate(int64_t number, int64_t atom,
                                   int64_t step) const;

  const PtxBuilder &ptx;
  bool isTransposed;
  Value row, place; ///< r and t.
  Value base;       ///< Bytes that all registers of the lane have in common.
  Value inBox;      ///< Of a transposed tile, 16 bytes of row r in its box.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H
