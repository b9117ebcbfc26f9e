//===- Col2im.cpp - sums of terms that windows write ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unfolded result has a term for each element of each window. The terms of
// one element are a block of a `conv.block_transform`, whose matrices add them.
// If windows of a gradient move by more than 1, neighbouring elements have the
// terms of other taps, so that they are places of one block.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/Im2col.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// The most taps of a block in a dimension, which is the most columns of a
/// matrix, and in all of them, since each is loaded by a load of its own.
static constexpr int64_t kMaxSide = 8, kMaxBlock = 64;

namespace {
/// Element `step * i + phase` of the result has a term of tap `step * j + phase
/// - shift` in window `scale * i + offset - distance * j`, for each of `terms`
/// numbers j.
struct FoldedDimension {
  int64_t size, taps, step, shift, scale, offset, distance, terms;
};
} // namespace

static FoldedDimension getDimension(ConvolutionOpInterface op, int64_t d) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t taps = shape.filter[d], stride = shape.strides[d];
  int64_t low = shape.low[d], dilation = shape.dilations[d];
  if (op.getDirection() == Direction::Forward)
    return {shape.output[d], taps, 1, 0, stride, -low, -dilation, taps};
  int64_t offset = llvm::divideCeilSigned(low, stride);
  int64_t shift = stride * offset - low;
  return {shape.input[d],
          taps,
          stride,
          shift,
          1,
          offset,
          dilation,
          (taps - 1 + shift) / stride + 1};
}

std::string Im2col::findFoldObstacle() const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t block = 1;
  for (int64_t d = getFirst(); d < shape.getRank(); ++d) {
    FoldedDimension folded = getDimension(op, d);
    if (folded.step > 1 && folded.distance > 1)
      return formatv("expects a window with a stride or a dilation of 1 for "
                     "im2col of a gradient of the input, but got {0} and {1}",
                     folded.step, folded.distance);
    if (std::max(folded.terms, folded.step) > kMaxSide)
      return formatv("expects at most {0} terms of a dimension, and strides of "
                     "at most {0}, for im2col of a result, but got {1} and {2}",
                     kMaxSide, folded.terms, folded.step);
    block *= folded.terms * folded.step;
  }
  if (block > kMaxBlock)
    return formatv("expects blocks of at most {0} terms for im2col of a "
                   "result, but got {1}",
                   kMaxBlock, block);
  return "";
}

int64_t Im2col::countTerms() const {
  int64_t terms = 1;
  for (int64_t d = getFirst(); d < ConvolutionShape::get(op).getRank(); ++d)
    terms *= getDimension(op, d).terms;
  return terms;
}

/// The matrices that add the terms of a dimension and keep its phases apart.
static void addMatrices(OpBuilder &builder, const FoldedDimension &dimension,
                        SmallVectorImpl<Attribute> &matrices) {
  auto add = [&](int64_t rows, int64_t columns, ArrayRef<float> values) {
    matrices.push_back(DenseElementsAttr::get(
        RankedTensorType::get({rows, columns}, builder.getF32Type()), values));
  };
  add(1, dimension.terms, SmallVector<float>(dimension.terms, 1));
  int64_t phases = dimension.step;
  SmallVector<float> unit(phases * phases, 0);
  for (int64_t phase = 0; phase < phases; ++phase)
    unit[phase * phases + phase] = 1;
  add(phases, phases, unit);
}

Value Im2col::createFolded(OpBuilder &builder, Value unfolded,
                           StringRef from) const {
  ConvolutionOpInterface op = this->op;
  ConvolutionShape shape = ConvolutionShape::get(op);
  MLIRContext *context = op->getContext();
  StringRef order = op.getOrder(role);
  SmallVector<int64_t> terms, places, rows, columns, limits, sizes;
  SmallVector<AffineExpr> conditions, bounds;
  SmallVector<Attribute> matrices;
  Places source, result;
  unsigned count = 2 * dims; // Two digits of a block for each dimension.
  // Rows are in the order of the result; channels are columns.
  for (char letter : order) {
    if (isChannel(letter))
      continue;
    int64_t size = op.getResultType().getDimSize(order.find(letter));
    AffineExpr digit = getAffineDimExpr(count++, context);
    source[letter] = result[letter] = digit;
    std::optional<int64_t> d = findUnfolded(letter);
    rows.push_back(d ? llvm::divideCeil(size, getDimension(op, *d).step)
                     : size);
  }
  AffineExpr ownChannel = getAffineDimExpr(count++, context);
  columns.push_back(op.getResultType().getDimSize(order.find(channel)));
  result[channel] = ownChannel;
  AffineExpr tap = getAffineConstantExpr(0, context);
  for (char letter : order) {
    std::optional<int64_t> d = findUnfolded(letter);
    if (!d)
      continue;
    FoldedDimension folded = getDimension(op, *d);
    AffineExpr term = getAffineDimExpr(2 * (*d - getFirst()), context);
    AffineExpr phase = getAffineDimExpr(2 * (*d - getFirst()) + 1, context);
    AffineExpr own = term * folded.step + phase - folded.shift;
    AffineExpr place = source[letter];
    source[letter] =
        place * folded.scale + folded.offset - term * folded.distance;
    result[letter] = place * folded.step + phase;
    if (folded.step > 1) {
      conditions.push_back(own);
      limits.push_back(folded.taps);
    }
    if (folded.size % folded.step != 0) {
      bounds.push_back(result[letter]);
      sizes.push_back(folded.size);
    }
  }
  for (int64_t d = getFirst(); d < shape.getRank(); ++d) {
    FoldedDimension folded = getDimension(op, d);
    AffineExpr own =
        getAffineDimExpr(2 * (d - getFirst()), context) * folded.step +
        getAffineDimExpr(2 * (d - getFirst()) + 1, context) - folded.shift;
    tap = tap * folded.taps + own;
    llvm::append_values(terms, folded.terms, folded.step);
    llvm::append_values(places, int64_t(1), folded.step);
    addMatrices(builder, folded, matrices);
  }
  source[channel] = tap * columns.front() + ownChannel;
  auto createView = [&](ArrayRef<int64_t> block, StringRef letters,
                        const Places &at, ArrayRef<AffineExpr> others,
                        ArrayRef<int64_t> most) {
    SmallVector<AffineExpr> coordinates = llvm::map_to_vector(
        letters, [&](char letter) { return at.lookup(letter); });
    llvm::append_range(coordinates, others);
    return ViewAttr::get(context, block, rows, columns,
                         AffineMap::get(count, 0, coordinates, context), most,
                         PaddingMode::Zeros);
  };
  ViewAttr to = createView(places, order, result, bounds, sizes);
  SmallVector<Attribute> views;
  for (Value operand : op.getEpilogueOperands()) {
    bool isVector = cast<RankedTensorType>(operand.getType()).getRank() == 1;
    views.push_back(
        isVector ? createView(places, StringRef(&channel, 1), result, {}, {})
                 : to);
  }
  auto folded = BlockTransformOp::create(
      builder, op->getLoc(), op.getResultType(), unfolded,
      op.getEpilogueOperands(),
      createView(terms, from, source, conditions, limits),
      builder.getArrayAttr(matrices), to, builder.getArrayAttr(views));
  IRMapping mapping;
  op.getEpilogue().cloneInto(&folded.getEpilogue(), mapping);
  return folded.getResult();
}
