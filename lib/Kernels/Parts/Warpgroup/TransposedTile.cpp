//===- TransposedTile.cpp - results with rows innermost -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of 16 bytes change places within their 128 bytes: the number of the
// column, modulo eight, is XORed to that of the vector. Lanes of a warp then
// write to different banks, four columns or eight at a time, and read a column
// from different banks.
//
//===----------------------------------------------------------------------===//

#include "TransposedTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int64_t kRowsOfWarp = 16, kRowsOfMatrix = 8;
static constexpr int64_t kSwizzledVectors = 8;

/// The place in its column of the element that starts `bytes` after the
/// column's start.
static Value swizzle(const IndexMath &math, Value bytes, Value column) {
  return math.bitXor(
      bytes, math.mul(math.rem(column, kSwizzledVectors), kVectorBytes));
}

TransposedTile::TransposedTile(const PtxBuilder &ptx, Value workItem,
                               int64_t rows, int64_t elementBytes)
    : ptx(ptx), rows(rows), elementBytes(elementBytes) {
  const IndexMath &math = ptx.math;
  Value lane = math.rem(workItem, kWarpSize);
  Value warpRow = math.mul(math.div(workItem, kWarpSize), kRowsOfWarp);
  auto add = [&](Value row, Value column) {
    Value bytes = math.mul(math.add(warpRow, row), elementBytes);
    first.push_back(math.add(math.mul(column, rows * elementBytes),
                             swizzle(math, bytes, column)));
  };
  if (elementBytes == 2) {
    // Eight lanes each address the columns of a matrix of 8 x 8: of the upper
    // and the lower rows, then of the next eight columns.
    Value matrix = math.div(lane, 8);
    add(math.mul(math.rem(matrix, 2), kRowsOfMatrix),
        math.add(math.mul(math.div(matrix, 2), 8), math.rem(lane, 8)));
    return;
  }
  Value column = math.mul(math.rem(lane, 4), 2);
  for (int64_t i : {0, 1})
    add(math.div(lane, 4), math.add(column, i));
}

void TransposedTile::store(Value tile, int64_t atom, int64_t column,
                           ValueRange pairs) const {
  ImplicitLocOpBuilder &b = ptx.b;
  int64_t atomBytes = atom * ::conv::WarpgroupTile::kAtomRows * elementBytes;
  auto getOffset = [&](int64_t column) {
    return column * rows * elementBytes + atomBytes;
  };
  if (elementBytes == 2) {
    auto registers = llvm::map_to_vector(pairs, [&](Value pair) -> Value {
      return LLVM::BitcastOp::create(b, b.getI32Type(), pair);
    });
    NVVM::StMatrixOp::create(
        b, ptx.offset(tile, ptx.math.add(first.front(), getOffset(column))),
        registers, NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    return;
  }
  for (auto [i, pair] : llvm::enumerate(pairs)) {
    int64_t below = i % 2 * kRowsOfMatrix * elementBytes;
    for (auto [element, start] : llvm::enumerate(first)) {
      // The lower rows are in another vector of the same 128 bytes.
      Value offset =
          ptx.math.bitXor(ptx.math.add(start, getOffset(column + i / 2 * 8)),
                          ptx.math.constant(below));
      LLVM::StoreOp::create(b, vector::ExtractOp::create(b, pair, element),
                            ptx.offset(tile, offset));
    }
  }
}

Value TransposedTile::locate(Value tile, Value column, Value row) const {
  const IndexMath &math = ptx.math;
  Value inColumn = swizzle(math, math.mul(row, elementBytes), column);
  return ptx.offset(tile,
                    math.add(math.mul(column, rows * elementBytes), inColumn));
}
