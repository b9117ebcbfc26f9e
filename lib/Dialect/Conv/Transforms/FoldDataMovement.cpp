//===- FoldDataMovement.cpp - movement to layout and padding ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces ops that move elements before a convolution by the convolution's own
// attributes: its layouts, and the padding of its window.
//
//===----------------------------------------------------------------------===//

#include "MovedWindow.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Padding of one dimension of an input.
struct Padding {
  int64_t low, high;
};
} // namespace

/// The source position of the element at `position` of a padded dimension.
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

/// The padding at the low end that the first positions indicate, if its mode is
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

/// The padding of `mode` that produces `positions`, or none. Padding with zeros
/// may be negative at the high end, where positions are cut off.
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

/// The window of the convolution `op` on the source of `input`, with padding of
/// `mode`, or null if there is none. Positions that are cut off at the end may
/// stay if no window reaches them.
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

namespace {
/// Folds the movement of an operand into its layout, and that of an input into
/// the padding of the window.
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
} // namespace

void mlir::conv::populateFoldDataMovementPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldOperandMovement>(patterns.getContext());
  populateFlippedFilterPatterns(patterns);
}
