//===- FragmentTile.cpp - fragments that become tiles -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle exchanges pieces of 16 bytes by the number of the 128 bytes they
// are in.
//
//===----------------------------------------------------------------------===//

#include "FragmentTile.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Of a lane, for 16 columns.
static constexpr int64_t kPairs = 4;
static constexpr int64_t kColumnsPerPair = 8;
static constexpr int64_t kRowsPerPair = 8;

FragmentTile::FragmentTile(const PtxBuilder &ptx, Value workItem,
                           int64_t rowBytes, int64_t elementBytes)
    : ptx(ptx), rowBytes(rowBytes), elementBytes(elementBytes) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, 32);
  Value rowInWarp, behind;
  if (movesMatrices()) {
    // Lanes 0 to 15 give the rows of the first eight columns, 16 to 31 those of
    // the next eight.
    rowInWarp = math.rem(lane, 16);
    behind = math.mul(math.div(lane, 16), kPieceBytes);
  } else {
    rowInWarp = math.div(lane, 4);
    behind = math.mul(math.rem(lane, 4), 2 * elementBytes);
  }
  Value inTile = math.add(math.mul(math.div(workItem, 32), 16), rowInWarp);
  row = math.mul(inTile, rowBytes);
  // Rows that are eight apart have the same pieces in the same order.
  Value line = math.div(inTile, Tile::kRowBytes / rowBytes);
  Value piece = math.rem(line, rowBytes / kPieceBytes);
  twist = math.bitXor(math.mul(piece, kPieceBytes), behind);
}

Type FragmentTile::getPairType() const {
  return ptx.b.getIntegerType(2 * 8 * elementBytes);
}

Value FragmentTile::getAddress(Value tile, int64_t column) const {
  const IndexMath &math = ptx.math;
  Value bytes = math.constant(column * elementBytes);
  return ptx.offset(tile, math.add(row, math.bitXor(twist, bytes)));
}

Value FragmentTile::getPairAddress(Value tile, int64_t column,
                                   int64_t i) const {
  return ptx.offset(getAddress(tile, column + i / 2 * kColumnsPerPair),
                    i % 2 * kRowsPerPair * rowBytes);
}

static NVVM::LdStMatrixShapeAttr getShape(const PtxBuilder &ptx) {
  return NVVM::LdStMatrixShapeAttr::get(ptx.b.getContext(), 8, 8);
}

void FragmentTile::store(Value tile, int64_t column, ValueRange pairs) const {
  if (!movesMatrices()) {
    for (auto [i, pair] : llvm::enumerate(pairs))
      LLVM::StoreOp::create(ptx.b, pair, getPairAddress(tile, column, i));
    return;
  }
  NVVM::StMatrixOp::create(ptx.b, getAddress(tile, column), pairs,
                           NVVM::MMALayout::row, getShape(ptx),
                           NVVM::LdStMatrixEltType::B16);
}

SmallVector<Value> FragmentTile::load(Value tile, int64_t column,
                                      int64_t count) const {
  if (!movesMatrices())
    return llvm::map_to_vector(llvm::seq(count), [&](int64_t i) -> Value {
      return LLVM::LoadOp::create(ptx.b, getPairType(),
                                  getPairAddress(tile, column, i));
    });
  assert(count == kPairs && "an instruction moves 16 columns");
  SmallVector<Type> types(kPairs, getPairType());
  Value loaded = NVVM::LdMatrixOp::create(
      ptx.b, LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types),
      getAddress(tile, column), kPairs, NVVM::MMALayout::row, getShape(ptx),
      NVVM::LdStMatrixEltType::B16);
  return llvm::map_to_vector(llvm::seq(kPairs), [&](int64_t i) -> Value {
    return LLVM::ExtractValueOp::create(ptx.b, loaded, i);
  });
}
