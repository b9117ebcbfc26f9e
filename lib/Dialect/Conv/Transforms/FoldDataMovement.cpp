//===- FoldDataMovement.cpp - movement of operands into convolutions -*- C++ -*-
//===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves elements in front of a convolution, its own terms say: layouts,
// padding of its window, and its direction, since a convolution of an input
// with zeros between its elements and a flipped filter is the gradient of
// another one.
//
//===----------------------------------------------------------------------===//

#include "MovedOperand.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "conv-raise-linalg"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The positions of one spatial dimension of an input in its source, with the
/// padding of a window.
struct PaddedPositions {
  const MovedDimension &dimension;
  int64_t sourceSize, low, high;

  int64_t getSize() const { return low + dimension.size + high; }
  int64_t get(int64_t index) const {
    int64_t inside = index - low;
    if (inside < 0 || inside >= dimension.size)
      return MovedDimension::kZero;
    return dimension.getPosition(inside);
  }
};

/// Padding of one dimension of an input.
struct Padding {
  int64_t low, high;
};
} // namespace

/// Where the element at `position` of a dimension with padding is.
static int64_t getPadded(PaddingMode mode, int64_t position, int64_t size) {
  switch (mode) {
  case PaddingMode::Zeros:
    return position < 0 || position >= size ? MovedDimension::kZero : position;
  case PaddingMode::Reflect:
    return position < 0       ? -position
           : position >= size ? 2 * (size - 1) - position
                              : position;
  case PaddingMode::Replicate:
    return std::clamp<int64_t>(position, 0, size - 1);
  case PaddingMode::Circular:
    return (position % size + size) % size;
  }
  llvm_unreachable("every mode is known");
}

/// The padding at the low end that the first positions show, if it is of
/// `mode`.
static int64_t guessLow(const PaddedPositions &positions, PaddingMode mode) {
  int64_t end = positions.getSize(), first = positions.get(0), i = 0;
  switch (mode) {
  case PaddingMode::Zeros:
    while (i < end && positions.get(i) == MovedDimension::kZero)
      ++i;
    return i;
  case PaddingMode::Reflect:
    return first;
  case PaddingMode::Replicate:
    while (i + 1 < end && positions.get(i + 1) == 0)
      ++i;
    return i;
  case PaddingMode::Circular:
    return first == 0 ? 0 : positions.sourceSize - first;
  }
  llvm_unreachable("every mode is known");
}

/// The padding of `mode` that `positions` are, or none. Zeros may be fewer than
/// none at the high end, where positions are cut off.
static std::optional<Padding> matchPadding(const PaddedPositions &positions,
                                           PaddingMode mode) {
  int64_t size = positions.sourceSize;
  if (positions.dimension.isIdentity() && positions.dimension.size == size &&
      (mode == PaddingMode::Zeros || positions.low + positions.high == 0))
    return Padding{positions.low, positions.high};
  int64_t low = guessLow(positions, mode);
  Padding padding{low, positions.getSize() - size - low};
  bool isInBounds = mode == PaddingMode::Reflect    ? low < size
                    : mode == PaddingMode::Circular ? low <= size
                                                    : true;
  bool isCropped = padding.high < 0 && mode != PaddingMode::Zeros;
  if (low < 0 || isCropped || !isInBounds ||
      (mode == PaddingMode::Reflect && padding.high >= size) ||
      (mode == PaddingMode::Circular && padding.high > size))
    return std::nullopt; // Crops, or beyond C11 and C12.
  for (int64_t i = 0; i < positions.getSize(); ++i)
    if (positions.get(i) != getPadded(mode, i - low, size))
      return std::nullopt;
  return padding;
}

/// The spatial letters that `order` has, of `letters`.
static std::string getSpatialLetters(StringRef order, StringRef letters) {
  std::string result;
  for (char letter : letters)
    if (order.contains(letter))
      result += letter;
  return result;
}

static PaddedPositions getPositions(const MovedOperand &input, char letter,
                                    WindowAttr window, size_t index) {
  return {input.getDimension(letter), input.getSourceSize(letter),
          window.getLow()[index], window.getHigh()[index]};
}

/// The window of a convolution `op` of the source of `input`, padding by
/// `mode`, or null if there is none. Positions that are cut off at the end may
/// be there if no window is between them and the others.
static WindowAttr matchWindow(ConvolutionOpInterface op,
                              const MovedOperand &input, StringRef letters,
                              PaddingMode mode) {
  WindowAttr window = op.getWindow();
  ConvolutionShape shape = ConvolutionShape::get(op);
  SmallVector<int64_t> low, high;
  for (auto [index, letter] : llvm::enumerate(letters)) {
    PaddedPositions positions = getPositions(input, letter, window, index);
    auto padding = matchPadding(positions, mode);
    if (!padding)
      return nullptr;
    low.push_back(padding->low);
    high.push_back(std::max<int64_t>(0, padding->high));
    if (padding->high < 0 &&
        computeOutputSize({positions.sourceSize, shape.filter[index],
                           shape.strides[index], shape.dilations[index],
                           low.back(), 0}) != shape.output[index])
      return nullptr;
  }
  return WindowAttr::get(window.getContext(), window.getStrides(),
                         window.getDilations(), low, high);
}

/// True if all dimensions of `operand` but those of `letters` stay as they are.
static bool isPlainBut(const MovedOperand &operand, StringRef order,
                       StringRef letters) {
  return llvm::all_of(order, [&](char letter) {
    return letters.contains(letter) || operand.isPlain(letter);
  });
}

/// Looks back over all ops, then over fewer, until `fold` succeeds.
static LogicalResult
foldMovement(Value tensor, StringRef order,
             function_ref<LogicalResult(const MovedOperand &)> fold) {
  for (int maxOps = kMaxMovementOps; maxOps > 0;) {
    MovedOperand operand(tensor, order, maxOps);
    maxOps = std::min(maxOps, operand.getMovement().numOps) - 1;
    if (operand.isUsable() && succeeded(fold(operand)))
      return success();
  }
  return failure();
}

namespace {
/// Movement of an operand becomes its layout, and that of an input padding of
/// the window.
struct FoldOperandMovement final
    : OpInterfaceRewritePattern<ConvolutionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (TensorRole role : getOperandRoles(op.getDirection()))
      if (succeeded(foldMovement(op.getTensor(role), op.getOrder(role),
                                 [&](const MovedOperand &operand) {
                                   return fold(op, role, operand, rewriter);
                                 })))
        return success();
    return rewriter.notifyMatchFailure(op, "no movement to fold");
  }

private:
  static LogicalResult fold(ConvolutionOpInterface op, TensorRole role,
                            const MovedOperand &operand,
                            PatternRewriter &rewriter) {
    StringRef order = op.getOrder(role);
    std::string letters =
        role == TensorRole::Input ? getSpatialLetters(order, "DHW") : "";
    if (operand.isReshape() || !isPlainBut(operand, order, letters))
      return failure();
    WindowAttr window = op.getWindow();
    PaddingMode mode = op.getPadding();
    if (!isPlainBut(operand, order, "")) {
      if (mode != PaddingMode::Zeros)
        return failure(); // One padding around another.
      window = nullptr;
      for (PaddingMode candidate :
           {PaddingMode::Zeros, PaddingMode::Reflect, PaddingMode::Replicate,
            PaddingMode::Circular}) {
        mode = candidate;
        window = matchWindow(op, operand, letters, mode);
        if (window)
          break;
      }
      if (!window)
        return failure();
    }
    replace(op, role, operand, window, mode, rewriter);
    return success();
  }

  static void replace(ConvolutionOpInterface op, TensorRole role,
                      const MovedOperand &operand, WindowAttr window,
                      PaddingMode mode, PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    auto [source, order] = operand.create(rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(role == op.getLhsRole() ? 0 : 1, source);
      op->setAttr("layouts", replaceOrder(op.getLayouts(), role, order));
      op->setAttr("padding", PaddingModeAttr::get(op.getContext(), mode));
      op.setWindowAttr(window);
    });
  }
};

/// Where the elements of a source are among zeros: `stride` apart, the first
/// one at `offset`.
struct Spread {
  int64_t stride, offset;
};
} // namespace

/// How `positions` spread their source, or none.
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

/// The window of the gradient whose result has `resultSize` positions in each
/// dimension, or null. See `FlippedToBackwardData`.
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
    // The filter is short; a padded input may have any number of positions.
    if (window.getStrides()[d] != 1 || !isFlipped(filter, filters[d]))
      return nullptr;
    auto positions = getPositions(input, inputs[d], window, d);
    auto spread = matchSpread(positions);
    if (!spread)
      return nullptr;
    int64_t span = window.getDilations()[d] * (shape.filter[d] - 1) + 1;
    int64_t before = span - 1 - spread->offset;
    int64_t reach = (positions.sourceSize - 1) * spread->stride + span;
    int64_t behind = std::max<int64_t>(0, reach - before - shape.output[d]);
    // A border that no window reaches: in front, or wider than a stride.
    if (before < 0 ||
        before + shape.output[d] + behind - reach >= spread->stride)
      return nullptr;
    isGradient |= spread->stride > 1 || shape.filter[d] > 1;
    strides.push_back(spread->stride);
    low.push_back(before);
    high.push_back(behind);
  }
  if (!isGradient)
    return nullptr;
  return WindowAttr::get(op.getContext(), strides, window.getDilations(), low,
                         high);
}

/// The letters of an order of `op` in the gradient that it is.
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
    // Groups within the channels have a filter of `[K, C / groups]`, which is
    // not that of a gradient, unless both are one channel.
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
    // Groups of one channel within the channels: both letters of the filter
    // mean what they did.
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

void mlir::conv::populateFoldDataMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldOperandMovement, FlippedToBackwardData>(
      patterns.getContext());
}
