//===- StagedBody.cpp - puts the parts of a staged kernel together --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that puts together scheduler, copies, matrix unit, main loop
// and epilogue of a kernel whose tiles are staged in shared memory.
//
//===----------------------------------------------------------------------===//

#include "StagedBody.h"
#include "../Parts/SharedMemory.h"
#include "../Parts/TileScheduler.h"
#include "Epilogue.h"
#include "MainLoop.h"

using namespace mlir;
using namespace mlir::conv;

using MainLoopBuilder = SmallVector<Value>(const Kernel &,
                                           const MainLoopParts &);

/// Steps overlap where matrix instructions do not use the other units. WMMA
/// uses the vector unit, so more waves with fewer registers overlap instead.
static MainLoopBuilder *lookupLoop(const Kernel &kernel) {
  if (cast<StagedGemmAttr>(kernel.form.schedule.getKernel()).isAsync())
    return kernel.chip.getLaneCopies() ? createLaneCopyLoop
                                       : createAsyncStagedLoop;
  return kernel.atom.kind == ::conv::AtomKind::MFMA
             ? createRegisterPipelinedLoop
             : createRegisterStagedLoop;
}

LogicalResult mlir::conv::createStagedBody(Kernel &kernel,
                                           gpu::GPUFuncOp function) {
  std::unique_ptr<TileScheduler> scheduler = createGridScheduler(kernel.form);
  TileOrigin origin = scheduler->createOrigin(kernel);

  auto createTile = [&](const MatrixOperand &operand, int64_t rows) {
    return SharedTile(kernel, rows, operand.getElementType(),
                      OperandCopy::getTileOrder(kernel, operand));
  };
  SharedTile leftTile = createTile(kernel.form.lhs, kernel.workgroupTile()[0]);
  SharedTile rightTile = createTile(kernel.form.rhs, kernel.workgroupTile()[1]);
  SmallVector<Value> buffers = allocateShared(
      kernel, function, {leftTile.getType(), rightTile.getType()});
  leftTile.setBuffer(buffers[0]);
  rightTile.setBuffer(buffers[1]);

  MatrixUnit matrix(kernel, leftTile, rightTile);
  OperandCopy lhs(kernel, leftTile,
                  {kernel.form.lhs, kernel.arguments[0], origin.batch,
                   origin.row, [](Value row) { return row; },
                   leftTile.getRows()});
  OperandCopy rhs(
      kernel, rightTile,
      {kernel.form.rhs, kernel.arguments[1], origin.batch, origin.column,
       [&](Value row) {
         // With that order, transposing reads select the columns.
         bool isInOrder = rightTile.getOrder() == TileOrder::AlongRows;
         return isInOrder ? row : matrix.columnOfRow(row);
       },
       matrix.columnRun()});
  if (!lhs.isComplete() || !rhs.isComplete())
    return scf::ForallOp(kernel.form.forall).emitOpError()
           << "expects operands of which copies bring " << ::conv::kPieceBytes
           << " bytes for async_staged";
  SmallVector<Value> sums = lookupLoop(kernel)(kernel, {lhs, rhs, matrix});
  createRegisterEpilogue(kernel, matrix, origin, sums);
  return success();
}
