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

#include "conv/Dialect/Conv/IR/TmaTile.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::TmaTile;

/// Of a lane, for 16 columns.
static constexpr int64_t kRegisters = 4;

FragmentTile::FragmentTile(const PtxBuilder &ptx, Value workItem,
                           int64_t rowBytes)
    : ptx(ptx) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, 32);
  // Lanes 0 to 15 give the rows of the first eight columns, 16 to 31 those of
  // the next eight.
  Value inTile =
      math.add(math.mul(math.div(workItem, 32), 16), math.rem(lane, 16));
  row = math.mul(inTile, rowBytes);
  Value line = math.div(inTile, Tile::kRowBytes / rowBytes);
  Value piece =
      math.bitXor(math.rem(line, rowBytes / kPieceBytes), math.div(lane, 16));
  twist = math.mul(piece, kPieceBytes);
}

Value FragmentTile::getAddress(Value tile, int64_t bytes) const {
  const IndexMath &math = ptx.math;
  Value offset = math.add(row, math.bitXor(twist, math.constant(bytes)));
  return ptx.offset(tile, offset);
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

SmallVector<Value> FragmentTile::load(Value tile, int64_t bytes) const {
  SmallVector<Type> types(kRegisters, ptx.b.getI32Type());
  Value loaded = NVVM::LdMatrixOp::create(
      ptx.b, LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types),
      getAddress(tile, bytes), kRegisters, NVVM::MMALayout::row, getShape(ptx),
      NVVM::LdStMatrixEltType::B16);
  return llvm::map_to_vector(llvm::seq(kRegisters), [&](int64_t i) -> Value {
    return LLVM::ExtractValueOp::create(ptx.b, loaded, i);
  });
}
