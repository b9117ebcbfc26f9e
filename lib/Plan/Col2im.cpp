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

namespace {
/// A condition of a view: elements exist where `value` is from 0 to `limit -
/// 1`.
struct Condition {
  AffineExpr value;
  int64_t limit;
};
/// Sizes of the digits of rows and of columns, which all views share.
struct Sizes {
  SmallVector<int64_t> rows, columns;
};
} // namespace

/// The view of blocks of a tensor that has an element at `coordinates`.
static ViewAttr createView(ArrayRef<int64_t> block, const Sizes &sizes,
                           SmallVector<AffineExpr> coordinates,
                           ArrayRef<Condition> conditions) {
  SmallVector<int64_t> limits;
  for (auto [value, limit] : conditions) {
    coordinates.push_back(value);
    limits.push_back(limit);
  }
  MLIRContext *context = coordinates.front().getContext();
  unsigned count = block.size() + sizes.rows.size() + sizes.columns.size();
  return ViewAttr::get(context, block, sizes.rows, sizes.columns,
                       AffineMap::get(count, 0, coordinates, context), limits,
                       PaddingMode::Zeros);
}

namespace {
/// The views of a fold. A block has two digits for each dimension; then come
/// rows, in the order of the result, and channels, which are columns.
struct Fold {
  unsigned blockDigits;
  Sizes sizes;
  Im2col::Places source, result;
  /// Sizes of a block's digits, of the terms and of the result.
  SmallVector<int64_t> terms, places;
  SmallVector<Condition> taps, bounds;
  AffineExpr tap;

  Fold(MLIRContext *context, unsigned blockDigits, int64_t channels)
      : blockDigits(blockDigits), sizes{{}, {channels}}, terms(blockDigits, 1),
        places(blockDigits, 1), tap(getAffineConstantExpr(0, context)) {}

  /// The digits of the terms and of the phases of a dimension are `digit` and
  /// the next one.
  void add(const FoldedDimension &folded, char letter, unsigned digit);
};
} // namespace

void Fold::add(const FoldedDimension &folded, char letter, unsigned digit) {
  AffineExpr row = result[letter];
  AffineExpr term = getAffineDimExpr(digit, row.getContext());
  AffineExpr phase = getAffineDimExpr(digit + 1, row.getContext());
  AffineExpr own = term * folded.step + phase - folded.shift;
  terms[digit] = folded.terms;
  terms[digit + 1] = places[digit + 1] = folded.step;
  unsigned number = cast<AffineDimExpr>(row).getPosition() - blockDigits;
  sizes.rows[number] = llvm::divideCeil(folded.size, folded.step);
  source[letter] = row * folded.scale + folded.offset - term * folded.distance;
  result[letter] = row * folded.step + phase;
  tap = tap * folded.taps + own;
  if (folded.step > 1)
    taps.push_back({own, folded.taps});
  if (folded.size % folded.step != 0)
    bounds.push_back({result[letter], folded.size});
}

Value Im2col::createFolded(OpBuilder &builder, Value unfolded,
                           StringRef from) const {
  ConvolutionOpInterface op = this->op;
  MLIRContext *context = op->getContext();
  StringRef order = op.getOrder(role);
  auto getSize = [&](char letter) {
    return op.getResultType().getDimSize(order.find(letter));
  };
  unsigned count = 2 * dims;
  Fold fold(context, count, getSize(channel));
  for (char letter : order)
    if (!isChannel(letter)) {
      fold.source[letter] = fold.result[letter] =
          getAffineDimExpr(count++, context);
      fold.sizes.rows.push_back(getSize(letter));
    }
  SmallVector<Attribute> matrices;
  for (int64_t d = getFirst(), digit = 0; digit < 2 * dims; ++d, digit += 2) {
    char letter = *llvm::find_if(
        order, [&](char each) { return findUnfolded(each) == d; });
    FoldedDimension folded = getDimension(op, d);
    fold.add(folded, letter, digit);
    addMatrices(builder, folded, matrices);
  }
  AffineExpr column = getAffineDimExpr(count, context);
  fold.result[channel] = column;
  fold.source[channel] = fold.tap * fold.sizes.columns.front() + column;
  auto locate = [](StringRef letters, const Im2col::Places &at) {
    return llvm::map_to_vector(letters,
                               [&](char letter) { return at.lookup(letter); });
  };
  ViewAttr to = createView(fold.places, fold.sizes, locate(order, fold.result),
                           fold.bounds);
  ViewAttr toVector = createView(fold.places, fold.sizes, {column}, {});
  SmallVector<Attribute> views =
      llvm::map_to_vector(op.getEpilogueOperands(), [&](Value operand) {
        auto type = cast<RankedTensorType>(operand.getType());
        return Attribute(type.getRank() == 1 ? toVector : to);
      });
  auto transform = BlockTransformOp::create(
      builder, op->getLoc(), op.getResultType(), unfolded,
      op.getEpilogueOperands(),
      createView(fold.terms, fold.sizes, locate(from, fold.source), fold.taps),
      builder.getArrayAttr(matrices), to, builder.getArrayAttr(views));
  IRMapping mapping;
  op.getEpilogue().cloneInto(&transform.getEpilogue(), mapping);
  return transform.getResult();
}
