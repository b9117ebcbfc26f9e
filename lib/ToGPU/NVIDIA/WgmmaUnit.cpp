//===- WgmmaUnit.cpp - matrix instructions of a warpgroup -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors are built once; what changes from step to step is added to the
// address in their low bits, in units of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "WgmmaUnit.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// The unit of addresses in descriptors.
static constexpr int64_t kUnitBytes = 16;
/// Elements of the reduction of one instruction.
static constexpr int64_t kAtomK = 16;

/// A matrix descriptor (PTX ISA, "Matrix descriptor format") of rows of 128
/// swizzled bytes, without its address: eight rows are 1024 bytes.
static constexpr uint64_t createLayout(int64_t leadingBytes) {
  return uint64_t(1) << 62 | uint64_t(8 * Tile::kRowBytes / kUnitBytes) << 32 |
         uint64_t(leadingBytes / kUnitBytes) << 16;
}
/// Rows of the reduction do not use the leading dimension's offset; those of a
/// transposed operand have the next 64 elements behind 64 rows.
static constexpr uint64_t kRows = createLayout(kUnitBytes);
static constexpr uint64_t kTransposedRows =
    createLayout(Tile::kRowElements * Tile::kRowBytes);

static Value createDescriptor(const PtxBuilder &ptx, uint64_t layout,
                              Value address) {
  // 14 bits: above them the address has the rank in a cluster.
  Value units =
      ptx.math.rem(ptx.math.div(address, kUnitBytes), int64_t(1) << 14);
  return ptx.b.createOrFold<arith::OrIOp>(
      ptx.extend64(units), ptx.constant64(static_cast<int64_t>(layout)));
}

Value mlir::conv::createRowsDescriptor(const PtxBuilder &ptx, Value address) {
  return createDescriptor(ptx, kRows, address);
}

WgmmaUnit::WgmmaUnit(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                     const TmaGeometry &geometry, Type operandType,
                     Value memory, Value consumer)

    : WgmmaSums(ptx, tile),
      operandType(operandType.isF16() ? NVVM::WGMMATypes::f16
                                      : NVVM::WGMMATypes::bf16),
      isLeftTransposed(geometry.reducesPositions),
      isRightTransposed(geometry.isRightTransposed()) {
  Value address = LLVM::PtrToIntOp::create(ptx.b, ptx.b.getI32Type(), memory);
  Value rows = ptx.math.mul(consumer, tile.leftBytes() / tile.consumers);
  left = createDescriptor(ptx, isLeftTransposed ? kTransposedRows : kRows,
                          ptx.math.add(address, rows));
  right = createDescriptor(ptx, isRightTransposed ? kTransposedRows : kRows,
                           ptx.math.add(address, tile.leftBytes()));
}

SmallVector<Value> WgmmaUnit::createStep(ValueRange accumulators, Value stage,
                                         bool isFirst) const {
  using namespace NVVM;
  Value units =
      ptx.extend64(ptx.math.mul(stage, tile.stageBytes() / kUnitBytes));
  auto shape = MMAShapeAttr::get(ptx.b.getContext(), Tile::kAtomRows,
                                 tile.columns, kAtomK);
  WgmmaFenceAlignedOp::create(ptx.b);
  SmallVector<Value> sums(accumulators);
  for (int64_t k = 0; k < Tile::kRowElements; k += kAtomK) {
    auto alongReduction = [&](bool isTransposed) {
      return k * (isTransposed ? Tile::kRowBytes : Tile::kElementBytes) /
             kUnitBytes;
    };
    Value b = ptx.add64(ptx.add64(right, units),
                        ptx.constant64(alongReduction(isRightTransposed)));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      int64_t rows = int64_t(i) * Tile::kAtomRows * Tile::kRowBytes;
      Value a = ptx.add64(
          ptx.add64(left, units),
          ptx.constant64(alongReduction(isLeftTransposed) + rows / kUnitBytes));
      sum = WgmmaMmaAsyncOp::create(
          ptx.b, sum.getType(), sum, a, b, shape, operandType, operandType,
          WGMMATypes::f32,
          isFirst && k == 0 ? WGMMAScaleOut::zero : WGMMAScaleOut::one,
          WGMMAScaleIn::one, WGMMAScaleIn::one,
          isLeftTransposed ? MMALayout::col : MMALayout::row,
          isRightTransposed ? MMALayout::row : MMALayout::col,
          MMAIntOverflowAttr());
    }
  }
  WgmmaGroupSyncAlignedOp::create(ptx.b);
  return sums;
}
