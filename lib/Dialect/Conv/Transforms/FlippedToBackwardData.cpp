//===- FlippedToBackwardData.cpp - flipped filters --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution of an input with zeros between its elements and a flipped
// filter is the data gradient of another convolution.
//
//===----------------------------------------------------------------------===//

#include "MovedWindow.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "conv-raise-linalg"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The places of a source's elements among zeros: `stride` apart, the first one
/// at `offset`.
struct Spread {
  int64_t stride, offset;
};
} // namespace

/// How `positions` spread their source among zeros, or none.
static std::optional<Spread> matchSpread(const PaddedPositions &positions) {
  int64_t size = positions.getSize();
  SmallVector<int64_t, 2> found; // The first two elements.
  for (int64_t i = 0; i < size && found.size() < 2; ++i)
    if (positions.get(i) != MovedDimension::kZero)
      found.push_back(i);
  if (found.empty())
    return std::nullopt;
  int64_t first = positions.get(found[0]);
  if (found.size() == 2 && positions.get(found[1]) != first + 1)
    return std::nullopt;
  int64_t stride = found.size() == 2 ? found[1] - found[0] : 1;
  Spread spread{stride, found[0] - first * stride};
  for (int64_t i = 0; i < size; ++i) {
    int64_t distance = i - spread.offset, index = distance / stride;
    bool isElement =
        distance % stride == 0 && distance >= 0 && index < positions.sourceSize;
    if (positions.get(i) != (isElement ? index : MovedDimension::kZero))
      return std::nullopt;
  }
  return spread;
}

/// True if the filter's dimension is in reverse order.
static bool isFlipped(const MovedOperand &filter, char letter) {
  const MovedDimension &dimension = filter.getDimension(letter);
  if (dimension.size != filter.getSourceSize(letter))
    return false;
  for (int64_t i = 0; i < dimension.size; ++i)
    if (dimension.getPosition(i) != dimension.size - 1 - i)
      return false;
  return true;
}

/// The window of the data gradient that the convolution is, or null if it is
/// none. See `FlippedToBackwardData`.
static WindowAttr computeGradientWindow(ForwardOp op, const MovedOperand &input,
                                        const MovedOperand &filter) {
  ConvolutionOpInterface convolution = op;
  ConvolutionShape shape = ConvolutionShape::get(convolution);
  WindowAttr window = op.getWindow();
  std::string inputs =
      getSpatialLetters(convolution.getOrder(TensorRole::Input), "DHW");
  std::string filters =
      getSpatialLetters(convolution.getOrder(TensorRole::Filter), "TRS");
  SmallVector<int64_t> strides, low, high;
  bool isGradient = false; // A window of one element has no order.
  for (size_t d = 0; d < inputs.size(); ++d) {
    // The filter is small; a padded input may have any number of positions.
    if (window.getStrides()[d] != 1 || !isFlipped(filter, filters[d]))
      return nullptr;
    auto positions = getPositions(input, inputs[d], window, d);
    auto spread = matchSpread(positions);
    if (!spread)
      return nullptr;
    int64_t span = window.getDilations()[d] * (shape.filter[d] - 1) + 1;
    int64_t before = span - 1 - spread->offset;
    int64_t reach = (positions.sourceSize - 1) * spread->stride + span;
    int64_t after = std::max<int64_t>(0, reach - before - shape.output[d]);
    // A border that no window reaches: in front, or wider than a stride.
    if (before < 0 ||
        before + shape.output[d] + after - reach >= spread->stride)
      return nullptr;
    isGradient |= spread->stride > 1 || shape.filter[d] > 1;
    strides.push_back(spread->stride);
    low.push_back(before);
    high.push_back(after);
  }
  if (!isGradient)
    return nullptr;
  return WindowAttr::get(op.getContext(), strides, window.getDilations(), low,
                         high);
}

/// An order of `op`, in the letters of the data gradient.
static std::string swapRoles(StringRef order) {
  StringRef from = "CKDHWZPQ", to = "KCZPQDHW";
  std::string result = order.str();
  for (char &letter : result)
    if (size_t i = from.find(letter); i != StringRef::npos)
      letter = to[i];
  return result;
}

namespace {
/// With unit strides, element `i` of a flipped filter meets position `p + i`:
///
///     out[p] = sum over i of spread[p + i * d] * filter[R - 1 - i],
///     spread[o + q * s] = x[q]
///
/// With `r = R - 1 - i` that is the sum over all `q * s + r * d - low = p` of
/// `x[q] * filter[r]` for `low = (R - 1) * d - o`: a gradient with stride `s`.
struct FlippedToBackwardData final : OpRewritePattern<ForwardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForwardOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getPadding() != PaddingMode::Zeros || !op.getEpilogue().empty())
      return rewriter.notifyMatchFailure(op,
                                         "pads with elements, or an epilogue");
    ConvolutionOpInterface convolution = op;
    return foldMovement(op.getFilter(),
                        convolution.getOrder(TensorRole::Filter),
                        [&](const MovedOperand &filter) {
                          return foldFilter(op, filter, rewriter);
                        });
  }

private:
  static LogicalResult foldFilter(ForwardOp op, const MovedOperand &filter,
                                  PatternRewriter &rewriter) {
    ConvolutionOpInterface convolution = op;
    StringRef order = convolution.getOrder(TensorRole::Filter);
    std::string letters = getSpatialLetters(order, "TRS");
    if (!isPlainBut(filter, order, letters))
      return failure();
    for (int maxOps = kMaxMovementOps; maxOps >= 0;) {
      MovedOperand input(op.getInput(), convolution.getOrder(TensorRole::Input),
                         maxOps);
      maxOps = std::min(maxOps, input.getMovement().numOps) - 1;
      if (input.isUsable() && succeeded(fold(op, input, filter, rewriter)))
        return success();
    }
    return failure();
  }

  static LogicalResult fold(ForwardOp op, const MovedOperand &input,
                            const MovedOperand &filter,
                            PatternRewriter &rewriter) {
    ConvolutionOpInterface convolution = op;
    StringRef order = convolution.getOrder(TensorRole::Input);
    if (!isPlainBut(input, order, getSpatialLetters(order, "DHW")))
      return failure();
    // Without a group dimension, the filter is `[K, C / groups]`, which differs
    // from a gradient's filter unless each group has one channel of both.
    bool hasG = order.contains('G');
    ConvolutionShape shape = ConvolutionShape::get(convolution);
    bool isDepthwise = shape.c == shape.groups && shape.k == shape.groups;
    if (shape.groups != 1 && !hasG && !isDepthwise)
      return failure();
    WindowAttr window = computeGradientWindow(op, input, filter);
    if (!window)
      return failure();
    replace(op, input, filter, window, rewriter);
    return success();
  }

  static void replace(ForwardOp op, const MovedOperand &input,
                      const MovedOperand &filter, WindowAttr window,
                      PatternRewriter &rewriter) {
    auto [gradient, inputOrder] = input.create(rewriter);
    auto [weights, filterOrder] = filter.create(rewriter);
    // Depthwise without a group dimension: the filter's letters keep their
    // meaning.
    bool hasG = StringRef(inputOrder).contains('G');
    bool isSwapped = op.getGroups() == 1 || hasG;
    auto layouts = LayoutsAttr::get(
        op.getContext(), swapRoles(op.getLayouts().getOutput()),
        isSwapped ? swapRoles(filterOrder) : filterOrder,
        swapRoles(inputOrder));
    auto created = createConvolution(
        rewriter, op.getLoc(), Direction::BackwardData, op.getType(), gradient,
        weights, window, layouts, op.getGroups(), PaddingMode::Zeros,
        op.getArithmetic());
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("FlippedToBackwardData").category(DEBUG_TYPE))
        << remark::add("a convolution with a flipped filter became "
                       "conv.backward_data");
    rewriter.replaceOp(op, created.getResultTensor());
  }
};
} // namespace

void mlir::conv::populateFlippedFilterPatterns(RewritePatternSet &patterns) {
  patterns.add<FlippedToBackwardData>(patterns.getContext());
}
