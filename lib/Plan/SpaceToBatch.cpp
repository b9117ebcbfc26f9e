//===- SpaceToBatch.cpp - strips of images as images ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strips of an operand are one view of it, in which an image is two digits:
// the image, and the strip, which counts faster. Line `l` of strip `b` is
//
//   of the input               (b * lines) * stride + l - low
//   of the output's gradient    b * lines + l
//
// with `lines` of the gradient in a strip. A workgroup turns tiles whose
// columns are contiguous in the strips and whose rows are in the operand
// (`CopyDigits`).
//
//===----------------------------------------------------------------------===//

#include "SpaceToBatch.h"

#include "CopyMatrices.h"
#include "FormLayouts.h"

#include "conv/Dialect/Conv/IR/MatrixDimensions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

SpaceToBatch::SpaceToBatch(ConvolutionOpInterface op, int64_t strips)
    : op(op), shape(ConvolutionShape::get(op)), strips(strips) {
  auto longest = llvm::max_element(shape.output);
  dimension = longest - shape.output.begin();
  lines = llvm::divideCeil(*longest, strips);
}

std::string SpaceToBatch::findObstacle(ConvolutionOpInterface op,
                                       LayoutsAttr layouts, int64_t strips,
                                       Type element) {
  if (op.getDirection() != Direction::BackwardWeight ||
      op.getPadding() != PaddingMode::Zeros)
    return llvm::formatv("expects the gradient of a filter, with padding of "
                         "zeros, for space_to_batch, but got {0} with "
                         "padding of {1}",
                         op->getName(), stringifyPaddingMode(op.getPadding()));
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return llvm::formatv("expects operands of f32, f16 or bf16 for "
                         "space_to_batch, but got {0}",
                         element);
  LayoutsAttr own = op.getLayouts();
  if (!layouts || own.getInput().contains('G') ||
      layouts.getInput().size() != own.getInput().size() || haveGaps(op))
    return llvm::formatv("expects layouts of more than one dimension and "
                         "without G, and tensors without gaps, for "
                         "space_to_batch, but got \"{0}\" for \"{1}\"{2}",
                         layouts ? layouts.getInput() : own.getInput(),
                         own.getInput(),
                         haveGaps(op) ? " and conv.strides" : "");
  int64_t most = llvm::max_element(ConvolutionShape::get(op).output)[0];
  if (strips > most)
    return llvm::formatv("expects space_to_batch to be at most {0}, but got "
                         "{1}",
                         most, strips);
  return "";
}

char SpaceToBatch::getLines(TensorRole role) const {
  return getSpatialLetters(role).take_back(shape.getRank())[dimension];
}

int64_t SpaceToBatch::getSize(TensorRole role, char letter,
                              int64_t size) const {
  if (role == TensorRole::Filter)
    return size;
  if (letter == 'N')
    return size * strips;
  if (letter != getLines(role))
    return size;
  if (role == TensorRole::Output)
    return lines;
  return (lines - 1) * shape.strides[dimension] +
         (shape.filter[dimension] - 1) * shape.dilations[dimension] + 1;
}

WindowAttr SpaceToBatch::getWindow() const {
  SmallVector<int64_t, 3> low = shape.low, high = shape.high;
  low[dimension] = high[dimension] = 0;
  return WindowAttr::get(op->getContext(), shape.strides, shape.dilations, low,
                         high);
}

/// The letter of strips among digits; no tensor has it.
static constexpr char kStrip = 'b';

Value SpaceToBatch::create(OpBuilder &builder, TensorRole role, Value source,
                           StringRef from, RankedTensorType result,
                           StringRef to) const {
  MLIRContext *context = op->getContext();
  std::string letters; // Of the digits.
  SmallVector<int64_t> sizes, places;
  for (auto [letter, size] : llvm::zip(to, result.getShape())) {
    letters += letter;
    sizes.push_back(letter == 'N' ? size / strips : size);
    places.push_back(int64_t(from.find(letter)));
    if (letter != 'N')
      continue;
    letters += kStrip;
    sizes.push_back(strips);
    places.push_back(-1);
  }
  MatrixDimensions matrices =
      CopyDigits{sizes, places,
                 cast<RankedTensorType>(source.getType()).getShape()}
          .selectMatrices()
          .joinBatch();
  SmallVector<AffineExpr> digits = matrices.createCoordinates(sizes, context);
  auto get = [&](char letter) { return digits[letters.find(letter)]; };
  auto getLine = [&](char letter) {
    AffineExpr first = get(kStrip) * lines;
    if (role == TensorRole::Output)
      return first + get(letter);
    return first * shape.strides[dimension] + get(letter) -
           shape.low[dimension];
  };
  auto createView = [&](StringRef order,
                        function_ref<AffineExpr(char)> locate) {
    return matrices.createView(sizes, llvm::map_to_vector(order, locate),
                               context);
  };
  ViewAttr read = createView(from, [&](char letter) {
    return letter == getLines(role) ? getLine(letter) : get(letter);
  });
  ViewAttr written = createView(to, [&](char letter) {
    return letter == 'N' ? get('N') * strips + get(kStrip) : get(letter);
  });
  return createBlockCopy(builder, op->getLoc(), source, read, result, written);
}
