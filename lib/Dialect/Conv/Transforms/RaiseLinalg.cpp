//===- RaiseLinalg.cpp - linalg loops to conv.forward -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads named ops and generics alike by their loops (ConvolutionLoops). Missing
// dimensions of their tensors are added with size 1.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionLoops.h"
#include "RaiseUtils.h"
#include "Reshapes.h"
#include "ZeroPoints.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RAISELINALGPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-raise-linalg"

using namespace mlir;
using namespace mlir::conv;

static bool isNegative(int64_t value) { return value < 0; }

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

struct Padding {
  SmallVector<int64_t> low, high; ///< By spatial dimension.
};

/// Padding an input with its zero point does not change the sum: takes the
/// input without this padding. If the zero point is not zero, padding with
/// zeros is folded later.
Padding takePadding(ConvolutionLoops &loops) {
  Padding none{SmallVector<int64_t>(loops.strides.size(), 0),
               SmallVector<int64_t>(loops.strides.size(), 0)};
  auto pad = loops.input.getDefiningOp<tensor::PadOp>();
  if (!pad || loops.inputZeroPoint == 0)
    return none;
  Value element = pad.getConstantPaddingValue();
  auto low = getConstantIntValues(pad.getMixedLowPad());
  auto high = getConstantIntValues(pad.getMixedHighPad());
  if (!element || getZeroPoint(element) != loops.inputZeroPoint || !low ||
      !high || llvm::any_of(llvm::concat<int64_t>(*low, *high), isNegative))
    return none;
  Padding padding = none;
  StringRef letters = StringRef("DHW").take_back(loops.strides.size());
  for (auto [d, letter] : llvm::enumerate(loops.inputOrder)) {
    size_t spatial = letters.find(letter);
    if (spatial == StringRef::npos) {
      if ((*low)[d] != 0 || (*high)[d] != 0)
        return none;
      continue;
    }
    padding.low[spatial] = (*low)[d];
    padding.high[spatial] = (*high)[d];
  }
  loops.input = pad.getSource();
  return padding;
}

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
    Padding padding = takePadding(*loops);
    CompleteTensors tensors(*loops, resultType);
    RaisedConvolution raised{
        .types = {tensors.input.type, tensors.filter.type, tensors.output.type},
        .window = WindowAttr::get(op.getContext(), loops->strides,
                                  loops->dilations, padding.low, padding.high),
        .layouts = LayoutsAttr::get(op.getContext(), tensors.input.order,
                                    tensors.filter.order, tensors.output.order),
        .groups = loops->groups,
        .lhsZeroPoint = loops->inputZeroPoint,
        .rhsZeroPoint = loops->filterZeroPoint};
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

struct RaiseLinalgPass final
    : mlir::conv::impl::RaiseLinalgPassBase<RaiseLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LoopsToForward>(&getContext());
    populateFoldDataMovementPatterns(patterns);
    populateFoldReshapesPatterns(patterns);
    if (failed(applyWithoutFolding(getOperation(), std::move(patterns))))
      return signalPassFailure();
    eraseDeadOps(getOperation());
  }
};
} // namespace
