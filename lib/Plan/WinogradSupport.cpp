//===- WinogradSupport.cpp - convolutions with a Winograd form ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/WinogradForm.h"

#include "WindowFacts.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// The most elements of a tile over all dimensions: a transform keeps them in
/// registers.
static constexpr int64_t kMaxElements = 64;

static bool areAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [=](int64_t value) { return value == expected; });
}

static std::string findTileObstacle(const ConvolutionShape &shape,
                                    ArrayRef<int64_t> outputTile) {
  if (static_cast<int64_t>(outputTile.size()) != shape.getRank())
    return formatv("expects output_tile to have {0} sizes, but got {1}",
                   shape.getRank(), printSizes(outputTile));
  if (areAll(shape.filter, 1))
    return formatv("expects a filter of several elements for winograd, but got "
                   "{0}",
                   printSizes(shape.filter));
  int64_t elements = 1;
  for (auto [size, filter] : llvm::zip(outputTile, shape.filter)) {
    constexpr int64_t kMost = ::conv::kMaxWinogradTile;
    if (size > kMost || filter > kMost || size + filter - 1 > kMost)
      return formatv("expects output_tile and filter to make tiles of at most "
                     "{0} elements in a dimension, but got {1} and {2}",
                     kMost, size, filter);
    elements *= size + filter - 1;
  }
  if (elements > kMaxElements)
    return formatv("expects tiles of at most {0} elements, but got {1}",
                   kMaxElements, elements);
  return "";
}

std::string mlir::conv::findWinogradObstacle(ConvolutionOpInterface op,
                                             ArrayRef<int64_t> outputTile) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.groups != 1 || op.getLayouts().getInput().contains('G'))
    return formatv("expects one group, and layouts without G, for winograd, "
                   "but got {0} groups in {1}",
                   shape.groups, op.getLayouts().getInput());
  if (!areAll(shape.strides, 1) || !areAll(shape.dilations, 1))
    return formatv("expects a window that moves by 1, without dilation, for "
                   "winograd, but got strides {0} and dilations {1}",
                   printSizes(shape.strides), printSizes(shape.dilations));
  if (op.getPadding() != PaddingMode::Zeros)
    return formatv("expects padding of zeros for winograd, but got {0}",
                   stringifyPaddingMode(op.getPadding()));
  Type element = getOperandElementType(op);
  bool isKnown = element.isF32() || element.isF16() || element.isBF16();
  if (!isKnown)
    return formatv("expects operands of f32, f16 or bf16 for winograd, but got "
                   "{0}",
                   element);
  if (op.getArithmetic() != Arithmetic::F32)
    return formatv("expects f32 arithmetic for winograd, but got {0}",
                   stringifyArithmetic(op.getArithmetic()));
  Type result = op.getResultType().getElementType();
  if (!result.isF32() && !result.isF16() && !result.isBF16())
    return formatv("expects a result of f32, f16 or bf16 for winograd, but got "
                   "{0}",
                   result);
  for (Value operand : op.getEpilogueOperands())
    if (Type type = getElementTypeOrSelf(operand.getType());
        !type.isF32() && !type.isF16() && !type.isBF16())
      return formatv(
          "expects an epilogue of f32, f16 or bf16 for winograd, but got "
          "{0}",
          type);
  return findTileObstacle(shape, outputTile);
}
