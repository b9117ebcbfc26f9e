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
// The element is zero if that position is outside of the tensor. Zeros that pad
// the channels are those of taps after the window's last one: a condition of
// the view excludes these taps. Windows of one tap only leave out positions:
// what they read is copied in tiles that have whole lines of both tensors.
// Col2im.cpp has the result that is unfolded.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/Im2col.h"

#include "CopyMatrices.h"
#include "FormLayouts.h"
#include "WindowFacts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

static bool movesByOne(const ConvolutionShape &shape, int64_t dims) {
  return llvm::all_of(ArrayRef(shape.strides).take_back(dims),
                      [](int64_t stride) { return stride == 1; });
}

/// What has fewer channels is unfolded. A result of 16 bits is not: it would be
/// rounded before its terms are added. Nor is one of windows with one tap:
/// these leave out positions of the input.
static TensorRole selectRole(ConvolutionOpInterface op, int64_t dims) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  bool canFold = getOperandElementType(op).isF32();
  int64_t taps = llvm::product_of(ArrayRef(shape.filter).take_back(dims));
  switch (op.getDirection()) {
  case Direction::Forward:
    return canFold && shape.k < shape.c && taps > 1 ? TensorRole::Output
                                                    : TensorRole::Input;
  case Direction::BackwardData:
    return canFold && (shape.c <= shape.k || !movesByOne(shape, dims))
               ? TensorRole::Input
               : TensorRole::Output;
  case Direction::BackwardWeight:
    return shape.k < shape.c && movesByOne(shape, dims) ? TensorRole::Output
                                                        : TensorRole::Input;
  }
  llvm_unreachable("every direction unfolds a tensor");
}

Im2col::Im2col(ConvolutionOpInterface op, int64_t dims)
    : op(op), dims(std::min(dims, ConvolutionShape::get(op).getRank())),
      role(selectRole(op, this->dims)),
      channel(role == TensorRole::Input ? 'C' : 'K') {}

bool Im2col::unfoldsResult() const {
  return role == getResultRole(ConvolutionOpInterface(op).getDirection());
}

int64_t Im2col::getFirst() const {
  return ConvolutionShape::get(op).getRank() - dims;
}

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
  auto elements = double(shape.n * countChannels(multiple));
  ArrayRef<int64_t> own = shape.input, unfolded = shape.output;
  if (role == TensorRole::Output)
    std::swap(own, unfolded);
  for (int64_t d = 0; d < shape.getRank(); ++d)
    elements *= double(d < getFirst() ? own[d] : unfolded[d]);
  return elements;
}

/// The channels of the tensor that is unfolded.
static int64_t getOwnChannels(ConvolutionOpInterface op, TensorRole role) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return role == TensorRole::Input ? shape.c : shape.k;
}

int64_t Im2col::countChannels(int64_t multiple) const {
  return llvm::alignTo(getOwnChannels(op, role) * countTaps(), multiple);
}

bool Im2col::isPadded(int64_t multiple) const {
  return countChannels(multiple) > countChannels(/*multiple=*/1);
}

std::optional<int64_t> Im2col::findUnfolded(char letter) const {
  int64_t rank = ConvolutionShape::get(op).getRank();
  for (TensorRole of :
       {TensorRole::Input, TensorRole::Filter, TensorRole::Output}) {
    size_t place = getSpatialLetters(of).take_back(rank).find(letter);
    if (place != StringRef::npos && int64_t(place) >= getFirst())
      return place;
  }
  return std::nullopt;
}

int64_t Im2col::getSize(TensorRole of, char letter, int64_t size,
                        int64_t multiple) const {
  if ((of == role || of == TensorRole::Filter) && isChannel(letter))
    return countChannels(multiple);
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
  for (int64_t d = getFirst(); d < shape.getRank(); ++d) {
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
    return formatv("expects one group, and layouts without G, for im2col, but "
                   "got {0} groups in \"{1}\"",
                   op.getGroups(), op.getLayouts().getInput());
  if (op.getPadding() != PaddingMode::Zeros)
    return formatv("expects padding of zeros for im2col, but got {0}",
                   stringifyPaddingMode(op.getPadding()));
  if (layouts.getInput().size() != op.getLayouts().getInput().size())
    return formatv("expects layouts with all spatial dimensions for im2col, "
                   "but got \"{0}\"",
                   layouts.getInput());
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return formatv("expects operands of f32, f16 or bf16 for im2col, but got "
                   "{0}",
                   element);
  Im2col im2col(op, dims);
  if (im2col.unfoldsResult())
    return im2col.findFoldObstacle();
  if (op.getDirection() == Direction::BackwardData && !movesByOne(shape, dims))
    return formatv("expects a window that moves by 1 along the unfolded "
                   "dimensions for im2col of a gradient of the output, but got "
                   "strides {0}",
                   printSizes(shape.strides));
  StringRef order = im2col.role == TensorRole::Input ? layouts.getInput()
                                                     : layouts.getOutput();
  if (!im2col.isChannel(order.back()))
    return formatv("expects channels innermost in what im2col unfolds, but got "
                   "\"{0}\"",
                   order);
  return "";
}

/// The digits of an unfolded tensor and of the tensor itself, and the place of
/// each element in both.
struct Im2col::Digits {
  SmallVector<int64_t> rows, columns;
  Places unfolded, folded;
  AffineExpr firstTap, channels;

  /// The view of the tensor with dimensions in `order`, with one condition if
  /// its limit is not 0.
  ViewAttr createView(StringRef order, const Places &places,
                      AffineExpr condition, int64_t limit) const {
    SmallVector<AffineExpr> coordinates = llvm::map_to_vector(
        order, [&](char letter) { return places.lookup(letter); });
    SmallVector<int64_t> limits;
    if (limit > 0) {
      coordinates.push_back(condition);
      limits.push_back(limit);
    }
    return ViewAttr::get(channels.getContext(), SmallVector<int64_t>{1}, rows,
                         columns,
                         AffineMap::get(1 + rows.size() + columns.size(), 0,
                                        coordinates, channels.getContext()),
                         limits, PaddingMode::Zeros);
  }
};

Im2col::Digits Im2col::createDigits(TensorRole of,
                                    const OrderedTensor &unfolded) const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t first = getFirst(), own = getOwnChannels(op, role);
  MLIRContext *context = op->getContext();
  Digits digits;
  // What is unfolded has no dimension of its own in the filter.
  auto hasDigits = [&](char letter) {
    return of != TensorRole::Filter || !findUnfolded(letter);
  };
  char last = *llvm::find_if(llvm::reverse(unfolded.order), hasDigits);
  unsigned count = 1; // Digit 0 is the only place of a block.
  auto add = [&](char letter, int64_t size) {
    (letter == last ? digits.columns : digits.rows).push_back(size);
    return getAffineDimExpr(count++, context);
  };
  SmallVector<AffineExpr> taps;
  for (auto [letter, size] :
       llvm::zip(unfolded.order, unfolded.type.getShape())) {
    if (!hasDigits(letter)) {
      digits.unfolded[letter] = getAffineConstantExpr(0, context);
      continue;
    }
    if (!isChannel(letter)) {
      digits.unfolded[letter] = digits.folded[letter] = add(letter, size);
      continue;
    }
    // Taps after the last one have the zeros that pad the channels.
    int64_t perTap = own * countTaps() / shape.filter[first];
    int64_t more = llvm::divideCeil(size - own * countTaps(), perTap);
    AffineExpr tap = getAffineConstantExpr(0, context);
    for (int64_t d = first; d < shape.getRank(); ++d) {
      taps.push_back(add(letter, shape.filter[d] + (d == first ? more : 0)));
      tap = tap * shape.filter[d] + taps.back();
    }
    digits.folded[letter] = add(letter, own);
    digits.unfolded[letter] = tap * own + digits.folded[letter];
  }
  digits.firstTap = taps.front();
  digits.channels = digits.unfolded[channel];
  for (int64_t d = first; d < shape.getRank(); ++d) {
    AffineExpr tap = taps[d - first];
    AffineExpr &place =
        digits.folded[getSpatialLetters(of).take_back(shape.getRank())[d]];
    if (of == TensorRole::Filter)
      place = tap;
    else if (of == TensorRole::Input)
      place =
          place * shape.strides[d] + tap * shape.dilations[d] - shape.low[d];
    else
      place = place - tap * shape.dilations[d] + shape.low[d];
  }
  return digits;
}

Value Im2col::createSelected(OpBuilder &builder, Value source, StringRef from,
                             const OrderedTensor &result) const {
  ConvolutionShape shape = ConvolutionShape::get(op);
  ArrayRef<int64_t> sizes = result.type.getShape();
  SmallVector<int64_t> places = llvm::map_to_vector(
      result.order, [&](char letter) { return int64_t(from.find(letter)); });
  MatrixDimensions matrices =
      CopyDigits{sizes, places,
                 cast<RankedTensorType>(source.getType()).getShape()}
          .selectMatrices()
          .joinBatch();
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> digits = matrices.createCoordinates(sizes, context);
  // Channels after the last one are outside, and so zero.
  SmallVector<AffineExpr> read = llvm::map_to_vector(from, [&](char letter) {
    AffineExpr place = digits[result.order.find(letter)];
    std::optional<int64_t> d = findUnfolded(letter);
    if (!d)
      return place;
    return role == TensorRole::Input ? place * shape.strides[*d] - shape.low[*d]
                                     : place + shape.low[*d];
  });
  return createBlockCopy(builder, op->getLoc(), source,
                         matrices.createView(sizes, read, context), result.type,
                         matrices.createView(sizes, digits, context));
}

Value Im2col::createUnfolded(OpBuilder &builder, TensorRole of, Value source,
                             StringRef from,
                             const OrderedTensor &result) const {
  if (of == role && countTaps() == 1)
    return createSelected(builder, source, from, result);
  Digits digits = createDigits(of, result);
  int64_t channels = result.type.getDimSize(result.order.find(channel));
  bool padded = channels > countChannels(/*multiple=*/1);
  int64_t taps = ConvolutionShape::get(op).filter[getFirst()];
  return createBlockCopy(builder, op->getLoc(), source,
                         digits.createView(from, digits.folded, digits.firstTap,
                                           padded ? taps : 0),
                         result.type,
                         digits.createView(result.order, digits.unfolded,
                                           digits.channels,
                                           padded ? channels : 0));
}

Value Im2col::createFilter(OpBuilder &builder, Value unfolded, StringRef from,
                           const OrderedTensor &result) const {
  // Digits of the channels that are not zeros that pad.
  SmallVector<int64_t> sizes = llvm::map_to_vector(from, [&](char letter) {
    return isChannel(letter)
               ? countChannels(/*multiple=*/1)
               : result.type.getDimSize(result.order.find(letter));
  });
  RankedTensorType type =
      RankedTensorType::get(sizes, result.type.getElementType());
  Digits digits = createDigits(TensorRole::Filter, {type, from});
  return createBlockCopy(
      builder, op->getLoc(), unfolded,
      digits.createView(from, digits.unfolded, digits.channels, 0), result.type,
      digits.createView(result.order, digits.folded, digits.firstTap, 0));
}
