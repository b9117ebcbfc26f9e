//===- HostElementwise.cpp - kernels without a product --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"

using namespace mlir;
using namespace mlir::conv;

/// The index along which elements are vectors: rows, where neighbours of all
/// tensors are near in memory, unless columns of the result are.
static MatrixIndex selectRuns(const Kernel &kernel) {
  const auto &form = kernel.form;
  auto getDistance = [&](const MatrixOperand &operand, MatrixIndex index) {
    return MatrixAccess(kernel.math, operand).getInnermostDistance(index);
  };
  auto isAlongRows = [&](const MatrixOperand &operand) {
    return getDistance(operand, MatrixIndex::Row) == 1 ||
           MatrixAccess(kernel.math, operand).isBroadcast(MatrixIndex::Row);
  };
  bool hasColumns =
      form.getColumns() >= kHostLanes &&
      getDistance(form.getResults().front(), MatrixIndex::Column) == 1;
  bool hasRows =
      llvm::all_of(form.getResults(),
                   [&](const MatrixOperand &result) {
                     int64_t distance = getDistance(result, MatrixIndex::Row);
                     return distance > 0 && distance <= ::conv::kHostMostApart;
                   }) &&
      llvm::all_of(form.epilogueOperands, isAlongRows);
  return hasRows && !hasColumns ? MatrixIndex::Row : MatrixIndex::Column;
}

LogicalResult mlir::conv::createHostElementwiseBody(Kernel &kernel,
                                                    gpu::GPUFuncOp) {
  TileOrigin origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  HostBlock block = clipToResult(kernel, origin);
  HostCode code(kernel);
  MatrixIndex along = selectRuns(kernel);
  bool isAlongRows = along == MatrixIndex::Row;
  HostEpilogue epilogue(code, along,
                        isAlongRows ? kernel.form.getRows()
                                    : kernel.form.getColumns());
  code.forEach(kernel.math.constant(0),
               isAlongRows ? block.columns : block.rows, 1, [&](Value run) {
                 TileOrigin start = origin;
                 Value &other = isAlongRows ? start.column : start.row;
                 other = kernel.math.add(other, run);
                 epilogue.create(start,
                                 isAlongRows ? block.rows : block.columns,
                                 /*loadSums=*/nullptr);
               });
  return success();
}
