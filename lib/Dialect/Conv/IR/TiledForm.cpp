//===- TiledForm.cpp - reading a tiled convolution -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the parts of a nest and checks what the main loops rely on. It does not
// check tile offsets: those were made by upstream tiling and are not read.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Value TiledConvolution::getInput() const { return Im2colOp(im2col).getInput(); }
int64_t TiledConvolution::getPixels() const {
  return shapeOf(scf::ForallOp(forall).getResult(0))[0];
}
int64_t TiledConvolution::getChannels() const {
  return shapeOf(scf::ForallOp(forall).getResult(0))[1];
}
int64_t TiledConvolution::getReduction() const {
  return shapeOf(filter)[reductionFirst ? 0 : 1];
}
Type TiledConvolution::getOperandType() const {
  return getElementTypeOrSelf(filter.getType());
}
Type TiledConvolution::getResultType() const {
  return getElementTypeOrSelf(scf::ForallOp(forall).getResult(0).getType());
}

Value mlir::conv::lookThroughReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// The value outside of `forall` that `tile` is a slice of.
static Value sourceOfTile(scf::ForallOp forall, Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (!slice || !forall->isProperAncestor(op))
      break;
    tile = slice.getSource();
  }
  return tile;
}

/// The only op of a kind inside of `forall`, or null.
template <typename OpTy> static OpTy findOnly(scf::ForallOp forall) {
  OpTy found;
  int64_t count = 0;
  forall.walk([&](OpTy op) {
    found = op;
    ++count;
  });
  return count == 1 ? found : OpTy();
}

static LogicalResult matchTail(TiledConvolution &form) {
  scf::ForallOp forall = form.forall;
  for (auto [input, map] : llvm::drop_begin(llvm::zip(
           form.tail.getInputs(), form.tail.getIndexingMapsArray()))) {
    bool perChannel = map.getNumResults() == 1;
    if (perChannel ? !map.isFunctionOfDim(1) : !map.isIdentity())
      return form.tail.emitOpError("expects operands of the result's shape or "
                                   "one element per channel, but got ")
             << AffineMapAttr::get(map);
    form.tailOperands.push_back({sourceOfTile(forall, input), perChannel});
  }
  // What the body captures is copied into the kernel.
  WalkResult captured = form.tail.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (op != form.tail &&
          operand.getParentRegion() != &form.tail.getRegion() &&
          !matchPattern(operand, m_Constant()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (captured.wasInterrupted())
    return form.tail.emitOpError("expects a tail that captures only constants");
  return success();
}

FailureOr<TiledConvolution> TiledConvolution::match(scf::ForallOp forall) {
  TiledConvolution form;
  form.forall = forall;
  form.schedule = forall->getAttrOfType<ScheduleAttr>(kScheduleName);
  if (!form.schedule)
    return forall.emitOpError("expects a ") << kScheduleName;
  if (forall.getNumResults() != 1 || forall.getRank() != 2 ||
      getConstantIntValues(forall.getMixedStep()) !=
          llvm::to_vector(form.schedule.getWorkgroup()))
    return forall.emitOpError("expects one result, tiled by [")
           << form.schedule.getWorkgroup() << "]";

  form.im2col = findOnly<Im2colOp>(forall);
  auto product = findOnly<linalg::MatmulOp>(forall);
  form.tail = findOnly<linalg::GenericOp>(forall);
  if (!form.im2col || !product || !form.tail)
    return forall.emitOpError(
        "expects one conv.im2col, one linalg.matmul and one linalg.generic");
  form.filter = sourceOfTile(forall, product.getInputs()[1]);
  form.reductionFirst = product.getIndexingMapsArray()[1].getResult(0) ==
                        getAffineDimExpr(2, forall.getContext());
  if (failed(matchTail(form)))
    return failure();
  return form;
}
