//===- ExpandExponential.cpp - exponentials without calls -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM would call libm's function for each element of a vector. Here, exp(x) is
// 2^n * exp(r), where n is the integer nearest to x / ln 2, and a polynomial is
// exp of the rest r, at most half of ln 2. The error is at most 2 ulp, as
// docs/numerics.md asks of it. Infinities, NaNs, overflow and subnormal results
// are those of libm.
//
//===----------------------------------------------------------------------===//

#include "ExpandExponential.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::conv;

/// Beyond these, the result is 0 or infinite.
static constexpr float kLeast = -104, kMost = 89;
/// ln 2 in two parts: products of the first one by n are exact.
static constexpr float kLn2High = 0x1.63p-1f, kLn2Low = -0x1.bd0106p-13f;
/// (exp(r) - 1 - r) / r^2 is nearly the sum of these by powers of r, the
/// highest first (Cephes, expf).
static constexpr float kCoefficients[] = {1.9875691500e-4f, 1.3981999507e-3f,
                                          8.3334519073e-3f, 4.1665795894e-2f,
                                          1.6666665459e-1f, 5.0000001201e-1f};

namespace {
/// Arithmetic on f32, or on vectors of it, at one place.
struct Arithmetic {
  ImplicitLocOpBuilder &b;
  Type type, integers;

  Arithmetic(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {
    integers = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      integers = vector.clone(integers);
  }

  Value number(float value) const {
    return constant(type, b.getF32FloatAttr(value));
  }
  Value integer(int32_t value) const {
    return constant(integers, b.getI32IntegerAttr(value));
  }
  Value constant(Type of, TypedAttr value) const {
    if (auto shaped = dyn_cast<ShapedType>(of))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(shaped, Attribute(value)));
    return arith::ConstantOp::create(b, value);
  }
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, x, y, z);
  }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  /// 2^n for an integer of the range of normal numbers.
  Value power(Value n) const {
    Value biased = arith::AddIOp::create(b, n, integer(127));
    Value bits = arith::ShLIOp::create(b, biased, integer(23));
    return arith::BitcastOp::create(b, type, bits);
  }
};

struct ExpandExponential final : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Arithmetic f32(b, op.getType());
    Value x = op.getOperand();
    // Neither result is NaN, of which there are no integers.
    Value bounded = arith::MinNumFOp::create(
        b, arith::MaxNumFOp::create(b, x, f32.number(kLeast)),
        f32.number(kMost));
    Value n = math::RoundEvenOp::create(
        b, f32.mul(bounded, f32.number(0x1.715476p+0f)));
    Value rest = f32.fma(n, f32.number(-kLn2High), bounded);
    rest = f32.fma(n, f32.number(-kLn2Low), rest);
    Value sum = f32.number(kCoefficients[0]);
    for (float coefficient : llvm::ArrayRef(kCoefficients).drop_front())
      sum = f32.fma(sum, rest, f32.number(coefficient));
    sum = f32.fma(sum, f32.mul(rest, rest), rest);
    sum = arith::AddFOp::create(b, sum, f32.number(1));
    // Two factors, each of which is a normal number where the result is not.
    Value exponent = arith::FPToSIOp::create(b, f32.integers, n);
    Value half = arith::ShRSIOp::create(b, exponent, f32.integer(1));
    Value other = arith::SubIOp::create(b, exponent, half);
    Value result = f32.mul(f32.mul(sum, f32.power(half)), f32.power(other));
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, x, result);
    return success();
  }
};
} // namespace

void mlir::conv::populateExpandExponentialPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandExponential>(patterns.getContext());
}
