//===- RaiseLinalg.cpp - named linalg convolutions to conv.forward -*- C++
//-*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per named op says how it orders its operands. Quantised and depthwise
// ops have other operands and are left alone.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
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

namespace {
/// How a named op orders the dimensions of its operands.
struct NamedConvolution {
  StringLiteral name, input, filter, output;
};
} // namespace

static constexpr NamedConvolution kNamedConvolutions[] = {
    {"linalg.conv_1d_ncw_fcw", "NCW", "KCS", "NKQ"},
    {"linalg.conv_1d_nwc_wcf", "NWC", "SCK", "NQK"},
    {"linalg.conv_2d_nchw_fchw", "NCHW", "KCRS", "NKPQ"},
    {"linalg.conv_2d_ngchw_fgchw", "NGCHW", "KGCRS", "NGKPQ"},
    {"linalg.conv_2d_ngchw_gfchw", "NGCHW", "GKCRS", "NGKPQ"},
    {"linalg.conv_2d_nhwc_fhwc", "NHWC", "KRSC", "NPQK"},
    {"linalg.conv_2d_nhwc_hwcf", "NHWC", "RSCK", "NPQK"},
    {"linalg.conv_2d_nhwgc_gfhwc", "NHWGC", "GKRSC", "NPQGK"},
    {"linalg.conv_3d_ncdhw_fcdhw", "NCDHW", "KCTRS", "NKZPQ"},
    {"linalg.conv_3d_ndhwc_dhwcf", "NDHWC", "TRSCK", "NZPQK"},
};

static const NamedConvolution *lookupNamed(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto *row = llvm::find_if(kNamedConvolutions, [&](const auto &entry) {
    return entry.name == name;
  });
  return row == std::end(kNamedConvolutions) ? nullptr : row;
}

/// The window of a named op: strides and dilations are attributes, and 1 if
/// they are absent; padding is an op of its own. Null if they are not positive.
static WindowAttr getWindow(Operation *op, int64_t rank) {
  auto getList = [&](StringRef name) {
    SmallVector<int64_t> list(rank, 1);
    if (auto values = op->getAttrOfType<DenseIntElementsAttr>(name))
      list = llvm::to_vector(values.getValues<int64_t>());
    return list;
  };
  SmallVector<int64_t> strides = getList("strides");
  SmallVector<int64_t> dilations = getList("dilations");
  auto isPositive = [](int64_t value) { return value > 0; };
  if (!llvm::all_of(strides, isPositive) ||
      !llvm::all_of(dilations, isPositive))
    return nullptr;
  SmallVector<int64_t> zeros(rank, 0);
  return WindowAttr::get(op->getContext(), strides, dilations, zeros, zeros);
}

/// True if every element of `tensor` is zero, of either sign.
static bool isZeroTensor(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_AnyZeroFloat()) ||
           matchPattern(fill.value(), m_Zero());
  return matchPattern(tensor, m_AnyZeroFloat()) ||
         matchPattern(tensor, m_Zero());
}

namespace {
struct NamedToForward final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    const NamedConvolution *named = lookupNamed(op);
    if (!named)
      return rewriter.notifyMatchFailure(op, "not a named convolution");
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    RaisedConvolution raised{
        .input = op.getDpsInputs()[0],
        .filter = op.getDpsInputs()[1],
        .window = nullptr,
        .layouts = LayoutsAttr::get(op.getContext(), named->input,
                                    named->filter, named->output),
        .resultType = cast<RankedTensorType>(op->getResult(0).getType())};
    int64_t rank =
        getSpatialSizes(named->output, raised.resultType.getShape(), "ZPQ")
            .size();
    raised.window = getWindow(op, rank);
    if (auto input = dyn_cast<RankedTensorType>(raised.input.getType()))
      raised.groups = getSize(named->input, input.getShape(), 'G');
    if (!raised.window || !isRaisable(raised))
      return rewriter.notifyMatchFailure(
          op, "dynamic, of other element types, or cut off at the end");

    Value init = op.getDpsInits()[0];
    Value result = isZeroTensor(init)
                       ? createForward(rewriter, op.getLoc(), raised)
                       : createForwardPlus(rewriter, op.getLoc(), raised, init,
                                           rewriter.getMultiDimIdentityMap(
                                               raised.resultType.getRank()));
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("NamedToForward").category(DEBUG_TYPE))
        << remark::add("named convolution became conv.forward");
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Padding with zeros in front of a convolution is padding of its window.
struct FoldPad final : OpRewritePattern<ForwardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForwardOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    if (!pad || op.getPadding() != PaddingMode::Zeros)
      return rewriter.notifyMatchFailure(op, "no pad with zeros in front");
    Value element = pad.getConstantPaddingValue();
    if (!element || !(matchPattern(element, m_AnyZeroFloat()) ||
                      matchPattern(element, m_Zero())))
      return rewriter.notifyMatchFailure(op, "pads with another value than 0");
    auto padLow = getConstantIntValues(pad.getMixedLowPad());
    auto padHigh = getConstantIntValues(pad.getMixedHighPad());
    if (!padLow || !padHigh || !pad.getSourceType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "dynamic padding");

    WindowAttr window = op.getWindow();
    SmallVector<int64_t> low = llvm::to_vector(window.getLow());
    SmallVector<int64_t> high = llvm::to_vector(window.getHigh());
    int64_t dimension = 0;
    for (char letter : StringRef("DHW")) {
      size_t position = op.getLayouts().getInput().find(letter);
      if (position == StringRef::npos)
        continue;
      low[dimension] += std::exchange((*padLow)[position], 0);
      high[dimension] += std::exchange((*padHigh)[position], 0);
      ++dimension;
    }
    auto isNonZero = [](int64_t value) { return value != 0; };
    auto isNegative = [](int64_t value) { return value < 0; };
    if (llvm::any_of(*padLow, isNonZero) || llvm::any_of(*padHigh, isNonZero) ||
        llvm::any_of(low, isNegative) || llvm::any_of(high, isNegative))
      return rewriter.notifyMatchFailure(op, "pads channels, or crops");

    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(pad.getSource());
      op.setWindowAttr(WindowAttr::get(op.getContext(), window.getStrides(),
                                       window.getDilations(), low, high));
    });
    return success();
  }
};

struct RaiseLinalgPass final
    : mlir::conv::impl::RaiseLinalgPassBase<RaiseLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NamedToForward, FoldPad>(&getContext());
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
