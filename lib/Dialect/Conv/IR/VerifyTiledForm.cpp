//===- VerifyTiledForm.cpp - checks of a tiled nest -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are built from views, schedule and epilogue alone. Everything
// else in a nest must therefore follow from those: T1 to T7 of
// conv-verify-stage.
//
//===----------------------------------------------------------------------===//

#include "VerifyTiledForm.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

/// T1: the loops count all tiles of the result.
static LogicalResult verifyBounds(TiledConvolution &form) {
  scf::ForallOp forall = form.forall;
  auto type = cast<RankedTensorType>(forall.getResult(0).getType());
  SmallVector<int64_t> zeros(3, 0);
  if (getConstantIntValues(forall.getMixedLowerBound()) == zeros &&
      getConstantIntValues(forall.getMixedUpperBound()) ==
          llvm::to_vector(type.getShape()))
    return success();
  return forall.emitOpError("expects loops from 0 to the sizes of ") << type;
}

/// T2: a view has as many matrices, rows and columns as its place requires.
static LogicalResult verifyShape(TiledConvolution &form, ViewAttr view,
                                 std::array<int64_t, 3> shape) {
  if (llvm::equal(view.getShape(), shape))
    return success();
  scf::ForallOp forall = form.forall;
  return forall.emitOpError("expects a view of ")
         << ArrayRef(shape) << " elements, but got " << view.getShape();
}

static LogicalResult verifyShapes(TiledConvolution &form) {
  int64_t batch = form.getBatch(), rows = form.getRows(),
          columns = form.getColumns(), reduction = form.getReduction();
  if (form.hasProduct() &&
      (failed(verifyShape(form, form.lhs.view, {batch, rows, reduction})) ||
       failed(verifyShape(form, form.rhs.view, {batch, columns, reduction}))))
    return failure();
  for (ArrayRef<MatrixOperand> list :
       {ArrayRef(form.epilogueOperands), ArrayRef(form.otherResults)})
    for (const MatrixOperand &operand : list)
      if (failed(verifyShape(form, operand.view, {batch, rows, columns})))
        return failure();
  return success();
}

/// T7: a role names one index in both operands of a product and its result.
static LogicalResult verifyRoles(TiledConvolution &form) {
  ViewAttr lhs = form.lhs.view, rhs = form.rhs.view, result = form.result.view;
  for (auto [view, other] :
       {std::pair(lhs, rhs), std::pair(lhs, result), std::pair(rhs, result)})
    for (DigitRole role : view.getRoles())
      if (other.find(role) && view.getSize(role) != other.getSize(role)) {
        scf::ForallOp forall = form.forall;
        return forall.emitOpError("expects one size of the digits ")
               << role.str() << ", but got " << view.getSize(role) << " and "
               << other.getSize(role);
      }
  return success();
}

/// T3: a tile starts at the loops' current position.
static LogicalResult verifyStart(Value tile, std::array<Value, 3> start) {
  auto gather = tile.getDefiningOp<GatherOp>();
  if (gather.getBatch() == start[0] && gather.getRow() == start[1] &&
      gather.getColumn() == start[2])
    return success();
  return gather.emitOpError("expects to start where the loops around it are");
}

/// The tensor whose first part is `value`: a tile at the border has fewer rows
/// or columns.
static Value lookThroughPart(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  bool isFirst = slice && slice.hasUnitStride() &&
                 llvm::all_of(slice.getMixedOffsets(), isZeroInteger);
  return isFirst ? slice.getSource() : value;
}

/// T4: the sum starts with zeros.
static LogicalResult verifyInit(scf::ForOp loop) {
  auto fill = loop.getInitArgs()[0].getDefiningOp<linalg::FillOp>();
  if (fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
               matchPattern(fill.getInputs()[0], m_Zero())))
    return success();
  return loop.emitOpError("expects a sum that starts with a linalg.fill of 0");
}

/// T4: the loop steps through the whole reduction and carries one sum.
static LogicalResult verifyReduction(TiledConvolution &form, scf::ForOp loop) {
  if (loop.getNumResults() != 1 || loop->getParentOp() != form.forall)
    return loop.emitOpError("expects to carry the sum of a tile");
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getUpperBound()) != form.getReduction() ||
      getConstantIntValue(loop.getStep()) != form.schedule.getGemmK())
    return loop.emitOpError("expects steps of ")
           << form.schedule.getGemmK() << " from 0 to " << form.getReduction();
  return verifyInit(loop);
}

/// T5: the loop yields the product added to the carried sum.
static LogicalResult verifySum(linalg::BatchMatmulOp product, scf::ForOp loop) {
  Value carried = loop.getRegionIterArgs()[0];
  Value yielded = loop.getYieldedValues()[0];
  if (auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
      insert && insert.getDest() == carried && insert.hasUnitStride() &&
      llvm::all_of(insert.getMixedOffsets(), isZeroInteger))
    yielded = insert.getSource();
  if (yielded == product.getResult(0) &&
      lookThroughPart(product.getOutputs()[0]) == carried)
    return success();
  return product.emitOpError("expects to be added to the sum of the loop");
}

/// T3 to T5 for the epilogue's first operand.
static LogicalResult verifyProduct(TiledConvolution &form) {
  auto loop = form.epilogue.getInputs()[0].getDefiningOp<scf::ForOp>();
  if (!loop)
    return form.epilogue.emitOpError("expects the sum of a loop as its first "
                                     "operand");
  auto products = loop.getOps<linalg::BatchMatmulOp>();
  if (products.empty())
    return loop.emitOpError("expects a linalg.batch_matmul");
  linalg::BatchMatmulOp product = *products.begin();
  MLIRContext *context = product.getContext();
  auto map = [&](unsigned row, unsigned column) {
    return AffineMap::getMultiDimMapWithTargets(4, {0, row, column}, context);
  };
  if (product.getIndexingMapsArray() !=
      SmallVector<AffineMap>{map(1, 3), map(2, 3), map(1, 2)})
    return product.emitOpError("expects lhs * transpose(rhs)");
  auto loops = form.forall.getInductionVars();
  Value k = loop.getInductionVar();
  if (failed(verifyStart(product.getInputs()[0], {loops[0], loops[1], k})) ||
      failed(verifyStart(product.getInputs()[1], {loops[0], loops[2], k})) ||
      failed(verifyReduction(form, loop)))
    return failure();
  return verifySum(product, loop);
}

/// T3 for the epilogue's own operands. T6: it does not read its
/// destination.
static LogicalResult verifyEpilogue(TiledConvolution &form) {
  linalg::GenericOp epilogue = form.epilogue;
  auto loops = form.forall.getInductionVars();
  for (Value input : llvm::drop_begin(epilogue.getInputs(), form.hasProduct()))
    if (failed(verifyStart(input, {loops[0], loops[1], loops[2]})))
      return failure();
  if (epilogue.getNumLoops() != epilogue.getNumParallelLoops())
    return epilogue.emitOpError("expects parallel loops only");
  if (!llvm::all_of(epilogue.getRegionOutputArgs(),
                    [](BlockArgument old) { return old.use_empty(); }))
    return epilogue.emitOpError("expects not to read what it overwrites");
  return success();
}

/// T6: each tile of a result is the epilogue's, at the loops' position.
static LogicalResult verifyInsertions(TiledConvolution &form) {
  scf::ForallOp forall = form.forall;
  SmallVector<OpFoldResult> loops =
      getAsOpFoldResult(forall.getInductionVars());
  // The tensors that the forall inserts into its results.
  SmallVector<Value> inserted(forall.getNumResults());
  auto inserts = forall.getTerminator().getYieldingOps();
  bool isAtLoops = llvm::range_size(inserts) == inserted.size();
  for (Operation &op : inserts) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    auto place = insert
                     ? llvm::find(forall.getRegionIterArgs(), insert.getDest())
                     : forall.getRegionIterArgs().end();
    isAtLoops &= place != forall.getRegionIterArgs().end() &&
                 insert.getMixedOffsets() == loops && insert.hasUnitStride();
    if (!isAtLoops)
      break;
    inserted[place - forall.getRegionIterArgs().begin()] = insert.getSource();
  }
  if (isAtLoops && llvm::equal(inserted, form.epilogue->getResults()))
    return success();
  return forall.emitOpError("expects to insert the result of its "
                            "linalg.generic where the loops are");
}

LogicalResult mlir::conv::verifyTiledForm(TiledConvolution &form) {
  if (failed(verifyBounds(form)) || failed(verifyShapes(form)) ||
      (form.hasProduct() &&
       (failed(verifyRoles(form)) || failed(verifyProduct(form)))) ||
      failed(verifyEpilogue(form)))
    return failure();
  return verifyInsertions(form);
}
