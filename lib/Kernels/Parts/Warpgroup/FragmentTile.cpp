//===- FragmentTile.cpp - fragments in shared memory ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle XORs the number of a 16-byte vector with the number of its
// 128-byte line. Without a swizzle, each row starts one row length further in
// the banks: if that is an odd number of vectors, eight rows use all banks.
//
//===----------------------------------------------------------------------===//

#include "FragmentTile.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

/// Pairs of a lane for each `kColumnsPerPair` columns.
static constexpr int64_t kPairs = 2;
static constexpr int64_t kRowsPerPair = 8;

FragmentTile::FragmentTile(const PtxBuilder &ptx, Value workItem,
                           int64_t rowBytes, int64_t elementBytes)
    : ptx(ptx), rowBytes(rowBytes), elementBytes(elementBytes),
      isSwizzled(Tile::isSwizzled(rowBytes)) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, 32);
  Value rowInWarp, behind;
  if (movesMatrices()) {
    // Lanes 0 to 15 give the addresses of rows for the first eight columns,
    // lanes 16 to 31 for the next eight.
    rowInWarp = math.rem(lane, 16);
    behind = math.mul(math.div(lane, 16), kVectorBytes);
  } else {
    rowInWarp = math.div(lane, 4);
    behind = math.mul(math.rem(lane, 4), 2 * elementBytes);
  }
  Value inTile = math.add(math.mul(math.div(workItem, 32), 16), rowInWarp);
  row = math.mul(inTile, rowBytes);
  first = behind;
  if (isSwizzled) {
    // The swizzle repeats every eight rows, as `getPairAddress` requires.
    Value line = math.div(inTile, Tile::kRowBytes / rowBytes);
    Value vector = math.rem(line, rowBytes / kVectorBytes);
    first = math.bitXor(math.mul(vector, kVectorBytes), behind);
  }
}

Type FragmentTile::getPairType() const {
  return ptx.b.getIntegerType(2 * 8 * elementBytes);
}

Value FragmentTile::getAddress(Value tile, int64_t column) const {
  const IndexMath &math = ptx.math;
  int64_t bytes = column * elementBytes;
  Value inRow = isSwizzled ? math.bitXor(first, math.constant(bytes))
                           : math.add(first, bytes);
  return ptx.offset(tile, math.add(row, inRow));
}

Value FragmentTile::getPairAddress(Value tile, int64_t column,
                                   int64_t i) const {
  return ptx.offset(getAddress(tile, column + i / kPairs * kColumnsPerPair),
                    i % kPairs * kRowsPerPair * rowBytes);
}

Value FragmentTile::locate(Value tile, Value row, Value column) const {
  const IndexMath &math = ptx.math;
  Value inRow = math.mul(column, elementBytes);
  if (isSwizzled) {
    Value vector = math.rem(math.div(row, Tile::kRowBytes / rowBytes),
                            rowBytes / kVectorBytes);
    inRow = math.bitXor(inRow, math.mul(vector, kVectorBytes));
  }
  return ptx.offset(tile, math.add(math.mul(row, rowBytes), inRow));
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
  SmallVector<Type> types(count, getPairType());
  Value loaded = NVVM::LdMatrixOp::create(
      ptx.b, LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types),
      getAddress(tile, column), count, NVVM::MMALayout::row, getShape(ptx),
      NVVM::LdStMatrixEltType::B16);
  return llvm::map_to_vector(llvm::seq(count), [&](int64_t i) -> Value {
    return LLVM::ExtractValueOp::create(ptx.b, loaded, i);
  });
}
