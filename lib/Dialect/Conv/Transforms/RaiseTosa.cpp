//===- RaiseTosa.cpp - TOSA convolutions to this dialect --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each convolution is described in terms of this dialect, and one pattern
// rewrites them all. Upstream's conversion patterns convert the other ops, one
// by one; ops that they cannot convert stay.
//
//===----------------------------------------------------------------------===//

#include "FlatGathers.h"
#include "RaiseUtils.h"
#include "RescaleToScalars.h"
#include "ZeroPoints.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RAISETOSAPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-raise-tosa"

using namespace mlir;
using namespace mlir::conv;

/// The type if it is a ranked tensor, otherwise null.
static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// The window of an op whose `pad` has pairs before and after each dimension.
template <typename OpTy> static WindowAttr getPaddedWindow(OpTy op) {
  SmallVector<int64_t> low, high;
  for (auto [index, pad] : llvm::enumerate(op.getPad()))
    (index % 2 ? high : low).push_back(pad);
  return WindowAttr::get(op.getContext(), op.getStride(), op.getDilation(), low,
                         high);
}

/// Describes an op whose window moves over its input.
template <typename OpTy>
static RaisedConvolution describeForward(OpTy op, StringRef input,
                                         StringRef weight, StringRef output) {
  return {.types = {getTensorType(op.getInput()), getTensorType(op.getWeight()),
                    getTensorType(op.getResult())},
          .window = getPaddedWindow(op),
          .layouts = LayoutsAttr::get(op.getContext(), input, weight, output)};
}

static FailureOr<RaisedConvolution> describe(tosa::Conv2DOp op) {
  return describeForward(op, "NHWC", "KRSC", "NPQK");
}

static FailureOr<RaisedConvolution> describe(tosa::Conv3DOp op) {
  return describeForward(op, "NDHWC", "KTRSC", "NZPQK");
}

/// The weight is `[R, S, C, M]`, and output channels are `[C, M]` in one
/// dimension: with groups of one channel, that is `[R, S, K, 1]`.
static FailureOr<RaisedConvolution> describe(tosa::DepthwiseConv2DOp op) {
  RaisedConvolution raised = describeForward(op, "NHWC", "RSKC", "NPQK");
  RankedTensorType weight = getTensorType(op.getWeight());
  if (!weight || !weight.hasStaticShape())
    return failure();
  ArrayRef<int64_t> shape = weight.getShape();
  raised.groups = shape[2];
  raised.types[static_cast<size_t>(TensorRole::Filter)] =
      weight.clone({shape[0], shape[1], shape[2] * shape[3], 1});
  return raised;
}

/// A data gradient: `out_pad` extends the result where padding of a forward
/// convolution would crop it.
static FailureOr<RaisedConvolution> describe(tosa::TransposeConv2DOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> low, high, ones(2, 1);
  for (auto [index, pad] : llvm::enumerate(op.getOutPad()))
    if (index % 2 == 0 && pad > 0) // Leading elements that no window reaches.
      return failure();
    else
      (index % 2 ? high : low).push_back(std::max<int64_t>(0, -pad));
  return RaisedConvolution{
      .direction = Direction::BackwardData,
      .types = {getTensorType(op.getResult()), getTensorType(op.getWeight()),
                getTensorType(op.getInput())},
      .window = WindowAttr::get(context, op.getStride(), ones, low, high),
      .layouts = LayoutsAttr::get(context, "NHWC", "CRSK", "NPQK")};
}

/// The weight with the dimensions of its order: the last two dimensions of a
/// depthwise weight are collapsed.
static Value createReshaped(OpBuilder &builder, Value weight,
                            RankedTensorType type) {
  if (weight.getType() == type)
    return weight;
  SmallVector<ReassociationIndices> lastTwo = {{0}, {1}, {2, 3}};
  Value collapsed = tensor::CollapseShapeOp::create(builder, weight.getLoc(),
                                                    weight, lastTwo);
  return tensor::ExpandShapeOp::create(builder, weight.getLoc(), type,
                                       collapsed, lastTwo);
}

namespace {
template <typename OpTy>
struct TosaToConvolution final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType bias = getTensorType(op.getBias());
    if (!bias || !bias.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "unranked or dynamic");
    std::optional<int64_t> inputZeroPoint = getZeroPoint(op.getInputZp());
    std::optional<int64_t> weightZeroPoint = getZeroPoint(op.getWeightZp());
    if (!inputZeroPoint || !weightZeroPoint)
      return rewriter.notifyMatchFailure(op, "zero points are not constant");
    FailureOr<RaisedConvolution> raised = describe(op);
    if (failed(raised) || !isRaisable(*raised))
      return rewriter.notifyMatchFailure(
          op, "dynamic, of other element types, or not a gradient");
    raised->lhsZeroPoint = *inputZeroPoint;
    raised->rhsZeroPoint = *weightZeroPoint;

    Addend addend;
    if (!isZeroConstant(op.getBias())) {
      // A bias of one element applies to every channel.
      int64_t rank = raised->getResultType().getRank();
      AffineExpr channel = bias.getDimSize(0) == 1
                               ? rewriter.getAffineConstantExpr(0)
                               : rewriter.getAffineDimExpr(rank - 1);
      addend = {op.getBias(), AffineMap::get(rank, 0, channel)};
    }
    Value weight = createReshaped(rewriter, op.getWeight(),
                                  raised->getType(TensorRole::Filter));
    Value result = createRaised(rewriter, op.getLoc(), *raised, op.getInput(),
                                weight, addend);
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("TosaToConvolution").category(DEBUG_TYPE))
        << remark::add("{0} became an op of conv",
                       op->getName().getStringRef());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Concatenated results of one convolution per group become one grouped
/// convolution.
struct ConcatToGroups final : OpRewritePattern<tosa::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput1().front().getDefiningOp<tosa::Conv2DOp>();
    constexpr int64_t kChannels = 3;
    if (!first || op.getAxis() != kChannels)
      return rewriter.notifyMatchFailure(op, "no channels of convolutions");
    auto inputZeroPoint = getZeroPoint(first.getInputZp());
    auto weightZeroPoint = getZeroPoint(first.getWeightZp());
    if (!inputZeroPoint || !weightZeroPoint)
      return rewriter.notifyMatchFailure(op, "zero points are not constant");
    int64_t groups = op.getInput1().size();
    bool hasBias = !isZeroConstant(first.getBias());
    auto input = getWhole(first.getInput(), kChannels, groups);
    auto weight = getWhole(first.getWeight(), 0, groups);
    auto bias =
        hasBias ? getWhole(first.getBias(), 0, groups) : first.getBias();
    if (!input || !weight || !bias)
      return rewriter.notifyMatchFailure(op, "no slices of one tensor");
    for (auto [index, result] : llvm::enumerate(op.getInput1())) {
      auto convolution = result.getDefiningOp<tosa::Conv2DOp>();
      if (!convolution || convolution->getAttrs() != first->getAttrs() ||
          convolution.getType() != first.getType() ||
          getZeroPoint(convolution.getInputZp()) != inputZeroPoint ||
          getZeroPoint(convolution.getWeightZp()) != weightZeroPoint ||
          !isPart(convolution.getInput(), input, kChannels, index, groups) ||
          !isPart(convolution.getWeight(), weight, 0, index, groups) ||
          !(hasBias ? isPart(convolution.getBias(), bias, 0, index, groups)
                    : isZeroConstant(convolution.getBias())))
        return rewriter.notifyMatchFailure(op, "convolutions differ");
    }
    RaisedConvolution raised = *describe(first);
    raised.types = {getTensorType(input), getTensorType(weight),
                    getTensorType(op.getResult())};
    raised.groups = groups;
    raised.lhsZeroPoint = *inputZeroPoint;
    raised.rhsZeroPoint = *weightZeroPoint;
    // A bias of one element per group would have to be repeated.
    if (!isRaisable(raised) ||
        (hasBias && getTensorType(bias).getDimSize(0) !=
                        raised.getResultType().getDimSize(kChannels)))
      return rewriter.notifyMatchFailure(op, "of other types or another bias");
    Addend addend;
    if (hasBias)
      addend = {bias, AffineMap::get(4, 0, rewriter.getAffineDimExpr(3))};
    rewriter.replaceOp(
        op, createRaised(rewriter, op.getLoc(), raised, input, weight, addend));
    return success();
  }

private:
  /// Whether `part` is number `index` of `count` equal parts of `whole`.
  static bool isPart(Value part, Value whole, int64_t dimension, int64_t index,
                     int64_t count) {
    auto slice = part.getDefiningOp<tosa::SliceOp>();
    SmallVector<int64_t> start;
    if (!slice || slice.getInput1() != whole ||
        !slice.getStart().getDefiningOp() ||
        !tosa::getConstShapeValues(slice.getStart().getDefiningOp(), start))
      return false;
    auto type = getTensorType(whole), sliced = getTensorType(part);
    if (!type || !sliced || !type.hasStaticShape() || !sliced.hasStaticShape())
      return false;
    SmallVector<int64_t> shape(type.getShape()), offsets(shape.size(), 0);
    if (shape[dimension] % count != 0)
      return false;
    shape[dimension] /= count;
    offsets[dimension] = index * shape[dimension];
    return sliced.getShape() == ArrayRef(shape) && start == offsets;
  }

  /// The tensor whose first part `part` is, or null.
  static Value getWhole(Value part, int64_t dimension, int64_t count) {
    auto slice = part.getDefiningOp<tosa::SliceOp>();
    if (!slice || !isPart(part, slice.getInput1(), dimension, 0, count))
      return nullptr;
    return slice.getInput1();
  }
};

struct RaiseTosaPass final
    : mlir::conv::impl::RaiseTosaPassBase<RaiseTosaPass> {
  void runOnOperation() override {
    separateFlatGathers(getOperation());
    if (failed(raiseGroups()) || failed(raiseConvolutions()) ||
        failed(convertOthers()))
      return signalPassFailure();
    eraseDeadOps(getOperation());
  }

private:
  /// Runs before the convolutions of the groups are raised one by one.
  LogicalResult raiseGroups() {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConcatToGroups>(&getContext());
    return applyPatterns(std::move(patterns));
  }

  LogicalResult raiseConvolutions() {
    RewritePatternSet patterns(&getContext());
    patterns.add<TosaToConvolution<tosa::Conv2DOp>,
                 TosaToConvolution<tosa::Conv3DOp>,
                 TosaToConvolution<tosa::DepthwiseConv2DOp>,
                 TosaToConvolution<tosa::TransposeConv2DOp>>(&getContext());
    populateRescaleToScalarsPatterns(patterns);
    if (failed(applyPatterns(std::move(patterns))))
      return failure();
    // Averages are raised only beside convolutions.
    RewritePatternSet averages(&getContext());
    populateAverageToDepthwisePatterns(averages);
    return applyPatterns(std::move(averages));
  }

  LogicalResult applyPatterns(RewritePatternSet patterns) {
    return applyWithoutFolding(getOperation(), std::move(patterns));
  }

  /// Ops that may be converted. "May": they are not marked illegal, so that an
  /// op that no pattern matches stays.
  static bool isConverted(Operation *op) {
    if (auto sum = dyn_cast<tosa::ReduceSumOp>(op))
      return isa<FloatType>(getElementTypeOrSelf(sum.getType()));
    return op->hasTrait<OpTrait::tosa::TosaElementwiseOperator>() ||
           isa<tosa::CastOp, tosa::ConcatOp, tosa::ConstOp, tosa::MulOp,
               tosa::PadOp, tosa::ReciprocalOp, tosa::ReshapeOp,
               tosa::ReverseOp, tosa::SliceOp, tosa::TransposeOp>(op);
  }

  LogicalResult convertOthers() {
    TypeConverter converter;
    tosa::populateTosaTypeConversion(converter);
    RewritePatternSet patterns(&getContext());
    tosa::populateTosaToLinalgConversionPatterns(converter, &patterns);
    tosa::populateTosaToLinalgNamedConversionPatterns(
        converter, &patterns, TosaToLinalgNamedOptions()); // For transposes.
    tosa::populateTosaToTensorConversionPatterns(converter, &patterns);
    tosa::populateTosaToArithConversionPatterns(&patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) -> std::optional<bool> {
          if (isConverted(op))
            return std::nullopt;
          return true;
        });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
