//===- OperandVectors.cpp - vectors of a tile per work-item ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns vectors of a tile to work-items, so that neighbours read adjacent
// memory and write to different banks of shared memory.
//
//===----------------------------------------------------------------------===//

#include "OperandCopy.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

void OperandCopy::assignAlongRow() {
  const IndexMath &math = kernel.math;
  int64_t perRow = tile.getVectorsPerRow();
  for (auto [i, own] : llvm::enumerate(vectors)) {
    if (kernel.workItems % perRow == 0) {
      // All vectors of a work-item have the same position in their rows.
      own.row = math.add(math.div(kernel.workItem, perRow),
                         i * (kernel.workItems / perRow));
      own.position = math.rem(kernel.workItem, perRow);
    } else {
      Value id = math.add(kernel.workItem, i * kernel.workItems);
      own.row = math.div(id, perRow);
      own.position = math.rem(id, perRow);
    }
  }
}

/// Assigns blocks of `rowWidth` rows; a work-item's vectors of a block are
/// consecutive. Neighbours then write to shared memory `rowWidth` rows apart,
/// which the swizzle does not spread over all banks. So `rowWidth` neighbours
/// take different vectors of the same block.
void OperandCopy::assignAlongColumn(const Source &source) {
  const IndexMath &math = kernel.math;
  int64_t blocks = tile.getRows() / shape.rowWidth;
  int64_t across = std::gcd(shape.rowWidth, tile.getVectorsPerRow());
  for (auto [i, own] : llvm::enumerate(vectors)) {
    int64_t block = i / shape.rowWidth, inBlock = i % shape.rowWidth;
    Value id = math.add(kernel.workItem, block * kernel.workItems);
    SmallVector<Value> digits = math.split(id, {0, blocks, across});
    own.row = math.add(math.mul(digits[1], shape.rowWidth), inBlock);
    own.position = math.add(math.mul(digits[0], across), digits[2]);
    if (shape.followsOperand) {
      own.operandRow = own.row;
      own.row = source.placeOf(own.operandRow);
    }
  }
}

/// The number of the subgroup. LLVM does not always see that it is the same for
/// all lanes.
static Value createSharedSubgroup(const Kernel &kernel) {
  IndexMath scalars(kernel.b, kernel.b.getI32Type());
  return kernel.math.cast(ROCDL::ReadfirstlaneOp::create(
      kernel.b, kernel.b.getI32Type(), scalars.cast(kernel.subgroup)));
}

void OperandCopy::assignSharedElements() {
  const IndexMath &math = kernel.math;
  int64_t rows = tile.getRows(), length = kernel.vectorElements();
  // Subgroups of one position, or the only position of all of them.
  Value position = math.constant(0);
  if (kernel.workItems > rows)
    position =
        math.div(createSharedSubgroup(kernel), rows / kernel.chip.subgroupSize);
  firstElement = math.mul(position, length);
  period = access.getPeriod(MatrixIndex::Column);
  for (auto [i, own] : llvm::enumerate(vectors)) {
    int64_t first = static_cast<int64_t>(i) * kernel.workItems;
    own.row = rows > kernel.workItems ? math.add(kernel.workItem, first % rows)
                                      : math.rem(kernel.workItem, rows);
    own.position = math.add(position, first / rows);
    own.element = first / rows * length;
  }
}

void OperandCopy::assignInLaneOrder() {
  const IndexMath &math = kernel.math;
  ofSubgroup = math.mul(createSharedSubgroup(kernel), kernel.chip.subgroupSize);
  int64_t perLine = tile.getVectorsPerLine();
  for (auto [i, own] : llvm::enumerate(vectors)) {
    Value id = math.add(kernel.workItem, i * kernel.workItems);
    Value line = math.div(id, perLine);
    Value inLine = math.bitXor(math.rem(id, perLine), tile.getTwist(line));
    if (tile.getOrder() == TileOrder::AlongRows) {
      own.row = math.mul(inLine, kernel.vectorElements());
      own.position = line;
    } else {
      own.row = line;
      own.position = inLine;
    }
  }
}
