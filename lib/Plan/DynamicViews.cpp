//===- DynamicViews.cpp - views of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of a block are digits of a row. Each gather and scatter has one
// position of all blocks, as a matrix.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/DynamicViews.h"

using namespace mlir;
using namespace mlir::conv;

DynamicViews::DynamicViews(DynamicOpInterface op, const DynamicBlocks &blocks)
    : shape(op.getShape()), order(op.getOrder()), direction(op.getDirection()),
      hasState(op.getInitialState() != nullptr),
      hasOneKernel(op.hasOneKernel()), blocks(blocks) {
  AffineExpr matrix;
  bindDims(op.getContext(), matrix, sequence, block, group, member);
}

ViewAttr DynamicViews::createView(ArrayRef<AffineExpr> coordinates) const {
  MLIRContext *context = sequence.getContext();
  int64_t members =
      direction == Direction::BackwardWeight ? 1 : shape.perGroup();
  return ViewAttr::get(
      context, {1}, {shape.b, blocks.countBlocks(shape.t)}, {shape.g, members},
      AffineMap::get(5, 0, coordinates, context), {}, PaddingMode::Zeros);
}

ViewAttr DynamicViews::getToken(int64_t position, int64_t channel) const {
  return createView({sequence, block * blocks.positions + position,
                     group * shape.perGroup() + member + channel});
}

ViewAttr DynamicViews::getKernel(int64_t position, int64_t tap) const {
  AffineExpr zero = getAffineConstantExpr(0, sequence.getContext());
  AffineExpr first = hasOneKernel ? zero : sequence;
  AffineExpr token = hasOneKernel ? zero : block * blocks.positions + position;
  AffineExpr taps = zero + tap;
  if (order == KernelOrder::BTGW)
    return createView({first, token, group, taps});
  return createView({first, token, taps, group});
}

SmallVector<ViewAttr> DynamicViews::getTaps(int64_t position) const {
  SmallVector<ViewAttr> taps;
  for (int64_t tap = 0; tap < shape.w; ++tap)
    taps.push_back(getKernel(position, tap));
  return taps;
}

ViewAttr DynamicViews::getState(int64_t position, int64_t channel) const {
  if (!hasState || position >= 0)
    return nullptr;
  return createView({sequence,
                     block * blocks.positions + position + (shape.w - 1),
                     group * shape.perGroup() + member + channel});
}

DynamicSum DynamicViews::getForwardSum(int64_t position) const {
  DynamicSum sum{position, getToken(position), {}};
  for (int64_t tap = 0; tap < shape.w; ++tap) {
    int64_t distance = (shape.w - 1) - tap;
    int64_t from = position - distance;
    sum.factors.push_back(
        {getToken(from), getKernel(position, tap), getState(from), distance});
  }
  return sum;
}

DynamicSum DynamicViews::getInputSum(int64_t position) const {
  DynamicSum sum{position, getToken(position), {}};
  for (int64_t tap = 0; tap < shape.w; ++tap) {
    int64_t distance = (shape.w - 1) - tap;
    int64_t from = position + distance;
    sum.factors.push_back({getToken(from), getKernel(from, tap),
                           /*state=*/nullptr, distance});
  }
  return sum;
}

DynamicSum DynamicViews::getKernelSum(int64_t position, int64_t tap) const {
  DynamicSum sum{position, getKernel(position, tap), {}};
  int64_t distance = (shape.w - 1) - tap;
  for (int64_t channel = 0; channel < shape.perGroup(); ++channel)
    sum.factors.push_back({getToken(position - distance, channel),
                           getToken(position, channel),
                           getState(position - distance, channel), distance});
  return sum;
}

SmallVector<DynamicSum> DynamicViews::getSums() const {
  SmallVector<DynamicSum> sums;
  for (int64_t position = 0; position < blocks.positions; ++position)
    switch (direction) {
    case Direction::Forward:
      sums.push_back(getForwardSum(position));
      break;
    case Direction::BackwardData:
      sums.push_back(getInputSum(position));
      break;
    case Direction::BackwardWeight:
      for (int64_t tap = 0; tap < shape.w; ++tap)
        sums.push_back(getKernelSum(position, tap));
      break;
    }
  // A stream takes the gradient of the input from the end on, so that the
  // products of a sum arrive in its order and no kernel is held.
  if (isStream() && direction == Direction::BackwardData)
    std::reverse(sums.begin(), sums.end());
  return sums;
}

ViewAttr DynamicViews::getVector() const {
  return createView({group * shape.perGroup() + member});
}

ViewAttr DynamicViews::getPosition(int64_t position) const {
  return createView({block * blocks.positions + position});
}

ViewAttr DynamicViews::getWritten(ViewAttr view) const {
  if (shape.t == blocks.countBlocks(shape.t) * blocks.positions)
    return view;
  AffineMap map = view.getMap();
  SmallVector<AffineExpr> results = llvm::to_vector(map.getResults());
  constexpr unsigned kToken = 1;
  results.push_back(results[kToken]);
  return ViewAttr::get(
      view.getContext(), view.getBatch(), view.getRows(), view.getColumns(),
      AffineMap::get(map.getNumDims(), 0, results, view.getContext()),
      {shape.t}, view.getPadding());
}
