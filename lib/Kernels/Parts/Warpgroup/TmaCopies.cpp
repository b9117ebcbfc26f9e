//===- TmaCopies.cpp - copies of a step of the reduction ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine writes zeros for padding and after the last row and the last
// channel; no lane computes the address of an element. Each kind of copies has
// a file of its own: windows with a filter, gradients of filters, and plain
// matrices.
//
//===----------------------------------------------------------------------===//

#include "TmaCopies.h"

#include "TmaPositions.h"

using namespace mlir;
using namespace mlir::conv;

void TmaCopies::createHaloTiles(TileOrigin, const HaloTiles &, Value) const {
  llvm_unreachable("only copies of halo tiles share them");
}

SmallVector<Value> mlir::conv::createCorner(const PtxBuilder &ptx,
                                            const TmaWindow &window,
                                            Value position) {
  SmallVector<Value> digits = createPosition(ptx.math, window.getPositions(),
                                             window.haloTile, position);
  SmallVector<Value> corner;
  for (size_t i = window.rank(); i-- > 0;) {
    const TmaWindow::Dimension &d = window.dimensions[i];
    corner.push_back(
        ptx.math.sub(ptx.math.mul(digits[1 + i], d.stride), d.low));
  }
  corner.push_back(digits[0]);
  return corner;
}

SmallVector<Value> mlir::conv::createResultCorner(const PtxBuilder &ptx,
                                                  const TmaResult &form,
                                                  TileOrigin origin) {
  SmallVector<Value> corner = {origin.column};
  if (form.form == TmaResult::Form::Matrix)
    corner.push_back(origin.row);
  else
    llvm::append_range(corner, createCorner(ptx, form.window, origin.row));
  if (form.groups == 1)
    return corner;
  if (form.clipsGroups())
    corner.push_back(origin.batch);
  else
    corner.front() =
        ptx.math.add(origin.column, ptx.math.mul(origin.batch, form.columns));
  return corner;
}

Value TmaCopies::createSlice(TileOrigin origin) const {
  return ptx.math.div(origin.batch, geometry.window.groups);
}

Value TmaCopies::createGroup(TileOrigin origin) const {
  return ptx.math.rem(origin.batch, geometry.window.groups);
}

Value TmaCopies::createInTensor(TileOrigin origin, Value inGroup,
                                int64_t ofGroup) const {
  if (!geometry.window.hasGroups())
    return inGroup;
  return ptx.math.add(inGroup, ptx.math.mul(createGroup(origin), ofGroup));
}

void TmaCopies::addGroup(SmallVectorImpl<Value> &coordinates,
                         TileOrigin origin) const {
  if (geometry.window.groups > 1)
    coordinates.push_back(createGroup(origin));
}

void TmaCopies::createKept(const Kept &kept,
                           function_ref<void(Value, Value)> copy) const {
  ptx.createIf(kept.isNeeded, [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        ptx.b, /*res=*/Type(), kept.barrier,
        ptx.math.constant(kept.tile.stepBytes()), NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, /*predicate=*/Value());
    copy(kept.memory, kept.barrier);
  });
}

void TmaCopies::createLeft(const Step &step,
                           function_ref<void(Value, Value)> copy) const {
  if (step.kept && step.kept->tile.keepsLeft())
    return createKept(*step.kept, copy);
  copy(step.stage, step.barrier);
}

void TmaCopies::createRight(const Step &step,
                            function_ref<void(Value, Value)> copy) const {
  if (step.kept && step.kept->tile.keepsRight())
    return createKept(*step.kept, copy);
  int64_t offset =
      step.kept ? step.kept->tile.rightOffset() : tile.rightOffset();
  copy(ptx.offset(step.stage, offset), step.barrier);
}

SmallVector<Value> TmaCopies::createOffsets(Value tap) const {
  SmallVector<Value> offsets;
  for (Value offset :
       llvm::reverse(createTapOffsets(ptx.math, geometry.window, tap)))
    offsets.push_back(ptx.truncate16(offset));
  return offsets;
}

std::unique_ptr<TmaCopies>
mlir::conv::createTmaCopies(const PtxBuilder &ptx, const TmaGeometry &geometry,
                            const ::conv::WarpgroupTile &tile) {
  if (geometry.hasMatrices())
    return createMatrixCopies(ptx, geometry, tile);
  return geometry.reducesPositions ? createGradientCopies(ptx, geometry, tile)
                                   : createFilterCopies(ptx, geometry, tile);
}
