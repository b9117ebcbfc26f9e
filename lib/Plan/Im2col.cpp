//===- Im2col.cpp - window elements as channels -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unfolded operand is one view of the tensor. Its channel `(r, s, c)` reads
//
//   of the input, for position p             p * stride + r * dilation - low
//   of the output's gradient, for position h            h + low - r * dilation
//
// The element is zero if that position is outside of the tensor.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/Im2col.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Letters of the spatial dimensions of a tensor, outermost first.
static StringRef getSpatialLetters(TensorRole role) {
  switch (role) {
  case TensorRole::Input:
    return "DHW";
  case TensorRole::Filter:
    return "TRS";
  case TensorRole::Output:
    return "ZPQ";
  }
  llvm_unreachable("every role has spatial dimensions");
}

static bool movesByOne(const ConvolutionShape &shape, int64_t dims) {
  return llvm::all_of(ArrayRef(shape.strides).take_back(dims),
                      [](int64_t stride) { return stride == 1; });
}

static TensorRole selectRole(ConvolutionOpInterface op, int64_t dims) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  switch (op.getDirection()) {
  case Direction::Forward:
    return TensorRole::Input;
  case Direction::BackwardData:
    return TensorRole::Output;
  case Direction::BackwardWeight:
    return shape.k < shape.c && movesByOne(shape, dims) ? TensorRole::Output
                                                        : TensorRole::Input;
  }
  llvm_unreachable("every direction unfolds an operand");
}

Im2col::Im2col(ConvolutionOpInterface op, int64_t dims)
    : op(op), dims(std::min(dims, ConvolutionShape::get(op).getRank())),
      role(selectRole(op, this->dims)),
      channel(role == TensorRole::Input ? 'C' : 'K') {}

bool Im2col::isTrivial() const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto areAll = [&](ArrayRef<int64_t> values, int64_t expected) {
    return llvm::all_of(values.take_back(dims),
                        [=](int64_t value) { return value == expected; });
  };
  return areAll(shape.filter, 1) && areAll(shape.strides, 1) &&
         areAll(shape.low, 0) && areAll(shape.high, 0);
}

int64_t Im2col::countTaps() const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return llvm::product_of(ArrayRef(shape.filter).take_back(dims));
}

double Im2col::countElements(int64_t multiple) const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto elements = double(shape.n * computeChannels(multiple) * countTaps());
  ArrayRef<int64_t> own = shape.input, unfolded = shape.output;
  if (role == TensorRole::Output)
    std::swap(own, unfolded);
  for (int64_t d = 0; d < shape.getRank(); ++d)
    elements *= double(d < shape.getRank() - dims ? own[d] : unfolded[d]);
  return elements;
}

int64_t Im2col::computeChannels(int64_t multiple) const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return llvm::alignTo(role == TensorRole::Input ? shape.c : shape.k,
                       multiple / std::gcd(multiple, countTaps()));
}

std::optional<int64_t> Im2col::findUnfolded(char letter) const {
  int64_t rank = ConvolutionShape::get(op).getRank();
  for (TensorRole of :
       {TensorRole::Input, TensorRole::Filter, TensorRole::Output}) {
    size_t place = getSpatialLetters(of).take_back(rank).find(letter);
    if (place != StringRef::npos && int64_t(place) >= rank - dims)
      return place;
  }
  return std::nullopt;
}

int64_t Im2col::getSize(TensorRole of, char letter, int64_t size,
                        int64_t multiple) const {
  if ((of == role || of == TensorRole::Filter) && isChannel(letter))
    return computeChannels(multiple) * countTaps();
  std::optional<int64_t> dimension = findUnfolded(letter);
  if (!dimension)
    return size;
  if (of == TensorRole::Filter)
    return 1;
  ConvolutionShape shape = ConvolutionShape::get(op);
  return role == TensorRole::Input ? shape.output[*dimension]
                                   : shape.input[*dimension];
}

std::string Im2col::getFilterOrder(StringRef filter) const {
  int64_t rank = ConvolutionShape::get(op).getRank();
  std::string order;
  for (char letter : filter) {
    if (isChannel(letter))
      order += getSpatialLetters(TensorRole::Filter)
                   .take_back(rank)
                   .take_back(dims)
                   .str();
    if (!findUnfolded(letter))
      order += letter;
  }
  return order;
}

WindowAttr Im2col::getWindow() const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  for (int64_t d = shape.getRank() - dims; d < shape.getRank(); ++d) {
    shape.strides[d] = shape.dilations[d] = 1;
    shape.low[d] = shape.high[d] = 0;
  }
  return WindowAttr::get(op->getContext(), shape.strides, shape.dilations,
                         shape.low, shape.high);
}

std::string Im2col::findObstacle(ConvolutionOpInterface op, LayoutsAttr layouts,
                                 int64_t dims, Type element) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (dims > shape.getRank())
    return formatv("expects im2col of at most {0} dimensions, but got {1}",
                   shape.getRank(), dims);
  if (op.getGroups() != 1 || op.getLayouts().getInput().contains('G'))
    return "expects one group, and layouts without G, for im2col";
  if (op.getPadding() != PaddingMode::Zeros)
    return "expects padding of zeros for im2col";
  if (layouts.getInput().size() != op.getLayouts().getInput().size())
    return "expects layouts with all spatial dimensions for im2col";
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return formatv("expects operands of f32, f16 or bf16 for im2col, but got "
                   "{0}",
                   element);
  Im2col im2col(op, dims);
  if (op.getDirection() == Direction::BackwardData && !movesByOne(shape, dims))
    return "expects a window that moves by 1 along the unfolded dimensions for "
           "im2col of a gradient of the output";
  StringRef order = im2col.role == TensorRole::Input ? layouts.getInput()
                                                     : layouts.getOutput();
  if (!im2col.isChannel(order.back()))
    return formatv("expects channels innermost in what im2col unfolds, but got "
                   "\"{0}\"",
                   order);
  return "";
}

Value Im2col::create(OpBuilder &builder, Value source, StringRef from,
                     RankedTensorType result, StringRef to,
                     int64_t multiple) const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  MLIRContext *context = op->getContext();
  int64_t rank = shape.getRank();
  SmallVector<int64_t> rows, columns;
  unsigned count = 1; // Digit 0 is the only place of a block.
  auto add = [&](SmallVector<int64_t> &digits, int64_t size) {
    digits.push_back(size);
    return getAffineDimExpr(count++, context);
  };
  llvm::SmallDenseMap<char, AffineExpr> inSource, inResult;
  for (auto [letter, size] :
       llvm::zip(to.drop_back(), result.getShape().drop_back()))
    inSource[letter] = inResult[letter] = add(rows, size);
  AffineExpr unfolded = getAffineConstantExpr(0, context);
  for (int64_t d = rank - dims; d < rank; ++d) {
    AffineExpr tap = add(columns, shape.filter[d]);
    unfolded = unfolded * shape.filter[d] + tap;
    AffineExpr &place = inSource[getSpatialLetters(role).take_back(rank)[d]];
    place =
        role == TensorRole::Input
            ? place * shape.strides[d] + tap * shape.dilations[d] - shape.low[d]
            : place - tap * shape.dilations[d] + shape.low[d];
  }
  int64_t channels = computeChannels(multiple);
  inSource[channel] = add(columns, channels);
  inResult[channel] = unfolded * channels + inSource[channel];
  auto createView = [&](StringRef order,
                        const llvm::SmallDenseMap<char, AffineExpr> &places) {
    SmallVector<AffineExpr> coordinates = llvm::map_to_vector(
        order, [&](char letter) { return places.lookup(letter); });
    return ViewAttr::get(context, SmallVector<int64_t>{1}, rows, columns,
                         AffineMap::get(count, 0, coordinates, context), {},
                         PaddingMode::Zeros);
  };
  // Blocks have one element, which the unit matrix keeps.
  auto one = DenseElementsAttr::get(
      RankedTensorType::get({1, 1}, builder.getF32Type()), 1.0F);
  return BlockTransformOp::create(
             builder, op->getLoc(), result, source, ValueRange(),
             createView(from, inSource), builder.getArrayAttr(one),
             createView(to, inResult), builder.getArrayAttr({}))
      .getResult();
}
