//===- FragmentTile.cpp - fragments that become tiles -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle exchanges pieces of 16 bytes by the number of the 128 bytes they
// are in. Rows without one start in other banks than the row before by their
// length: if that is an odd number of pieces, eight rows are in all banks.
//
//===----------------------------------------------------------------------===//

#include "FragmentTile.h"

#include "conv/Dialect/Conv/IR/TmaTile.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Of a lane, for eight columns.
static constexpr int64_t kRegisters = 2;

FragmentTile::FragmentTile(const PtxBuilder &ptx, Value workItem,
                           int64_t rowBytes)
    : ptx(ptx), isSwizzled(Tile::isSwizzled(rowBytes)) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, 32);
  // Lanes 0 to 15 give the rows of the first eight columns, 16 to 31 those of
  // the next eight.
  Value inTile =
      math.add(math.mul(math.div(workItem, 32), 16), math.rem(lane, 16));
  row = math.mul(inTile, rowBytes);
  Value piece = math.div(lane, 16);
  if (isSwizzled) {
    Value line = math.div(inTile, Tile::kRowBytes / rowBytes);
    piece = math.bitXor(math.rem(line, rowBytes / kPieceBytes), piece);
  }
  first = math.mul(piece, kPieceBytes);
}

Value FragmentTile::getAddress(Value tile, int64_t bytes) const {
  const IndexMath &math = ptx.math;
  Value inRow = isSwizzled ? math.bitXor(first, math.constant(bytes))
                           : math.add(first, bytes);
  return ptx.offset(tile, math.add(row, inRow));
}

static NVVM::LdStMatrixShapeAttr getShape(const PtxBuilder &ptx) {
  return NVVM::LdStMatrixShapeAttr::get(ptx.b.getContext(), 8, 8);
}

void FragmentTile::store(Value tile, int64_t bytes,
                         ValueRange registers) const {
  NVVM::StMatrixOp::create(ptx.b, getAddress(tile, bytes), registers,
                           NVVM::MMALayout::row, getShape(ptx),
                           NVVM::LdStMatrixEltType::B16);
}

SmallVector<Value> FragmentTile::load(Value tile, int64_t bytes,
                                      int64_t columns) const {
  int64_t registers = columns / 8 * kRegisters;
  SmallVector<Type> types(registers, ptx.b.getI32Type());
  Value loaded = NVVM::LdMatrixOp::create(
      ptx.b, LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types),
      getAddress(tile, bytes), registers, NVVM::MMALayout::row, getShape(ptx),
      NVVM::LdStMatrixEltType::B16);
  return llvm::map_to_vector(llvm::seq(registers), [&](int64_t i) -> Value {
    return LLVM::ExtractValueOp::create(ptx.b, loaded, i);
  });
}
