//===- ExpandFunctions.cpp - functions without calls ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM would call libm's function for each element of a vector. Here, exp(x) is
// 2^n * exp(r), where n is the integer nearest to x / ln 2, and a polynomial is
// exp of the rest r, at most half of ln 2. expm1 takes the same polynomial
// before its 1 is added; tanh and erf are odd polynomials near zero, and 1
// minus a function of an exponential elsewhere. Errors are less than what
// docs/numerics.md asks of them; it has those that were measured. Infinities,
// NaNs and signs of zeros are those of libm, and subnormal numbers are kept.
//
//===----------------------------------------------------------------------===//

#include "ExpandFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::conv;

/// Beyond these, an exponential is 0 or infinite.
static constexpr float kLeast = -104, kMost = 89;
/// ln 2 in two parts: products of the first one by n are exact.
static constexpr float kLn2High = 0x1.63p-1f, kLn2Low = -0x1.bd0106p-13f;
/// (exp(r) - 1 - r) / r^2 is nearly the sum of these by powers of r, the
/// highest first (Cephes, expf).
static constexpr float kExponential[] = {1.9875691500e-4f, 1.3981999507e-3f,
                                         8.3334519073e-3f, 4.1665795894e-2f,
                                         1.6666665459e-1f, 5.0000001201e-1f};
/// (tanh(x) / x - 1) / x^2 by powers of x^2, up to `kTanhNearZero`.
static constexpr float kTanh[] = {-5.7049850e-3f, 2.0639086e-2f, -5.3739715e-2f,
                                  1.3331442e-1f, -3.3333281e-1f};
static constexpr float kTanhNearZero = 0.625f;
/// Beyond this, tanh is 1, and beyond the other, erf.
static constexpr float kTanhMost = 10, kErfMost = 4;
/// erf(x) / x - 1 by powers of x^2, up to `kErfNearZero`; beyond,
/// log(1 - erf(x)) / x + 1 by powers of x (N. Juffa, erff).
static constexpr float kErf[] = {-5.96761703e-4f, 4.99119423e-3f,
                                 -2.67681349e-2f, 1.12819925e-1f,
                                 -3.76125336e-1f, 1.28379166e-1f};
static constexpr float kErfNearZero = 0.927734375f;
static constexpr float kErfBeyond[] = {
    -1.72853470e-5f, 3.83197126e-4f,  -3.88396438e-3f, 2.42546219e-2f,
    -1.06777877e-1f, -6.34846687e-1f, -1.28717512e-1f};

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
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, x, y, z);
  }
  Value negate(Value x) const { return arith::NegFOp::create(b, x); }
  Value abs(Value x) const { return math::AbsFOp::create(b, x); }
  Value sign(Value x, Value of) const {
    return math::CopySignOp::create(b, x, of);
  }
  /// Not NaN, also where x is.
  Value min(Value x, float most) const {
    return arith::MinNumFOp::create(b, x, number(most));
  }
  Value max(Value x, float least) const {
    return arith::MaxNumFOp::create(b, x, number(least));
  }
  /// `then` where x is greater than the limit; else, also where x is NaN,
  /// `otherwise`.
  Value select(Value x, float limit, Value then, Value otherwise) const {
    Value isGreater =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, number(limit));
    return arith::SelectOp::create(b, isGreater, then, otherwise);
  }
  Value polynomial(ArrayRef<float> coefficients, Value x) const {
    Value sum = number(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  /// 2^n for an integer of the range of normal numbers.
  Value power(Value n) const {
    Value biased = arith::AddIOp::create(b, n, integer(127));
    Value bits = arith::ShLIOp::create(b, biased, integer(23));
    return arith::BitcastOp::create(b, type, bits);
  }

  /// exp(x) = 2^n * (1 + rest).
  struct Parts {
    Value n, rest;
  };
  Parts split(Value x) const {
    Value n = math::RoundEvenOp::create(b, mul(x, number(0x1.715476p+0f)));
    Value r = fma(n, number(-kLn2High), x);
    r = fma(n, number(-kLn2Low), r);
    Value rest = fma(polynomial(kExponential, r), mul(r, r), r);
    return {arith::FPToSIOp::create(b, integers, n), rest};
  }
  /// exp(x) of a number that is not near those that overflow or vanish.
  Value moderateExp(Value x) const {
    Parts parts = split(x);
    return mul(add(parts.rest, number(1)), power(parts.n));
  }
};

/// Replaces one operation on f32 by arithmetic.
template <typename Op> struct ExpandFunction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       expand(Arithmetic(b, op.getType()), op.getOperand()));
    return success();
  }

  virtual Value expand(const Arithmetic &f32, Value x) const = 0;
};

struct ExpandExp final : ExpandFunction<math::ExpOp> {
  using ExpandFunction::ExpandFunction;

  Value expand(const Arithmetic &f32, Value x) const override {
    auto [n, rest] = f32.split(f32.min(f32.max(x, kLeast), kMost));
    // Two factors, each of which is a normal number where the result is not.
    Value half = arith::ShRSIOp::create(f32.b, n, f32.integer(1));
    Value other = arith::SubIOp::create(f32.b, n, half);
    Value sum = f32.add(rest, f32.number(1));
    Value result = f32.mul(f32.mul(sum, f32.power(half)), f32.power(other));
    Value isNaN = arith::CmpFOp::create(f32.b, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(f32.b, isNaN, x, result);
  }
};

struct ExpandExpM1 final : ExpandFunction<math::ExpM1Op> {
  using ExpandFunction::ExpandFunction;

  /// Twice 2^(n-1) * rest + (2^(n-1) - 1/2), of which no part overflows before
  /// the result. Near zero, where halves may be subnormal numbers, the result
  /// is x + x^2 / 2, which would be +0 of -0.
  Value expand(const Arithmetic &f32, Value x) const override {
    auto [n, rest] = f32.split(f32.min(f32.max(x, -20), kMost));
    Value power = f32.power(arith::SubIOp::create(f32.b, n, f32.integer(1)));
    Value half = f32.fma(power, rest, f32.sub(power, f32.number(0.5)));
    Value nearZero = f32.fma(x, f32.mul(x, f32.number(0.5)), x);
    return f32.sign(
        f32.select(f32.abs(x), 0x1p-13f, f32.add(half, half), nearZero), x);
  }
};

struct ExpandTanh final : ExpandFunction<math::TanhOp> {
  using ExpandFunction::ExpandFunction;

  /// 1 - 2 / (exp(2 x) + 1)
  Value expand(const Arithmetic &f32, Value x) const override {
    Value size = f32.abs(x), square = f32.mul(x, x);
    Value bounded = f32.min(size, kTanhMost);
    Value divisor =
        f32.add(f32.moderateExp(f32.add(bounded, bounded)), f32.number(1));
    Value beyond = f32.sub(f32.number(1), f32.div(f32.number(2), divisor));
    Value nearZero =
        f32.fma(f32.mul(f32.polynomial(kTanh, square), square), size, size);
    return f32.sign(f32.select(size, kTanhNearZero, beyond, nearZero), x);
  }
};

struct ExpandErf final : ExpandFunction<math::ErfOp> {
  using ExpandFunction::ExpandFunction;

  Value expand(const Arithmetic &f32, Value x) const override {
    Value size = f32.abs(x);
    Value nearZero = f32.fma(f32.polynomial(kErf, f32.mul(x, x)), size, size);
    Value bounded = f32.min(size, kErfMost);
    Value logarithm = f32.fma(f32.polynomial(kErfBeyond, bounded), bounded,
                              f32.negate(bounded));
    Value beyond = f32.sub(f32.number(1), f32.moderateExp(logarithm));
    return f32.sign(f32.select(size, kErfNearZero, beyond, nearZero), x);
  }
};
} // namespace

void mlir::conv::populateExpandFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandErf, ExpandExp, ExpandExpM1, ExpandTanh>(
      patterns.getContext());
}
