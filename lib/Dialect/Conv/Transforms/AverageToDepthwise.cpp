//===- AverageToDepthwise.cpp - average pooling of TOSA ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOSA divides by the number of window elements inside of the input, which is
// the same everywhere if there is no padding.
//
//===----------------------------------------------------------------------===//

#include "RaiseUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Converts the average over windows that are entirely inside of the input.
struct AverageToDepthwise final : OpRewritePattern<tosa::AvgPool2dOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::AvgPool2dOp op,
                                PatternRewriter &rewriter) const override {
    auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto output = dyn_cast<RankedTensorType>(op.getResult().getType());
    bool isPadded =
        llvm::any_of(op.getPad(), [](int64_t pad) { return pad != 0; });
    if (!hasKernels(op->getParentOfType<func::FuncOp>()) || isPadded ||
        !input || !output || !input.hasStaticShape() ||
        !output.hasStaticShape() || !isa<FloatType>(input.getElementType()))
      return rewriter.notifyMatchFailure(op, "padded, or not of floats");
    constexpr int64_t kChannels = 3;
    int64_t channels = input.getDimSize(kChannels);
    ArrayRef<int64_t> kernel = op.getKernel();
    SmallVector<int64_t> none(2, 0), ones(2, 1);
    RankedTensorType filter = input.clone({channels, kernel[0], kernel[1], 1});
    // In f32, the sum does not overflow, and the divisor is exact.
    RaisedConvolution raised{
        .types = {input, filter, output.clone(rewriter.getF32Type())},
        .window =
            WindowAttr::get(op.getContext(), op.getStride(), ones, none, none),
        .layouts = LayoutsAttr::get(op.getContext(), "NHWC", "KRSC", "NPQK"),
        .groups = channels};
    if (!isRaisable(raised))
      return rewriter.notifyMatchFailure(op, "of other element types");
    auto one = rewriter.getFloatAttr(filter.getElementType(), 1.0);
    Value weight = arith::ConstantOp::create(
        rewriter, op.getLoc(), DenseElementsAttr::get(filter, one));
    Value sum = createRaised(rewriter, op.getLoc(), raised, op.getInput(),
                             weight, Addend());
    Value mean = createQuotient(rewriter, sum, kernel[0] * kernel[1]);
    if (mean.getType() != output)
      mean = arith::TruncFOp::create(rewriter, op.getLoc(), output, mean);
    rewriter.replaceOp(op, mean);
    return success();
  }

private:
  static Value createQuotient(OpBuilder &builder, Value sum, int64_t count) {
    auto type = cast<RankedTensorType>(sum.getType());
    auto number = builder.getFloatAttr(type.getElementType(), double(count));
    Value divisor = arith::ConstantOp::create(
        builder, sum.getLoc(), DenseElementsAttr::get(type, number));
    return arith::DivFOp::create(builder, sum.getLoc(), sum, divisor);
  }
};
} // namespace

void mlir::conv::populateAverageToDepthwisePatterns(
    RewritePatternSet &patterns) {
  patterns.add<AverageToDepthwise>(patterns.getContext());
}
