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

void FragmentTile::store(Value tile, int64_t bytes,
                         ValueRange registers) const {
  const IndexMath &math = ptx.math;
  Value offset = math.add(row, math.bitXor(twist, math.constant(bytes)));
  NVVM::StMatrixOp::create(
      ptx.b, ptx.offset(tile, offset), registers, NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(ptx.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
}
