//===- ElementwiseLoops.cpp - element-wise loops ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseLoops.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

/// True if an epilogue can hold `op`: an arith or math op on scalars.
static bool isScalarOp(Operation &op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op.getDialect()) &&
         op.getNumRegions() == 0 &&
         llvm::all_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrFloat(); });
}

bool mlir::conv::isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  return type.hasStaticShape() && type.getElementType().isIntOrIndexOrFloat() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op.getBody()->without_terminator(), isScalarOp);
}

bool mlir::conv::comesFromConvolution(Operation *op) {
  SmallVector<Operation *> worklist = {op};
  DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (isa<ConvolutionOpInterface>(next))
      return true;
    auto generic = dyn_cast<linalg::GenericOp>(next);
    bool isFollowed = (generic && isElementwise(generic)) ||
                      isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(next);
    if (!isFollowed || !seen.insert(next).second)
      continue;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        worklist.push_back(source);
  }
  return false;
}
