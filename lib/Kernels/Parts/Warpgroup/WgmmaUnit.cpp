//===- WgmmaUnit.cpp - matrix instructions of a warpgroup -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors are built once. Each step adds an offset, in units of 16 bytes,
// to the address in their low bits. It adds to the lower half only, and both
// halves are joined where LLVM cannot see it: if LLVM merges the layout with
// the rest of a sum, ptxas 13.0 loses the layout in some kernels. From an
// `add.s64` of a `mul.wide.u32` by an index and such a constant, ptxas kept
// only the lower half, and rows were read as if they were not swizzled.
//
//===----------------------------------------------------------------------===//

#include "WgmmaUnit.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

/// A matrix descriptor (PTX ISA, "Matrix descriptor format") for rows of 128
/// swizzled bytes, without its address. The next eight rows are `strideBytes`
/// after the first eight.
static constexpr uint64_t createLayout(int64_t strideBytes,
                                       int64_t leadingBytes) {
  return uint64_t(1) << 62 |
         uint64_t(strideBytes / kDescriptorUnitBytes) << 32 |
         uint64_t(leadingBytes / kDescriptorUnitBytes) << 16;
}
static constexpr int64_t kEightRows = Tile::kSwizzledRows * Tile::kRowBytes;
/// Rows of the reduction do not use the leading dimension offset. A transposed
/// operand has the next 64 elements of each row 64 lines further on.
static constexpr uint64_t kRows =
    createLayout(kEightRows, kDescriptorUnitBytes);
static constexpr uint64_t kTransposedRows =
    createLayout(kEightRows, Tile::kRowElements *Tile::kRowBytes);

/// The lower half of a descriptor, which holds the address.
static Value createLow(const PtxBuilder &ptx, uint64_t layout, Value address) {
  // 14 bits; in the bits above, an address has its rank in the cluster.
  Value units = ptx.math.rem(ptx.math.div(address, kDescriptorUnitBytes),
                             int64_t(1) << 14);
  return ptx.math.add(units, static_cast<int64_t>(layout & 0xffffffff));
}

/// Joins two halves to 64 bits with an instruction that LLVM does not change.
static Value joinHalves(const PtxBuilder &ptx, Value low, uint32_t high) {
  Value upper = arith::ConstantOp::create(
      ptx.b, ptx.b.getI32IntegerAttr(static_cast<int32_t>(high)));
  return LLVM::InlineAsmOp::create(
             ptx.b, ptx.b.getI64Type(), ValueRange{low, upper},
             "mov.b64 $0, {$1, $2};", "=l,r,r", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(ptx.b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

Value mlir::conv::createRowsDescriptor(const PtxBuilder &ptx, Value address) {
  return joinHalves(ptx, createLow(ptx, kRows, address), kRows >> 32);
}

WgmmaUnit::Descriptor WgmmaUnit::createDescriptor(const PtxBuilder &ptx,
                                                  uint64_t layout,
                                                  Value address) {
  return {createLow(ptx, layout, address), static_cast<uint32_t>(layout >> 32)};
}

Value WgmmaUnit::createMoved(const Descriptor &descriptor, Value units) const {
  return joinHalves(ptx, ptx.math.add(descriptor.low, units), descriptor.high);
}

/// The type as which instructions multiply these elements.
static NVVM::WGMMATypes getOperandType(Type type) {
  return type.isF16()                  ? NVVM::WGMMATypes::f16
         : type.isBF16()               ? NVVM::WGMMATypes::bf16
         : type.isF32()                ? NVVM::WGMMATypes::tf32
         : isa<Float8E4M3FNType>(type) ? NVVM::WGMMATypes::e4m3
         : isa<Float8E5M2Type>(type)   ? NVVM::WGMMATypes::e5m2
                                       : NVVM::WGMMATypes::s8;
}

WgmmaUnit::WgmmaUnit(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                     const TmaGeometry &geometry, const Types &types,
                     const Operands &memory, Value consumer)
    : WgmmaSums(ptx, tile, getAccumulatorType(types.left)),
      leftType(getOperandType(types.left)),
      rightType(getOperandType(types.right)),
      elementBytes(geometry.elementBytes),
      multipliedBytes(geometry.getMultipliedBytes()),
      isLeftTransposed(geometry.isLeftTransposed()),
      isRightTransposed(geometry.isRightTransposed()),
      leftStrideBytes(tile.leftHaloTileBytes > 0
                          ? geometry.getHaloTileLineBytes()
                          : kEightRows),
      rightStrideBytes(tile.rightHaloTileBytes > 0
                           ? geometry.getHaloTileLineBytes()
                           : kEightRows) {
  const IndexMath &math = ptx.math;
  auto getAddress = [&](Value pointer) {
    return LLVM::PtrToIntOp::create(ptx.b, ptx.b.getI32Type(), pointer);
  };
  // The eight positions of a line of a block are consecutive; the next line is
  // as far away as in the halo tile.
  uint64_t layout =
      tile.leftHaloTileBytes > 0
          ? createLayout(leftStrideBytes, Tile::kRowElements * Tile::kRowBytes)
      : isLeftTransposed ? kTransposedRows
      : tile.hasSlots()
          ? createLayout(geometry.getHaloTileLineBytes(), kDescriptorUnitBytes)
          : kRows;
  Value first = math.mul(consumer, tile.atomsPerConsumer());
  for (int64_t i = 0; i < tile.atomsPerConsumer(); ++i) {
    Value offset = createAtomOffset(geometry, math.add(first, i));
    left.push_back(createDescriptor(ptx, layout,
                                    math.add(getAddress(memory.left), offset)));
  }
  // The next tap of a line is the next element of a halo tile, and the next
  // eight positions are the next line.
  uint64_t rightLayout =
      tile.rightHaloTileBytes > 0
          ? createLayout(rightStrideBytes,
                         geometry.window.dimensions.back().dilation *
                             Tile::kRowBytes)
      : isRightTransposed ? kTransposedRows
                          : kRows;
  right = createDescriptor(ptx, rightLayout, getAddress(memory.right));
}

Value WgmmaUnit::createTapOffset(const TmaGeometry &geometry,
                                 Value atom) const {
  const IndexMath &math = ptx.math;
  ::conv::TapRows taps = geometry.getTapRows();
  const TmaWindow &window = geometry.window;
  // The halo tile starts at the tile's tap that is first in memory.
  auto getPlace = [&](Value tap, const TmaWindow::Dimension &d, int64_t count) {
    Value place = d.isReversed ? math.add(math.mul(tap, -1), count - 1) : tap;
    return math.mul(place, d.dilation);
  };
  SmallVector<Value> digits = math.split(atom, {0, taps.taps});
  Value line = getPlace(digits[0], window.dimensions[window.rank() - 2],
                        taps.countLines(tile.rows));
  Value inLine = getPlace(digits[1], window.dimensions.back(), taps.taps);
  return math.mul(math.add(math.mul(line, taps.pitch), inLine),
                  Tile::kRowBytes);
}

Value WgmmaUnit::createAtomOffset(const TmaGeometry &geometry,
                                  Value atom) const {
  const IndexMath &math = ptx.math;
  if (geometry.areTapsRows)
    return createTapOffset(geometry, atom);
  if (!tile.hasSlots())
    return math.mul(atom, Tile::kAtomRows * Tile::kRowBytes);
  SmallVector<int64_t> sizes = {0};
  for (int64_t size : geometry.window.haloTile)
    sizes.push_back(size / TmaWindow::getBlockSize(size));
  SmallVector<Value> digits = math.split(atom, sizes);
  Value offset = math.mul(digits.front(), geometry.getHaloTileBytes());
  for (auto [d, block] : llvm::enumerate(ArrayRef(digits).drop_front()))
    offset = math.add(offset, math.mul(block, Tile::kBlockSize *
                                                  geometry.getHaloTilePitch(d) *
                                                  Tile::kRowBytes));
  return offset;
}

/// Address units from the start of a row to byte `inRow` of the row; or, if the
/// operand is transposed, to the line of that byte's element.
int64_t WgmmaUnit::getUnits(int64_t inRow, bool isTransposed,
                            int64_t strideBytes) const {
  int64_t bytes =
      isTransposed ? inRow / elementBytes * (strideBytes / 8) : inRow;
  return bytes / kDescriptorUnitBytes;
}

Value WgmmaUnit::createLeft(int64_t atom, Value units, int64_t inRow) const {
  return createMoved(
      left[atom],
      ptx.math.add(units, getUnits(inRow, isLeftTransposed, leftStrideBytes)));
}

Value WgmmaUnit::createRight(Value units, int64_t inRow) const {
  return createMoved(right,
                     ptx.math.add(units, getUnits(inRow, isRightTransposed,
                                                  rightStrideBytes)));
}

Value WgmmaUnit::createInstruction(Value sums, Value a, Value b,
                                   bool isFirst) const {
  using namespace NVVM;
  bool isInteger = isa<IntegerType>(elementType);
  return WgmmaMmaAsyncOp::create(
      ptx.b, sums.getType(), sums, a, b,
      MMAShapeAttr::get(ptx.b.getContext(), Tile::kAtomRows, tile.columns,
                        Tile::kAtomBytes / elementBytes),
      leftType, rightType, isInteger ? WGMMATypes::s32 : WGMMATypes::f32,
      isFirst ? WGMMAScaleOut::zero : WGMMAScaleOut::one, WGMMAScaleIn::one,
      WGMMAScaleIn::one, isLeftTransposed ? MMALayout::col : MMALayout::row,
      isRightTransposed ? MMALayout::row : MMALayout::col,
      isInteger
          ? MMAIntOverflowAttr::get(ptx.b.getContext(), MMAIntOverflow::wrapped)
          : MMAIntOverflowAttr());
}

SmallVector<Value> WgmmaUnit::createStep(ValueRange accumulators,
                                         const Operands &operands,
                                         bool isFirst) const {
  Value leftUnits = ptx.math.div(operands.left, kDescriptorUnitBytes);
  Value rightUnits = ptx.math.div(operands.right, kDescriptorUnitBytes);
  NVVM::WgmmaFenceAlignedOp::create(ptx.b);
  SmallVector<Value> sums(accumulators);
  for (int64_t inRow = 0; inRow < multipliedBytes; inRow += Tile::kAtomBytes) {
    Value b = createRight(rightUnits, inRow);
    for (auto [atom, sum] : llvm::enumerate(sums))
      sum = createInstruction(sum, createLeft(atom, leftUnits, inRow), b,
                              isFirst && inRow == 0);
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(ptx.b);
  return sums;
}

SmallVector<Value> WgmmaUnit::createPartialProduct(ValueRange accumulators,
                                                   const Operands &operands,
                                                   int64_t first,
                                                   int64_t end) const {
  Value leftUnits = ptx.math.div(operands.left, kDescriptorUnitBytes);
  Value rightUnits = ptx.math.div(operands.right, kDescriptorUnitBytes);
  SmallVector<Value> right;
  for (int64_t inRow = first; inRow < end; inRow += Tile::kAtomBytes)
    right.push_back(createRight(rightUnits, inRow));
  NVVM::WgmmaFenceAlignedOp::create(ptx.b);
  SmallVector<Value> sums(accumulators);
  for (auto [atom, sum] : llvm::enumerate(sums)) {
    for (auto [i, b] : llvm::enumerate(right))
      sum = createInstruction(
          sum,
          createLeft(atom, leftUnits, first + int64_t(i) * Tile::kAtomBytes), b,
          /*isFirst=*/i == 0);
    NVVM::WgmmaGroupSyncAlignedOp::create(ptx.b);
  }
  return sums;
}

SmallVector<Value>
WgmmaUnit::createPromotedStep(ValueRange sums, const Operands &operands) const {
  SmallVector<Value> totals(sums), partial = createUndefined();
  int64_t partialBytes = tile.promotion * elementBytes;
  for (int64_t first = 0; first < multipliedBytes; first += partialBytes) {
    // The next partial product reuses these registers, so it starts after they
    // have been added: there are none for a third set of sums.
    partial =
        createPartialProduct(partial, operands, first,
                             std::min(first + partialBytes, multipliedBytes));
    // The sums of one atom are added while the next atom is multiplied.
    int64_t pending = partial.size();
    for (auto [total, own] : llvm::zip(totals, partial)) {
      wait(--pending);
      own = finishAtom(own);
      total = addAtom(total, own);
    }
  }
  return totals;
}
