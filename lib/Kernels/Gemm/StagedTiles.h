//===- StagedTiles.h - the tiles of a staged kernel -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_GEMM_STAGEDTILES_H
#define CONV_LIB_KERNELS_GEMM_STAGEDTILES_H

#include "MatrixUnit.h"
#include "OperandCopy.h"

namespace mlir::conv {

/// Where the operands of a product are in memory and in shared memory, and what
/// multiplies them. It creates no IR.
struct StagedTiles {
  explicit StagedTiles(const Kernel &kernel)
      : left(createAccess(kernel, 0)), right(createAccess(kernel, 1)),
        leftTile(kernel, kernel.workgroupTile()[0],
                 kernel.form.lhs.getElementType(),
                 OperandCopy::getTileOrder(kernel, left),
                 arrivesInBlocks(kernel, left), /*holdsColumns=*/false),
        rightTile(kernel, kernel.workgroupTile()[1],
                  kernel.form.rhs.getElementType(),
                  OperandCopy::getTileOrder(kernel, right),
                  arrivesInBlocks(kernel, right), /*holdsColumns=*/true),
        matrix(kernel, leftTile, rightTile) {}
  StagedTiles(const StagedTiles &) = delete; // `matrix` refers to the tiles.

  MatrixAccess left, right;
  SharedTile leftTile, rightTile;
  MatrixUnit matrix;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_GEMM_STAGEDTILES_H
