//===- RaiseTosa.cpp - tosa.conv2d to conv.forward -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convolution has a pattern of its own. What is around it goes through
// upstream's conversion patterns, op by op: what they cannot convert stays.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_RAISETOSAPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

#define DEBUG_TYPE "conv-raise-tosa"

using namespace mlir;
using namespace mlir::conv;

static bool isZeroConstant(Value tensor) {
  return matchPattern(tensor, m_AnyZeroFloat()) ||
         matchPattern(tensor, m_Zero());
}

namespace {
struct TosaConv2DToForward final : OpRewritePattern<tosa::Conv2DOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::Conv2DOp op,
                                PatternRewriter &rewriter) const override {
    auto resultType = dyn_cast<RankedTensorType>(op.getType());
    auto biasType = dyn_cast<RankedTensorType>(op.getBias().getType());
    if (!resultType || !biasType || !biasType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "unranked or dynamic");
    if (!isZeroConstant(op.getInputZp()) || !isZeroConstant(op.getWeightZp()))
      return rewriter.notifyMatchFailure(op, "zero points are not constant 0");

    ArrayRef<int64_t> pad = op.getPad(); // top, bottom, left, right
    MLIRContext *context = op.getContext();
    RaisedConvolution raised{
        .input = op.getInput(),
        .filter = op.getWeight(),
        .window = WindowAttr::get(context, op.getStride(), op.getDilation(),
                                  {pad[0], pad[2]}, {pad[1], pad[3]}),
        .layouts = LayoutsAttr::get(context, "NHWC", "KRSC", "NPQK"),
        .resultType = resultType};
    if (!isRaisable(raised))
      return rewriter.notifyMatchFailure(op, "dynamic or other element types");

    Value result;
    if (isZeroConstant(op.getBias())) {
      result = createForward(rewriter, op.getLoc(), raised);
    } else {
      // A bias of one element is that of every channel.
      AffineExpr channel = biasType.getDimSize(0) == 1
                               ? rewriter.getAffineConstantExpr(0)
                               : rewriter.getAffineDimExpr(3);
      result = createForwardPlus(rewriter, op.getLoc(), raised, op.getBias(),
                                 AffineMap::get(4, 0, channel));
    }
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("TosaConv2DToForward").category(DEBUG_TYPE))
        << remark::add("tosa.conv2d became conv.forward");
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct RaiseTosaPass final
    : mlir::conv::impl::RaiseTosaPassBase<RaiseTosaPass> {
  void runOnOperation() override {
    if (failed(raiseConvolutions()) || failed(convertOthers()))
      return signalPassFailure();
    eraseDeadOps(getOperation());
  }

private:
  LogicalResult raiseConvolutions() {
    RewritePatternSet patterns(&getContext());
    patterns.add<TosaConv2DToForward>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }

  /// Ops that may be converted. "May": without a verdict, an op that no pattern
  /// takes stays.
  static bool isConverted(Operation *op) {
    return op->hasTrait<OpTrait::tosa::TosaElementwiseOperator>() ||
           isa<tosa::CastOp, tosa::ConstOp, tosa::MulOp, tosa::PadOp,
               tosa::ReciprocalOp, tosa::ReshapeOp>(op);
  }

  LogicalResult convertOthers() {
    TypeConverter converter;
    tosa::populateTosaTypeConversion(converter);
    RewritePatternSet patterns(&getContext());
    tosa::populateTosaToLinalgConversionPatterns(converter, &patterns);
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
