//===- HostCacheLoop.cpp - a tile on one thread of the host -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each block of the reduction, both tiles are packed, and then multiplied
// one register tile at a time; the sums stay in the cache between blocks. A
// panel of the right operand is used for all rows before the next panel, so it
// stays in the innermost cache.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/TileScheduler.h"
#include "HostBody.h"
#include "HostPack.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class HostCacheLoop {
public:
  HostCacheLoop(Kernel &kernel, gpu::GPUFuncOp function)
      : kernel(kernel), math(kernel.math), b(kernel.b), code(kernel),
        function(function), rowLayout(HostRowLayout::get(kernel)),
        tileRows(llvm::alignTo(kernel.workgroupTile()[0], kernel.atom.n)),
        tileColumns(llvm::alignTo(kernel.workgroupTile()[1], kernel.atom.m)) {}

  void create();

private:
  int64_t rightElements() const { return tileColumns * kernel.gemmK(); }
  int64_t sumElements() const { return tileRows * tileColumns; }
  void createReduction();
  void createRegisterTile(Value row, Value column);
  SmallVector<Value> createStep(Value row, Value column, Value k,
                                ValueRange accumulators);
  Value sumOffset(Value row, Value column) const {
    return math.add(math.mul(row, tileColumns), column);
  }

  Kernel &kernel;
  const IndexMath &math;
  ImplicitLocOpBuilder &b;
  HostCode code;
  gpu::GPUFuncOp function;
  HostRowLayout rowLayout;
  int64_t tileRows, tileColumns; ///< Rounded up to register tiles.
  TileOrigin origin;
  HostBlock block;
  Value leftTile, rightTile, sums;
};
} // namespace

/// Adds the products of one reduction index to a register tile.
SmallVector<Value> HostCacheLoop::createStep(Value row, Value column, Value k,
                                             ValueRange accumulators) {
  int64_t m = kernel.atom.m;
  Value panel = math.mul(column, kernel.gemmK());
  Value right = code.load(rightTile, math.add(panel, math.mul(k, m)), m);
  SmallVector<Value> next;
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    Value left = math.add(math.mul(math.add(row, i), rowLayout.rowDistance),
                          math.mul(k, rowLayout.reductionDistance));
    next.push_back(code.multiplyAdd(code.loadRepeated(leftTile, left, m), right,
                                    accumulator));
  }
  return next;
}

/// Adds the products of the block to the sums of one register tile.
void HostCacheLoop::createRegisterTile(Value row, Value column) {
  SmallVector<Value> initial;
  for (int64_t i = 0; i < kernel.atom.n; ++i)
    initial.push_back(
        code.load(sums, sumOffset(math.add(row, i), column), kernel.atom.m));
  auto loop = scf::ForOp::create(
      b, math.constant(0), block.length, math.constant(1), initial,
      [&](OpBuilder &, Location, Value k, ValueRange accumulators) {
        scf::YieldOp::create(b, createStep(row, column, k, accumulators));
      });
  for (auto [i, sum] : llvm::enumerate(loop.getResults()))
    code.store(sum, sums, sumOffset(math.add(row, i), column));
}

void HostCacheLoop::createReduction() {
  Value zero = math.constant(0);
  int64_t reduction = kernel.form.getReduction();
  code.forEach(zero, math.constant(sumElements()), kernel.atom.m,
               [&](Value i) { code.storeZeros(kernel.atom.m, sums, i); });
  code.forEach(zero, math.constant(reduction), kernel.gemmK(), [&](Value k) {
    block.k = k;
    block.length = math.minimum(math.constant(kernel.gemmK()),
                                code.sub(math.constant(reduction), k));
    packHostRows(kernel, block, origin.row, leftTile);
    packHostPanels(kernel, block, origin.column, rightTile);
    code.forEach(zero, block.columns, kernel.atom.m, [&](Value column) {
      code.forEach(zero, block.rows, kernel.atom.n,
                   [&](Value row) { createRegisterTile(row, column); });
    });
  });
}

void HostCacheLoop::create() {
  leftTile = code.createScratch(function, 0, rowLayout.elements);
  rightTile = code.createScratch(function, 1, rightElements());
  sums = code.createScratch(function, 2, sumElements());
  origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  block = clipToResult(kernel, origin);
  createReduction();
  HostEpilogue epilogue(code, MatrixIndex::Column, kernel.form.getColumns());
  code.forEach(math.constant(0), block.rows, 1, [&](Value row) {
    epilogue.create({origin.batch, math.add(origin.row, row), origin.column},
                    block.columns, [&](Value first, int64_t elements) {
                      return code.load(sums, sumOffset(row, first), elements);
                    });
  });
}

LogicalResult mlir::conv::createHostCacheBody(Kernel &kernel,
                                              gpu::GPUFuncOp function) {
  HostCacheLoop(kernel, function).create();
  return success();
}
