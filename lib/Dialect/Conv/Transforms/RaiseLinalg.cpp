//===- RaiseLinalg.cpp - linalg loops to conv.forward -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named ops and generics alike are read by their loops (ConvolutionLoops).
// Dimensions that their tensors lack are added with size 1.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLoops.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RAISELINALGPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-raise-linalg"

using namespace mlir;
using namespace mlir::conv;

/// True if every element of `tensor` is zero, of either sign.
static bool isZeroTensor(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return isZeroConstant(fill.value());
  return isZeroConstant(tensor);
}

namespace {
/// An input and its padding with zeros, by spatial dimension.
struct PaddedInput {
  Value tensor;
  SmallVector<int64_t> low, high;
};
} // namespace

/// Takes a `tensor.pad` with zeros off `input`, whose dimensions `order` names;
/// false if there is none that the window of a convolution can replace.
static bool takePad(PaddedInput &input, StringRef order) {
  auto pad = input.tensor.getDefiningOp<tensor::PadOp>();
  Value element = pad ? pad.getConstantPaddingValue() : nullptr;
  if (!element || !isZeroConstant(element) ||
      !pad.getSourceType().hasStaticShape())
    return false;
  auto low = getConstantIntValues(pad.getMixedLowPad());
  auto high = getConstantIntValues(pad.getMixedHighPad());
  if (!low || !high)
    return false;
  PaddedInput taken{pad.getSource(), input.low, input.high};
  int64_t dimension = 0;
  for (char letter : StringRef("DHW")) {
    size_t position = order.find(letter);
    if (position == StringRef::npos)
      continue;
    taken.low[dimension] += std::exchange((*low)[position], 0);
    taken.high[dimension] += std::exchange((*high)[position], 0);
    ++dimension;
  }
  auto isZero = [](int64_t value) { return value == 0; };
  auto isNegative = [](int64_t value) { return value < 0; };
  if (!llvm::all_of(*low, isZero) || !llvm::all_of(*high, isZero) ||
      llvm::any_of(taken.low, isNegative) ||
      llvm::any_of(taken.high, isNegative))
    return false; // Pads channels, or crops.
  input = taken;
  return true;
}

namespace {
/// The tensors of a convolution with all their dimensions.
struct CompleteTensors {
  UnitDimensions input, filter, output;

  CompleteTensors(const ConvolutionLoops &loops, RankedTensorType result)
      : input(complete(loops, cast<RankedTensorType>(loops.input.getType()),
                       loops.inputOrder, "N", "DHW", "C")),
        filter(complete(loops, cast<RankedTensorType>(loops.filter.getType()),
                        loops.filterOrder, "", "TRS", "KC")),
        output(complete(loops, result, loops.outputOrder, "N", "ZPQ", "K")) {}

private:
  static UnitDimensions complete(const ConvolutionLoops &loops,
                                 RankedTensorType type, StringRef order,
                                 StringRef batch, StringRef spatial,
                                 StringRef channels) {
    bool isGrouped = StringRef(loops.inputOrder).contains('G');
    std::string all = (batch + spatial.take_back(loops.strides.size()) +
                       (isGrouped ? "G" : "") + channels)
                          .str();
    return UnitDimensions(type, order, all);
  }
};

struct LoopsToForward final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<ConvolutionLoops> loops =
        readConvolutionLoops(op, [&](const Twine &reason) {
          (void)rewriter.notifyMatchFailure(op, reason);
        });
    if (failed(loops))
      return failure();
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    // Before dimensions are added, which would hide the padding.
    SmallVector<int64_t> zeros(loops->strides.size(), 0);
    PaddedInput input{loops->input, zeros, zeros};
    takePad(input, loops->inputOrder);
    loops->input = input.tensor;
    CompleteTensors tensors(*loops, resultType);
    RaisedConvolution raised{
        .types = {tensors.input.type, tensors.filter.type, tensors.output.type},
        .window = WindowAttr::get(op.getContext(), loops->strides,
                                  loops->dilations, input.low, input.high),
        .layouts = LayoutsAttr::get(op.getContext(), tensors.input.order,
                                    tensors.filter.order, tensors.output.order),
        .groups = loops->groups};
    if (!isRaisable(raised))
      return rewriter.notifyMatchFailure(
          op, "dynamic, of other element types, or cut off at the end");

    Location loc = op.getLoc();
    Value init = op.getDpsInits()[0];
    Addend addend;
    if (!isZeroTensor(init))
      addend = {tensors.output.expand(rewriter, init),
                rewriter.getMultiDimIdentityMap(tensors.output.type.getRank())};
    Value result = createRaised(
        rewriter, loc, raised, tensors.input.expand(rewriter, loops->input),
        tensors.filter.expand(rewriter, loops->filter), addend);
    remark::passed(
        loc, remark::RemarkOpts::name("LoopsToForward").category(DEBUG_TYPE))
        << remark::add("loops became conv.forward");
    rewriter.replaceOp(op, tensors.output.collapse(rewriter, result));
    return success();
  }
};

/// Padding with zeros in front of a convolution is padding of its window.
struct FoldPad final : OpInterfaceRewritePattern<ConvolutionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op.getResultRole() == TensorRole::Input)
      return rewriter.notifyMatchFailure(op, "computes the input");
    if (op.getPadding() != PaddingMode::Zeros)
      return rewriter.notifyMatchFailure(op, "pads with other elements");
    PaddedInput input{op.getTensor(TensorRole::Input),
                      llvm::to_vector(op.getWindow().getLow()),
                      llvm::to_vector(op.getWindow().getHigh())};
    if (!takePad(input, op.getOrder(TensorRole::Input)))
      return rewriter.notifyMatchFailure(op, "no padding to fold");
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, input.tensor); // The first operand is the input.
      op.setWindowAttr(WindowAttr::get(
          op.getContext(), op.getWindow().getStrides(),
          op.getWindow().getDilations(), input.low, input.high));
    });
    return success();
  }
};

struct RaiseLinalgPass final
    : mlir::conv::impl::RaiseLinalgPassBase<RaiseLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LoopsToForward, FoldPad>(&getContext());
    // Folding would rewrite ops that are not ours.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    eraseDeadOps(getOperation());
  }
};
} // namespace
