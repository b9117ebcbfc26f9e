//===- VerifyTiledForm.cpp - checks of a tiled nest -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are built from views, schedule and epilogue alone. Everything
// else in a nest must therefore follow from those: T1 to T8 of
// conv-verify-stage. T9, of several nests, is checked where a form is matched
// (TiledForm.cpp).
//
//===----------------------------------------------------------------------===//

#include "VerifyTiledForm.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

namespace {
/// One dimension of a tile: where a loop from 0 to `extent` in steps of `step`
/// is.
struct TileDimension {
  Value position;
  int64_t extent, step;
};
using TileDimensions = std::array<TileDimension, 3>;
} // namespace

/// Whether a tile has the size of a step, or what is left in the last one.
static bool hasTileSize(OpFoldResult size, const TileDimension &dimension) {
  auto [position, extent, step] = dimension;
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant == std::min(extent, step) &&
           (extent <= step || extent % step == 0);
  auto least = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
  if (!least || !llvm::equal(least.getOperands(), ValueRange(position)))
    return false;
  AffineMap map = least.getMap();
  AffineExpr at = map.getNumDims() == 1
                      ? getAffineDimExpr(0, map.getContext())
                      : getAffineSymbolExpr(0, map.getContext());
  AffineExpr rest = extent - at;
  AffineExpr whole = getAffineConstantExpr(step, map.getContext());
  return map.getNumResults() == 2 &&
         llvm::is_contained(map.getResults(), rest) &&
         llvm::is_contained(map.getResults(), whole);
}

/// T8: a tile that `op` reads or writes has the sizes that its loops give it.
static LogicalResult verifySizes(Operation *op, ArrayRef<OpFoldResult> sizes,
                                 const TileDimensions &tile) {
  for (auto [size, dimension] : llvm::zip_equal(sizes, tile)) {
    if (hasTileSize(size, dimension))
      continue;
    InFlightDiagnostic error = op->emitOpError("expects a tile of ")
                               << dimension.step << " of " << dimension.extent
                               << ", or of what is left of them";
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      error << ", but got " << *constant;
    return error;
  }
  return success();
}

/// T8 for a part of a tensor of the tile's type.
template <typename SliceOp>
static LogicalResult verifySlice(SliceOp slice, const TileDimensions &tile) {
  if (!slice.hasUnitStride())
    return slice.emitOpError("expects strides of 1");
  return verifySizes(slice, slice.getMixedSizes(), tile);
}

/// T3 and T8: a tile starts at the loops' current position and has their size.
static LogicalResult verifyGather(Value value, const TileDimensions &tile) {
  auto gather = value.getDefiningOp<GatherOp>();
  if (gather.getBatch() != tile[0].position ||
      gather.getRow() != tile[1].position ||
      gather.getColumn() != tile[2].position)
    return gather.emitOpError("expects to start where the loops around it are");
  return verifySizes(gather,
                     getMixedValues(gather.getType().getShape(),
                                    gather.getSizes(), gather.getContext()),
                     tile);
}

/// T3 and T8 for a tensor that is overwritten as a whole: if it is a part of
/// another, the loops say where.
static LogicalResult verifyDestination(Operation *op, Value destination,
                                       const TileDimensions &tile) {
  if (auto slice = destination.getDefiningOp<tensor::ExtractSliceOp>()) {
    SmallVector<OpFoldResult> positions = llvm::map_to_vector(
        tile, [](const TileDimension &dimension) -> OpFoldResult {
          return dimension.position;
        });
    if (slice.getMixedOffsets() != positions)
      return slice.emitOpError(
          "expects to start where the loops around it are");
    return verifySlice(slice, tile);
  }
  if (auto empty = destination.getDefiningOp<tensor::EmptyOp>())
    return verifySizes(empty, empty.getMixedSizes(), tile);
  auto type = cast<RankedTensorType>(destination.getType());
  if (!type.hasStaticShape())
    return op->emitOpError("expects to overwrite a slice or a tensor.empty");
  return verifySizes(
      op, getAsIndexOpFoldResult(op->getContext(), type.getShape()), tile);
}

/// T4: the sum starts with zeros.
static LogicalResult verifyInit(scf::ForOp loop, const TileDimensions &tile) {
  auto fill = loop.getInitArgs()[0].getDefiningOp<linalg::FillOp>();
  if (fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
               matchPattern(fill.getInputs()[0], m_Zero())))
    return verifyDestination(fill, fill.getOutputs()[0], tile);
  return loop.emitOpError("expects a sum that starts with a linalg.fill of 0");
}

/// T4: the loop steps through the whole reduction and carries one sum.
static LogicalResult verifyReduction(TiledConvolution &form, scf::ForOp loop,
                                     const TileDimensions &tile) {
  if (loop.getNumResults() != 1 || loop->getParentOp() != form.forall)
    return loop.emitOpError("expects to carry the sum of a tile");
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getUpperBound()) != form.getReduction() ||
      getConstantIntValue(loop.getStep()) != form.schedule.getGemmK())
    return loop.emitOpError("expects steps of ")
           << form.schedule.getGemmK() << " from 0 to " << form.getReduction();
  return verifyInit(loop, tile);
}

/// T5: the loop yields the product added to the carried sum. T8: a tile at the
/// border is the first part of the carried one.
static LogicalResult verifySum(linalg::BatchMatmulOp product, scf::ForOp loop,
                               const TileDimensions &tile) {
  Value carried = loop.getRegionIterArgs()[0];
  Value added = product.getOutputs()[0], yielded = loop.getYieldedValues()[0];
  if (auto slice = added.getDefiningOp<tensor::ExtractSliceOp>();
      slice && llvm::all_of(slice.getMixedOffsets(), isZeroInteger)) {
    if (failed(verifySlice(slice, tile)))
      return failure();
    added = slice.getSource();
  }
  if (auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
      insert && insert.getDest() == carried &&
      llvm::all_of(insert.getMixedOffsets(), isZeroInteger)) {
    if (failed(verifySlice(insert, tile)))
      return failure();
    yielded = insert.getSource();
  }
  if (yielded == product.getResult(0) && added == carried)
    return success();
  return product.emitOpError("expects to be added to the sum of the loop");
}

/// The dimensions of a tile of the result.
static TileDimensions getResultTile(TiledConvolution &form) {
  auto positions = form.forall.getInductionVars();
  auto [batch, rows, columns] = form.getTile();
  return {TileDimension{positions[0], form.getBatch(), batch},
          TileDimension{positions[1], form.getRows(), rows},
          TileDimension{positions[2], form.getColumns(), columns}};
}

/// T3 to T5 and T8 for the epilogue's first operand.
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
  TileDimensions tile = getResultTile(form);
  auto [batch, rows, columns] = tile;
  TileDimension reduction{loop.getInductionVar(), form.getReduction(),
                          form.schedule.getGemmK()};
  if (failed(verifyGather(product.getInputs()[0], {batch, rows, reduction})) ||
      failed(
          verifyGather(product.getInputs()[1], {batch, columns, reduction})) ||
      failed(verifyReduction(form, loop, tile)))
    return failure();
  return verifySum(product, loop, tile);
}

/// T3 and T8 for the epilogue's own operands. T6: it does not read its
/// destination.
static LogicalResult verifyEpilogue(TiledConvolution &form) {
  linalg::GenericOp epilogue = form.epilogue;
  TileDimensions tile = getResultTile(form);
  for (Value input : llvm::drop_begin(epilogue.getInputs(), form.hasProduct()))
    if (failed(verifyGather(input, tile)))
      return failure();
  for (Value output : epilogue.getOutputs())
    if (failed(verifyDestination(epilogue, output, tile)))
      return failure();
  if (epilogue.getNumLoops() != epilogue.getNumParallelLoops())
    return epilogue.emitOpError("expects parallel loops only");
  if (!llvm::all_of(epilogue.getRegionOutputArgs(),
                    [](BlockArgument old) { return old.use_empty(); }))
    return epilogue.emitOpError("expects not to read what it overwrites");
  return success();
}

/// T6 and T8: each tile of a result is the epilogue's, at the loops' position.
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
                 insert.getMixedOffsets() == loops;
    if (!isAtLoops)
      break;
    if (failed(verifySlice(insert, getResultTile(form))))
      return failure();
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
