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
#include "StagedTiles.h"

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

  StagedTiles tiles(kernel);
  SmallVector<Value> buffers = allocateShared(
      kernel, function, {tiles.leftTile.getType(), tiles.rightTile.getType()});
  tiles.leftTile.setBuffer(buffers[0]);
  tiles.rightTile.setBuffer(buffers[1]);

  auto isInOrder = [](Value row) { return row; };
  OperandCopy lhs(kernel, tiles.leftTile,
                  {tiles.left, kernel.getRows(), kernel.arguments[0],
                   origin.batch, origin.row, isInOrder,
                   tiles.leftTile.getRows(), isInOrder});
  OperandCopy rhs(
      kernel, tiles.rightTile,
      {tiles.right, kernel.form.getColumns(), kernel.arguments[1], origin.batch,
       origin.column,
       [&](Value row) {
         // With that order, transposing reads select the columns.
         bool isInOrder = tiles.rightTile.getOrder() == TileOrder::AlongRows;
         return isInOrder ? row : tiles.matrix.columnOfRow(row);
       },
       tiles.matrix.columnRun(),
       [&](Value column) { return tiles.matrix.rowOfColumn(column); }});
  if (!lhs.isComplete() || !rhs.isComplete())
    return scf::ForallOp(kernel.form.forall).emitOpError()
           << "expects operands of which copies bring " << ::conv::kVectorBytes
           << " bytes for async_staged";
  SmallVector<Value> sums =
      lookupLoop(kernel)(kernel, {lhs, rhs, tiles.matrix});
  createRegisterEpilogue(kernel, tiles.matrix, origin, sums);
  return success();
}
