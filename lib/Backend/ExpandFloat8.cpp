//===- ExpandFloat8.cpp - conversions of 8-bit floats -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no 8-bit floats. Conversion instructions differ in what they do
// beyond the largest value (NVIDIA's saturate, AMD's depend on a mode) and in
// the formats they support. So all back ends share this expansion and give
// `arith.truncf` one meaning: round to nearest even, then infinity, or NaN
// where the format has no infinity.
//
//===----------------------------------------------------------------------===//

#include "ExpandFloat8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::conv;

/// Preferred to patterns that expect LLVM to support the type.
static constexpr unsigned kBenefit = 10;

static constexpr int64_t kInfinityF32 = 0x7f800000;
static constexpr int64_t kMagnitudeF32 = 0x7fffffff;
static constexpr int kMantissaBitsF32 = 23, kBiasF32 = 127;

namespace {
/// An 8-bit float format; codes are codes of magnitudes.
struct Float8 {
  int mantissaBits, bias;
  int64_t largest;  ///< Finite magnitude.
  int64_t overflow; ///< The code for larger ones.
  int64_t nan;
  bool isFnuz; ///< Negative zero's code is NaN, the only NaN.

  /// The exponent of the smallest normal number.
  int smallestExponent() const { return 1 - bias; }
};
} // namespace

static std::optional<Float8> getFloat8(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Float8{3, 7, 0x7e, 0x7f, 0x7f, false};
  if (isa<Float8E5M2Type>(type))
    return Float8{2, 15, 0x7b, 0x7c, 0x7e, false};
  if (isa<Float8E4M3FNUZType>(type))
    return Float8{3, 8, 0x7f, 0x80, 0x80, true};
  if (isa<Float8E5M2FNUZType>(type))
    return Float8{2, 16, 0x7f, 0x80, 0x80, true};
  return std::nullopt;
}

/// `shape` with another element type; the type itself for a scalar.
static Type withElement(Type shape, Type element) {
  auto vector = dyn_cast<VectorType>(shape);
  return vector ? vector.clone(element) : element;
}

namespace {
/// Arithmetic on 32-bit integers with the shape of a converted value.
class Bits {
public:
  Bits(PatternRewriter &rewriter, Location loc, Type shape)
      : b(loc, rewriter), i32(withElement(shape, b.getI32Type())),
        f32(withElement(shape, b.getF32Type())) {}

  Value constant(int64_t value) {
    TypedAttr number = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = dyn_cast<VectorType>(i32))
      number = DenseElementsAttr::get(vector, Attribute(number));
    return arith::ConstantOp::create(b, number);
  }
  /// 2^exponent as an f32.
  Value power(int exponent) {
    return asFloat(constant(static_cast<int64_t>(exponent + kBiasF32)
                            << kMantissaBitsF32));
  }
  Value asFloat(Value bits) { return arith::BitcastOp::create(b, f32, bits); }
  Value asBits(Value number) {
    return arith::BitcastOp::create(b, i32, number);
  }
  Value masked(Value bits, int64_t mask) {
    return arith::AndIOp::create(b, bits, constant(mask));
  }
  Value shiftLeft(Value bits, int64_t count) {
    return arith::ShLIOp::create(b, bits, constant(count));
  }
  Value shiftRight(Value bits, int64_t count) {
    return arith::ShRUIOp::create(b, bits, constant(count));
  }
  Value compare(arith::CmpIPredicate predicate, Value bits, int64_t value) {
    return arith::CmpIOp::create(b, predicate, bits, constant(value));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }

  ImplicitLocOpBuilder b;
  Type i32, f32;
};
} // namespace

/// The f32 value of 8-bit codes.
static Value decode(Bits &bits, const Float8 &format, Value number) {
  ImplicitLocOpBuilder &b = bits.b;
  Value code = arith::BitcastOp::create(
      b, withElement(number.getType(), b.getI8Type()), number);
  code = arith::ExtUIOp::create(b, bits.i32, code);
  Value magnitude = bits.masked(code, 0x7f);
  Value sign = bits.shiftLeft(bits.masked(code, 0x80), 24);
  // The code's exponent is in place except for its bias, which a product by a
  // power of two corrects, for subnormal numbers too.
  Value placed =
      bits.shiftLeft(magnitude, kMantissaBitsF32 - format.mantissaBits);
  Value scaled = bits.asBits(arith::MulFOp::create(
      b, bits.asFloat(placed), bits.power(kBiasF32 - format.bias)));
  // Infinities and NaN get f32's largest exponent, whatever their mantissa.
  Value isSpecial, special;
  if (format.isFnuz) {
    isSpecial = bits.compare(arith::CmpIPredicate::eq, code, format.nan);
    special = bits.constant(kMagnitudeF32);
  } else {
    isSpecial =
        bits.compare(arith::CmpIPredicate::ugt, magnitude, format.largest);
    special = arith::OrIOp::create(b, placed, bits.constant(kInfinityF32));
  }
  Value result = bits.select(isSpecial, special, scaled);
  return bits.asFloat(arith::OrIOp::create(b, result, sign));
}

/// The code of a magnitude, rounded to nearest even; it may be too large.
static Value roundMagnitude(Bits &bits, const Float8 &format, Value magnitude) {
  ImplicitLocOpBuilder &b = bits.b;
  int dropped = kMantissaBitsF32 - format.mantissaBits;
  // Half of the last place, minus one if the code would become odd.
  Value odd = bits.masked(bits.shiftRight(magnitude, dropped), 1);
  Value half = arith::AddIOp::create(
      b, odd, bits.constant((int64_t(1) << (dropped - 1)) - 1));
  Value rounded =
      bits.shiftRight(arith::AddIOp::create(b, magnitude, half), dropped);
  int64_t rebias = int64_t(kBiasF32 - format.bias) << format.mantissaBits;
  Value normal = arith::SubIOp::create(b, rounded, bits.constant(rebias));
  // Adding a number whose last place is the subnormal step rounds to that step
  // and leaves the number of steps in the lowest bits.
  int exponent = format.smallestExponent();
  Value step = bits.power(exponent + dropped);
  Value sum = arith::AddFOp::create(b, bits.asFloat(magnitude), step);
  Value subnormal =
      arith::SubIOp::create(b, bits.asBits(sum), bits.asBits(step));
  Value isSubnormal =
      bits.compare(arith::CmpIPredicate::ult, magnitude,
                   int64_t(exponent + kBiasF32) << kMantissaBitsF32);
  return bits.select(isSubnormal, subnormal, normal);
}

/// The 8-bit codes of f32 values.
static Value encode(Bits &bits, const Float8 &format, Value number) {
  ImplicitLocOpBuilder &b = bits.b;
  Value all = bits.asBits(number);
  Value magnitude = bits.masked(all, kMagnitudeF32);
  Value sign = bits.masked(bits.shiftRight(all, 24), 0x80);
  Value code = roundMagnitude(bits, format, magnitude);
  Value isTooLarge =
      bits.compare(arith::CmpIPredicate::sgt, code, format.largest);
  code = bits.select(isTooLarge, bits.constant(format.overflow), code);
  Value isNan =
      bits.compare(arith::CmpIPredicate::ugt, magnitude, kInfinityF32);
  code = bits.select(isNan, bits.constant(format.nan), code);
  Value result = arith::OrIOp::create(b, code, sign);
  if (format.isFnuz) {
    Value isZero = bits.compare(arith::CmpIPredicate::eq, code, 0);
    result = bits.select(isZero, code, result);
  }
  return arith::TruncIOp::create(
      b, withElement(number.getType(), b.getI8Type()), result);
}

namespace {
struct ExpandExtension final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Float8> format = getFloat8(getElementTypeOrSelf(op.getIn()));
    if (!format)
      return rewriter.notifyMatchFailure(op, "not from an 8-bit float");
    Type type = op.getOut().getType();
    Bits bits(rewriter, op.getLoc(), type);
    Value number = decode(bits, *format, op.getIn());
    // The 16-bit types have every value of the 8-bit types.
    if (number.getType() != type)
      number = arith::TruncFOp::create(bits.b, type, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};

struct ExpandTruncation final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOut().getType();
    std::optional<Float8> format = getFloat8(getElementTypeOrSelf(type));
    if (!format)
      return rewriter.notifyMatchFailure(op, "not to an 8-bit float");
    Bits bits(rewriter, op.getLoc(), type);
    Value number = op.getIn();
    if (number.getType() != bits.f32)
      number = arith::ExtFOp::create(bits.b, bits.f32, number);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, type, encode(bits, *format, number));
    return success();
  }
};
} // namespace

void mlir::conv::populateExpandFloat8Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtension, ExpandTruncation>(patterns.getContext(),
                                                  kBenefit);
}
