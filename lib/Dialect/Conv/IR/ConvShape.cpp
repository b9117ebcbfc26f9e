//===- ConvShape.cpp - sizes of a convolution by letter ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All code reads sizes through these functions, so that no other code knows the
// dimension order of an operand.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "conv/Dialect/Conv/IR/ProblemGrammar.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;

int64_t mlir::conv::getSize(StringRef order, ArrayRef<int64_t> shape,
                            char letter) {
  size_t position = order.find(letter);
  return position == StringRef::npos ? 1 : shape[position];
}

SmallVector<int64_t, 3> mlir::conv::getSpatialSizes(StringRef order,
                                                    ArrayRef<int64_t> shape,
                                                    StringRef letters) {
  SmallVector<int64_t, 3> sizes;
  for (char letter : letters)
    if (order.contains(letter))
      sizes.push_back(getSize(order, shape, letter));
  return sizes;
}

std::optional<int64_t>
mlir::conv::computeOutputSize(const SpatialDimension &dimension) {
  int64_t span, padded;
  if (llvm::MulOverflow(dimension.dilation, dimension.filter - 1, span) ||
      llvm::AddOverflow<int64_t>(span, 1, span) ||
      llvm::AddOverflow(dimension.input, dimension.low, padded) ||
      llvm::AddOverflow(padded, dimension.high, padded) || span > padded)
    return std::nullopt;
  return (padded - span) / dimension.stride + 1;
}

ConvolutionShape ConvolutionShape::get(ConvolutionOpInterface op) {
  LayoutsAttr layouts = op.getLayouts();
  WindowAttr window = op.getWindow();
  ArrayRef<int64_t> input = op.getInputType().getShape();
  ArrayRef<int64_t> filter = op.getFilterType().getShape();
  ArrayRef<int64_t> output = op.getOutputType().getShape();

  ConvolutionShape shape;
  shape.n = getSize(layouts.getInput(), input, 'N');
  shape.c = getSize(layouts.getInput(), input, 'C') *
            getSize(layouts.getInput(), input, 'G');
  shape.k = getSize(layouts.getOutput(), output, 'K') *
            getSize(layouts.getOutput(), output, 'G');
  shape.groups = op.getGroups();
  shape.input = getSpatialSizes(layouts.getInput(), input, "DHW");
  shape.filter = getSpatialSizes(layouts.getFilter(), filter, "TRS");
  shape.output = getSpatialSizes(layouts.getOutput(), output, "ZPQ");
  llvm::append_range(shape.strides, window.getStrides());
  llvm::append_range(shape.dilations, window.getDilations());
  llvm::append_range(shape.low, window.getLow());
  llvm::append_range(shape.high, window.getHigh());
  return shape;
}

int64_t ConvolutionShape::computePixels() const {
  return n * llvm::product_of(output);
}

double ConvolutionShape::computeFlops() const {
  return 2.0 * computePixels() * k * (c / groups) * llvm::product_of(filter);
}

/// The most positions of the padded input that copy one element.
static uint64_t computeImages(PaddingMode mode, int64_t low, int64_t high) {
  switch (mode) {
  case PaddingMode::Zeros:
    return 1;
  case PaddingMode::Reflect:
  case PaddingMode::Circular:
    return 1 + (low > 0) + (high > 0);
  case PaddingMode::Replicate:
    return 1 + uint64_t(low) + uint64_t(high);
  }
  llvm_unreachable("every mode is known");
}

int64_t mlir::conv::computeReduction(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  switch (op.getDirection()) {
  case Direction::Forward:
    return shape.c / shape.groups * llvm::product_of(shape.filter);
  case Direction::BackwardData: {
    uint64_t products = shape.k / shape.groups * llvm::product_of(shape.filter);
    for (int64_t d = 0; d < shape.getRank(); ++d)
      products = llvm::SaturatingMultiply(
          products,
          std::min<uint64_t>(
              shape.output[d],
              computeImages(op.getPadding(), shape.low[d], shape.high[d])));
    return std::min<uint64_t>(products, std::numeric_limits<int64_t>::max());
  }
  case Direction::BackwardWeight:
    return shape.computePixels();
  }
  llvm_unreachable("every direction is known");
}

std::optional<int64_t>
mlir::conv::computeResultChannels(ConvolutionOpInterface op) {
  std::optional<char> letter = op.getResultChannel();
  if (!letter)
    return std::nullopt;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  StringRef order = op.getResultOrder();
  return getSize(order, shape, *letter) * getSize(order, shape, 'G');
}

Type mlir::conv::getOperandElementType(ConvolutionOpInterface op) {
  return op.getLhs().getType().getElementType();
}

::conv::NumericType
mlir::conv::getOperandNumericType(ConvolutionOpInterface op) {
  return op.getArithmetic() == Arithmetic::TF32
             ? ::conv::NumericType::TF32
             : *getNumericType(getOperandElementType(op));
}

Type mlir::conv::getAccumulatorType(ConvolutionOpInterface op) {
  return getAccumulatorType(getOperandElementType(op));
}

static bool isE5M2(Type elementType) {
  return isa<Float8E5M2Type, Float8E5M2FNUZType>(elementType);
}

/// MIOpenDriver's command for a convolution of `elementType`; types that have
/// none are refused later.
static StringRef getCommandName(Type elementType) {
  std::optional<::conv::ElementType> type = getProblemType(elementType);
  StringRef command = type ? StringRef(::conv::getDriverCommand(*type)) : "";
  return command.empty() ? "conv" : command;
}

/// Whether one operand is E4M3 and the other E5M2.
static bool haveTwoTypes(ConvolutionOpInterface op) {
  return op.getLhs().getType().getElementType() !=
         op.getRhs().getType().getElementType();
}

/// MIOpenDriver's command for a convolution, or rocMLIR's if operands have two
/// types.
static StringRef getCommandName(ConvolutionOpInterface op) {
  Type lhs = getOperandElementType(op);
  if (haveTwoTypes(op))
    return isE5M2(lhs) ? "convbf8_fp8" : "convfp8_bf8";
  return getCommandName(lhs);
}

/// Translates an order string to MIOpenDriver's letters: for all operands,
/// those of an input.
static std::string renameLetters(StringRef order, StringRef from,
                                 StringRef to) {
  std::string renamed = order.str();
  for (char &letter : renamed)
    if (size_t position = from.find(letter); position != StringRef::npos)
      letter = to[position];
  return renamed;
}

namespace {
/// The flags of one spatial dimension.
struct SpatialFlags {
  StringLiteral input, filter, stride, pad, padHigh, dilation;
};
} // namespace

static constexpr SpatialFlags kSpatialFlags[] = {
    {"-!", "-@", "-#", "-$", "--pad_d_high", "-^"},
    {"-H", "-y", "-u", "-p", "--pad_h_high", "-l"},
    {"-W", "-x", "-v", "-q", "--pad_w_high", "-j"},
};

std::string mlir::conv::formatProblem(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  LayoutsAttr layouts = op.getLayouts();
  Type operand = getOperandElementType(op);
  Type result = op.getResultType().getElementType();
  std::string line;
  llvm::raw_string_ostream os(line);
  os << getCommandName(op) << " -n " << shape.n << " -c " << shape.c << " -k "
     << shape.k;
  for (int64_t d = 0, rank = shape.getRank(); d < rank; ++d) {
    const SpatialFlags &flags = kSpatialFlags[3 - rank + d];
    os << ' ' << flags.input << ' ' << shape.input[d] << ' ' << flags.filter
       << ' ' << shape.filter[d] << ' ' << flags.pad << ' ' << shape.low[d];
    if (shape.high[d] != shape.low[d])
      os << ' ' << flags.padHigh << ' ' << shape.high[d];
    os << ' ' << flags.stride << ' ' << shape.strides[d] << ' '
       << flags.dilation << ' ' << shape.dilations[d];
  }
  os << " -g " << shape.groups << " -F "
     << int(getProblemDirection(op.getDirection()));
  if (shape.getRank() != 2)
    os << " --spatial_dim " << shape.getRank();
  os << " --in_layout " << layouts.getInput() << " --fil_layout "
     << renameLetters(layouts.getFilter(), "KTRS", "NDHW") << " --out_layout "
     << renameLetters(layouts.getOutput(), "KZPQ", "CDHW");
  if (op.getPadding() != PaddingMode::Zeros)
    os << " --padding_mode " << stringifyPaddingMode(op.getPadding());
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(operand))
    os << " --fnuz";
  if (op.getArithmetic() != Arithmetic::F32)
    os << " --" << stringifyArithmetic(op.getArithmetic());
  if (result != operand || haveTwoTypes(op))
    os << " --out_dtype " << result;
  return line;
}
