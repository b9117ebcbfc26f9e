//===- LeftFragments.h - f32 rows in registers ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions take the tf32 parts of the left operand from registers: lanes
// load their elements from a tile that copies brought, whether or not it is
// transposed, and split them into parts.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H

#include "../Parts/Warpgroup/PtxBuilder.h"

#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

namespace mlir::conv {

class LeftFragments {
public:
  static constexpr int64_t kRegisters = 4; ///< Per fragment.

  /// For work-item `workItem` of consumer `consumer`.
  LeftFragments(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                bool isTransposed, Value consumer, Value workItem);

  /// The lane's elements for instruction `step` and atom `atom` of its
  /// consumer: lane 4 r + t has rows r and r + 8 at place t, then at place t +
  /// 4 (PTX ISA, "register fragments for wgmma.mma_async.m64nNk8").
  SmallVector<Value> load(Value left, int64_t atom, int64_t step) const;

private:
  /// The offset in the tile of register `number` of the lane's fragment.
  std::pair<Value, int64_t> locate(int64_t number, int64_t atom,
                                   int64_t step) const;

  const PtxBuilder &ptx;
  bool isTransposed;
  Value row, place; ///< r and t.
  Value base;       ///< Byte offset that all registers share.
  Value inBox;      ///< In a transposed tile: row r's 16-byte vector in a box.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_LEFTFRAGMENTS_H
