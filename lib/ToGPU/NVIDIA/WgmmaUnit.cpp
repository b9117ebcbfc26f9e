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

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

WgmmaUnit::WgmmaUnit(const PtxBuilder &ptx, const ::conv::TmaTile &tile,
                     const TmaGeometry &geometry, Type operandType,
                     Value memory, Value consumer)
    : ptx(ptx), tile(tile),
      operandType(operandType.isF16() ? NVVM::WGMMATypes::f16
                                      : NVVM::WGMMATypes::bf16),
      isLeftTransposed(geometry.reducesPositions),
      isRightTransposed(geometry.isRightTransposed()) {
  Value address = LLVM::PtrToIntOp::create(ptx.b, ptx.b.getI32Type(), memory);
  Value rows = ptx.math.mul(consumer, tile.leftBytes() / tile.consumers);
  left = createDescriptor(isLeftTransposed ? kTransposedRows : kRows,
                          ptx.math.add(address, rows));
  right = createDescriptor(isRightTransposed ? kTransposedRows : kRows,
                           ptx.math.add(address, tile.leftBytes()));
}

Value WgmmaUnit::createDescriptor(uint64_t layout, Value address) const {
  // 14 bits: above them the address has the rank in a cluster.
  Value units =
      ptx.math.rem(ptx.math.div(address, kUnitBytes), int64_t(1) << 14);
  return ptx.b.createOrFold<arith::OrIOp>(
      ptx.extend64(units), ptx.constant64(static_cast<int64_t>(layout)));
}

Type WgmmaUnit::getAccumulatorType() const {
  SmallVector<Type> types(getNumAccumulators(), ptx.b.getF32Type());
  return LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types);
}

SmallVector<Value> WgmmaUnit::createUndefined() const {
  Value nothing = LLVM::PoisonOp::create(ptx.b, getAccumulatorType());
  return SmallVector<Value>(tile.atomsPerConsumer(), nothing);
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

void WgmmaUnit::wait(int64_t steps) const {
  NVVM::WgmmaWaitGroupSyncOp::create(ptx.b, steps);
}

SmallVector<Value> WgmmaUnit::finish(ValueRange accumulators) const {
  wait(0);
  // The wait does not mention the registers that it waits for. An empty piece
  // of assembly that reads and writes them keeps their uses behind it.
  int64_t count = getNumAccumulators();
  std::string constraints;
  for (int64_t i = 0; i < count; ++i)
    constraints += "=f,";
  for (int64_t i = 0; i < count; ++i)
    constraints += std::to_string(i) + (i + 1 < count ? "," : "");
  SmallVector<Value> finished;
  for (Value sums : accumulators) {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(ptx.b, sums, i));
    finished.push_back(LLVM::InlineAsmOp::create(
                           ptx.b, sums.getType(), registers, /*asm_string=*/"",
                           constraints,
                           /*has_side_effects=*/true, /*is_align_stack=*/false,
                           LLVM::TailCallKind::None,
                           LLVM::AsmDialectAttr::get(ptx.b.getContext(),
                                                     LLVM::AsmDialect::AD_ATT),
                           /*operand_attrs=*/ArrayAttr())
                           .getResult(0));
  }
  return finished;
}

Value WgmmaUnit::getPair(Value accumulators, int64_t first) const {
  Value low = LLVM::ExtractValueOp::create(ptx.b, accumulators, first);
  Value high = LLVM::ExtractValueOp::create(ptx.b, accumulators, first + 1);
  return vector::FromElementsOp::create(
      ptx.b, VectorType::get({2}, ptx.b.getF32Type()), ValueRange{low, high});
}
