//===- TiledForm.cpp - reading a tiled convolution --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the parts of a nest and checks what the main loops rely on.
// VerifyTiledForm.cpp checks the rest of the nest.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "VerifyTiledForm.h"
#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::conv;

Value mlir::conv::lookThroughReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

SmallVector<int64_t> mlir::conv::getStrides(Value tensor) {
  Attribute strides;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      strides = function.getArgAttr(argument.getArgNumber(),
                                    ConvDialect::kStridesAttr);
  // A tensor that a scatter fills goes to the next scatter, or is returned.
  for (Value value = tensor; value;) {
    Value next;
    for (OpOperand &use : value.getUses()) {
      if (auto scatter = dyn_cast<ScatterOp>(use.getOwner()))
        next = scatter.getResult();
      else if (auto function =
                   dyn_cast<FunctionOpInterface>(use.getOwner()->getParentOp());
               function && use.getOwner()->hasTrait<OpTrait::ReturnLike>())
        strides = function.getResultAttr(use.getOperandNumber(),
                                         ConvDialect::kStridesAttr);
    }
    value = next;
  }
  return getArgumentStrides(strides, tensor.getType());
}

std::array<int64_t, 3> mlir::conv::getTile(Attribute schedule, bool isProduct,
                                           int64_t columns) {
  if (auto transform = dyn_cast<TransformScheduleAttr>(schedule))
    return {1, transform.getTile()[0], transform.getTile()[1]};
  return cast<ScheduleAttr>(schedule).getTile(isProduct, columns);
}

/// The only op of a type in the nest, or null.
template <typename OpTy> static OpTy findOnly(scf::ForallOp forall) {
  OpTy found;
  int64_t count = 0;
  forall.walk([&](OpTy op) {
    found = op;
    ++count;
  });
  return count == 1 ? found : OpTy();
}

/// The operand that a tile is gathered from.
static FailureOr<MatrixOperand> matchOperand(scf::ForallOp forall, Value tile) {
  auto gather = tile.getDefiningOp<GatherOp>();
  if (!gather || !forall->isProperAncestor(gather))
    return forall.emitOpError("expects operands that are tiles of a "
                              "conv.gather");
  return MatrixOperand{gather.getSource(), gather.getView(),
                       getStrides(gather.getSource())};
}

static LogicalResult matchProduct(TiledConvolution &form,
                                  linalg::BatchMatmulOp product) {
  for (auto [operand, tile] :
       llvm::zip(std::array{&form.lhs, &form.rhs}, product.getInputs())) {
    FailureOr<MatrixOperand> matched = matchOperand(form.forall, tile);
    if (failed(matched))
      return failure();
    *operand = *matched;
  }
  return success();
}

static LogicalResult matchEpilogue(TiledConvolution &form) {
  for (AffineMap map : form.epilogue.getIndexingMapsArray())
    if (!map.isIdentity())
      return form.epilogue.emitOpError(
                 "expects operands of the result's shape, "
                 "but got ")
             << AffineMapAttr::get(map);
  for (Value input :
       llvm::drop_begin(form.epilogue.getInputs(), form.hasProduct())) {
    FailureOr<MatrixOperand> operand = matchOperand(form.forall, input);
    if (failed(operand))
      return failure();
    form.epilogueOperands.push_back(*operand);
  }
  // Values that the body captures are copied into the kernel.
  WalkResult captured = form.epilogue.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (op != form.epilogue &&
          operand.getParentRegion() != &form.epilogue.getRegion() &&
          !matchPattern(operand, m_Constant()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (captured.wasInterrupted())
    return form.epilogue.emitOpError(
        "expects an epilogue that captures only constants");
  return success();
}

SmallVector<MatrixOperand> TiledConvolution::getResults() const {
  SmallVector<MatrixOperand> results = {result};
  llvm::append_range(results, otherResults);
  return results;
}

SmallVector<MatrixOperand> TiledConvolution::getOperands() const {
  SmallVector<MatrixOperand> operands;
  if (hasProduct())
    operands = {lhs, rhs};
  llvm::append_range(operands, epilogueOperands);
  return operands;
}

const MatrixOperand &TiledConvolution::getTensor(size_t number) const {
  if (hasProduct() && number < 2)
    return number == 0 ? lhs : rhs;
  size_t inEpilogue = number - (hasProduct() ? 2 : 0);
  return inEpilogue < epilogueOperands.size() ? epilogueOperands[inEpilogue]
                                              : result;
}

/// Reads the views through which one scatter stores all results.
static LogicalResult matchResults(TiledConvolution &form) {
  scf::ForallOp forall = form.forall;
  SmallVector<MatrixOperand> results;
  for (OpResult result : forall.getResults()) {
    auto scatter = result.hasOneUse()
                       ? dyn_cast<ScatterOp>(*result.user_begin())
                       : ScatterOp();
    if (!scatter || (form.scatter && scatter != form.scatter) ||
        !llvm::is_contained(scatter.getMatrices(), result))
      return forall.emitOpError(
          "expects a result that only a conv.scatter stores");
    form.scatter = scatter;
    size_t index = llvm::find(scatter.getMatrices(), result) -
                   scatter.getMatrices().begin();
    results.push_back({scatter.getResult(), scatter.getView(index),
                       getStrides(scatter.getResult())});
  }
  // T9: the products that a scatter stores are one kernel. Copies of parts of a
  // tensor have schedules of their own.
  Attribute schedule = forall->getAttr(kScheduleName);
  for (Value matrices : form.scatter.getMatrices())
    if (auto other = matrices.getDefiningOp<scf::ForallOp>()) {
      Attribute otherSchedule = other->getAttr(kScheduleName);
      if (otherSchedule != schedule &&
          (isa_and_nonnull<ScheduleAttr>(schedule) ||
           isa_and_nonnull<ScheduleAttr>(otherSchedule)))
        return other.emitOpError("expects the schedule of the other "
                                 "subproblems of its kernel");
    }
  form.launch =
      form.scatter->getAttrOfType<LaunchAttr>(ConvDialect::kLaunchAttr);
  form.result = results.front();
  form.otherResults.assign(results.begin() + 1, results.end());
  return success();
}

FailureOr<TiledConvolution> TiledConvolution::match(scf::ForallOp forall) {
  TiledConvolution form;
  form.forall = forall;
  form.schedule = forall->getAttrOfType<ScheduleAttr>(kScheduleName);
  form.transformSchedule =
      forall->getAttrOfType<TransformScheduleAttr>(kScheduleName);
  if (!form.getAnySchedule())
    return forall.emitOpError("expects a ") << kScheduleName;
  if (forall.getNumResults() == 0)
    return forall.emitOpError("expects a result, a batch of matrices");
  auto type = dyn_cast<RankedTensorType>(forall.getResult(0).getType());
  if (!type || type.getRank() != 3 || !type.hasStaticShape())
    return forall.emitOpError("expects results that are batches of matrices");
  auto product = findOnly<linalg::BatchMatmulOp>(forall);
  if (product && form.transformSchedule)
    return forall.emitOpError("expects a transform without a product");
  if (form.schedule && forall.getNumResults() > 1)
    return forall.emitOpError("expects one result, but got ")
           << forall.getNumResults();
  std::array<int64_t, 3> tile = conv::getTile(
      form.getAnySchedule(), product != nullptr, type.getDimSize(2));
  if (getConstantIntValues(forall.getMixedStep()) != llvm::to_vector(tile))
    return forall.emitOpError("expects one result, tiled by [")
           << ArrayRef(tile) << "]";
  if (failed(matchResults(form)))
    return failure();

  form.epilogue = findOnly<linalg::GenericOp>(forall);
  if (!form.epilogue)
    return forall.emitOpError("expects one linalg.generic");
  if (product && failed(matchProduct(form, product)))
    return failure();
  if (failed(matchEpilogue(form)) || failed(verifyTiledForm(form)))
    return failure();
  return form;
}
