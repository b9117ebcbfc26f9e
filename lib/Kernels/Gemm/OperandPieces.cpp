//===- OperandPieces.cpp - who copies which piece of a tile ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which pieces of a tile a work-item copies, so that neighbours read what
// follows each other in memory, and write different banks of shared memory.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

void OperandCopy::assignAlongRow() {
  const IndexMath &math = kernel.math;
  int64_t perRow = tile.getPiecesPerRow();
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    if (kernel.workItems % perRow == 0) {
      // The position in the row is the same for all pieces of a work-item.
      piece.row = math.add(math.div(kernel.workItem, perRow),
                           i * (kernel.workItems / perRow));
      piece.position = math.rem(kernel.workItem, perRow);
    } else {
      Value id = math.add(kernel.workItem, i * kernel.workItems);
      piece.row = math.div(id, perRow);
      piece.position = math.rem(id, perRow);
    }
  }
}

/// Blocks of `rowWidth` rows: pieces of one block follow each other. What
/// neighbours write to shared memory at a time is then `rowWidth` rows apart,
/// which the swizzle does not spread over all banks: so as many neighbours take
/// different pieces of one block.
void OperandCopy::assignAlongColumn() {
  const IndexMath &math = kernel.math;
  int64_t blocks = tile.getRows() / rowWidth;
  int64_t across = std::gcd(rowWidth, tile.getPiecesPerRow());
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    int64_t block = i / rowWidth, inBlock = i % rowWidth;
    Value id = math.add(kernel.workItem, block * kernel.workItems);
    SmallVector<Value> digits = math.split(id, {0, blocks, across});
    piece.row = math.add(math.mul(digits[1], rowWidth), inBlock);
    piece.position = math.add(math.mul(digits[0], across), digits[2]);
  }
}

void OperandCopy::assignInLaneOrder() {
  const IndexMath &math = kernel.math;
  // LLVM does not see in each form of it that lanes agree on it.
  IndexMath scalars(kernel.b, kernel.b.getI32Type());
  Value subgroup = ROCDL::ReadfirstlaneOp::create(
      kernel.b, kernel.b.getI32Type(), scalars.cast(kernel.subgroup));
  ofSubgroup = math.mul(math.cast(subgroup), kernel.chip.subgroupSize);
  int64_t perLine = tile.getPiecesPerLine();
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    Value id = math.add(kernel.workItem, i * kernel.workItems);
    Value line = math.div(id, perLine);
    Value inLine = math.bitXor(math.rem(id, perLine), tile.getTwist(line));
    if (tile.getOrder() == TileOrder::AlongRows) {
      piece.row = math.mul(inLine, kernel.pieceElements());
      piece.position = line;
    } else {
      piece.row = line;
      piece.position = inLine;
    }
  }
}
