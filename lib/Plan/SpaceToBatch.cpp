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
// columns are contiguous in the strips and whose rows are in the operand.
//
//===----------------------------------------------------------------------===//

#include "SpaceToBatch.h"

#include "CopyMatrices.h"
#include "FormLayouts.h"

#include "conv/Dialect/Conv/IR/TransformViews.h"

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
    return "expects the gradient of a filter, with padding of zeros, for "
           "space_to_batch";
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return llvm::formatv("expects operands of f32, f16 or bf16 for "
                         "space_to_batch, but got {0}",
                         element);
  LayoutsAttr own = op.getLayouts();
  if (!layouts || own.getInput().contains('G') ||
      layouts.getInput().size() != own.getInput().size() || haveGaps(op))
    return "expects layouts of more than one dimension and without G, and "
           "tensors without gaps, for space_to_batch";
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

namespace {
/// A digit of the strips: a dimension, of which images have two.
struct Digit {
  char letter;
  int64_t size;
  AffineExpr expression = {};
};

/// The digits, outermost first in the strips, and those that are rows and
/// columns of the matrices.
struct Digits {
  SmallVector<Digit> all;
  SmallVector<size_t> rows, columns;

  size_t find(char letter) const {
    auto isIt = [&](const Digit &digit) { return digit.letter == letter; };
    return llvm::find_if(all, isIt) - all.begin();
  }
  bool isFree(size_t digit) const {
    return !llvm::is_contained(rows, digit) &&
           !llvm::is_contained(columns, digit);
  }
  bool isShort(ArrayRef<size_t> chosen) const {
    int64_t size = 1;
    for (size_t digit : chosen)
      size *= all[digit].size;
    return size < kTileSide;
  }
};
} // namespace

/// The letter of strips among digits; no tensor has it.
static constexpr char kStrip = 'b';

/// Columns are innermost in the strips. Rows are innermost in the operand, if
/// that is another dimension. Short ones continue with their neighbours.
static void selectMatrices(StringRef from, Digits &digits) {
  size_t last = digits.all.size() - 1, innermost = digits.find(from.back());
  for (size_t next = last + 1; next-- > 0 && digits.isShort(digits.columns);) {
    if (next == innermost && next != last)
      break;
    digits.columns.insert(digits.columns.begin(), next);
  }
  for (size_t place = from.size();
       place-- > 0 && digits.isShort(digits.rows);) {
    size_t next = digits.find(from[place]);
    if (!digits.isFree(next))
      break;
    digits.rows.insert(digits.rows.begin(), next);
  }
}

Value SpaceToBatch::create(OpBuilder &builder, TensorRole role, Value source,
                           StringRef from, RankedTensorType result,
                           StringRef to) const {
  MLIRContext *context = op->getContext();
  Digits digits;
  for (auto [letter, size] : llvm::zip(to, result.getShape())) {
    digits.all.push_back({letter, letter == 'N' ? size / strips : size});
    if (letter == 'N')
      digits.all.push_back({kStrip, strips});
  }
  selectMatrices(from, digits);
  // All other digits are rows, too.
  for (size_t digit = digits.all.size(); digit-- > 0;)
    if (digits.isFree(digit))
      digits.rows.insert(digits.rows.begin(), digit);
  SmallVector<int64_t> rows, columns;
  unsigned count = 1; // Digit 0 is the only place of a block.
  for (auto [sizes, chosen] :
       {std::pair(&rows, &digits.rows), std::pair(&columns, &digits.columns)}) {
    for (size_t digit : *chosen) {
      digits.all[digit].expression = getAffineDimExpr(count++, context);
      sizes->push_back(digits.all[digit].size);
    }
    // The columns of a small tensor are all of its digits.
    if (chosen->empty()) {
      sizes->push_back(1);
      ++count;
    }
  }
  auto get = [&](char letter) {
    return digits.all[digits.find(letter)].expression;
  };
  auto getLine = [&](char letter) {
    AffineExpr first = get(kStrip) * lines;
    if (role == TensorRole::Output)
      return first + get(letter);
    return first * shape.strides[dimension] + get(letter) -
           shape.low[dimension];
  };
  auto createView = [&](StringRef order,
                        function_ref<AffineExpr(char)> locate) {
    SmallVector<AffineExpr> coordinates = llvm::map_to_vector(order, locate);
    return ViewAttr::get(context, SmallVector<int64_t>{1}, rows, columns,
                         AffineMap::get(count, 0, coordinates, context), {},
                         PaddingMode::Zeros);
  };
  ViewAttr read = createView(from, [&](char letter) {
    return letter == getLines(role) ? getLine(letter) : get(letter);
  });
  ViewAttr written = createView(to, [&](char letter) {
    return letter == 'N' ? get('N') * strips + get(kStrip) : get(letter);
  });
  return createBlockCopy(builder, op->getLoc(), source, read, result, written);
}
