//===- OperandCopy.cpp - the common half of both copies -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributes the pieces of a tile over the work-items. How a piece is loaded
// is up to PixelCopy and FilterCopy.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

OperandCopy::OperandCopy(const Kernel &kernel, const SharedTile &tile,
                         Order order)
    : kernel(kernel), tile(tile) {
  const IndexMath &math = kernel.math;
  int64_t perRow = tile.getPiecesPerRow();
  int64_t perWorkItem = tile.getRows() * perRow / kernel.workItems;
  for (int64_t i = 0; i < perWorkItem; ++i) {
    Value id = math.add(kernel.workItem, i * kernel.workItems);
    if (order == Order::AlongRow) {
      // The position in the row is the same for all pieces of a work-item.
      rows.push_back(math.add(math.div(kernel.workItem, perRow),
                              i * (kernel.workItems / perRow)));
      pieces.push_back(math.rem(kernel.workItem, perRow));
    } else {
      rows.push_back(math.rem(id, tile.getRows()));
      pieces.push_back(math.div(id, tile.getRows()));
    }
  }
}

SmallVector<Value> OperandCopy::load(Value k) const {
  SmallVector<Value> loaded;
  for (size_t i = 0; i < rows.size(); ++i) {
    Value within = kernel.math.mul(pieces[i], kernel.pieceElements());
    loaded.push_back(loadPiece(i, k, within));
  }
  return loaded;
}

void OperandCopy::store(ValueRange loaded, Value stage) const {
  for (auto [piece, row, position] : llvm::zip(loaded, rows, pieces))
    tile.write(piece, stage, row, position);
}

Value OperandCopy::assemblePiece(
    int64_t width, function_ref<Value(int64_t element)> load) const {
  if (width == kernel.pieceElements())
    return load(0);
  auto type =
      VectorType::get({kernel.pieceElements()}, kernel.form.getOperandType());
  Value piece = arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(type));
  for (int64_t element = 0; element < kernel.pieceElements(); element += width)
    piece = vector::InsertStridedSliceOp::create(kernel.b, load(element), piece,
                                                 ArrayRef<int64_t>{element},
                                                 ArrayRef<int64_t>{1});
  return piece;
}
