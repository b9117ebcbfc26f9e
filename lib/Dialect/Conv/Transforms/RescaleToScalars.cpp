//===- RescaleToScalars.cpp - tosa.rescale as arithmetic --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is multiplied by `multiplier * 2^-shift` in 64 bits and rounded
// exactly as TOSA specifies. Upstream's lowering produces ops that kernels do
// not support.
//
//===----------------------------------------------------------------------===//

#include "RescaleToScalars.h"

#include "ZeroPoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Creates 64-bit integer ops in the body of an op.
class WideScalars {
public:
  WideScalars(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value constant(int64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value widen(Value value) const {
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  }
  Value narrow(Value value, Type type) const {
    return arith::TruncIOp::create(b, loc, type, value);
  }
  Value isNegative(Value value) const { return isBelow(value, constant(0)); }
  Value isBelow(Value lhs, Value rhs) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
  }
  template <typename OpTy> Value create(Value lhs, Value rhs) const {
    return OpTy::create(b, loc, lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) const {
    return rhs == 0 ? lhs : create<arith::AddIOp>(lhs, constant(rhs));
  }
  Value select(Value condition, Value lhs, Value rhs) const {
    return arith::SelectOp::create(b, loc, condition, lhs, rhs);
  }

private:
  OpBuilder &b;
  Location loc;
};

/// The computation of `tosa.rescale` on one element.
struct Rescale {
  SmallVector<int32_t> multipliers;
  SmallVector<int8_t> shifts;
  int64_t inputZeroPoint, outputZeroPoint;
  bool isInputUnsigned, isOutputUnsigned, roundsTwice;

  bool isPerChannel() const { return multipliers.size() > 1; }
  /// The result for an element, with a 64-bit multiplier and shift.
  Value create(const WideScalars &b, Value element, Value multiplier,
               Value shift, IntegerType type) const;
};
} // namespace

Value Rescale::create(const WideScalars &b, Value element, Value multiplier,
                      Value shift, IntegerType type) const {
  Value value = b.widen(element);
  if (isInputUnsigned) {
    int64_t range = int64_t(1) << element.getType().getIntOrFloatBitWidth();
    value = b.select(b.isNegative(value), b.add(value, range), value);
  }
  value = b.add(value, -inputZeroPoint);
  Value one = b.constant(1);
  Value half =
      b.create<arith::ShLIOp>(one, b.create<arith::SubIOp>(shift, one));
  if (roundsTwice) {
    constexpr int64_t kHalf = int64_t(1) << 30;
    Value towards =
        b.select(b.isNegative(value), b.constant(-kHalf), b.constant(kHalf));
    Value isLong = b.isBelow(b.constant(31), shift);
    half =
        b.create<arith::AddIOp>(half, b.select(isLong, towards, b.constant(0)));
  }
  Value product = b.create<arith::MulIOp>(value, multiplier);
  Value scaled =
      b.create<arith::ShRSIOp>(b.create<arith::AddIOp>(product, half), shift);
  scaled = b.add(scaled, outputZeroPoint);
  int64_t range = int64_t(1) << type.getWidth();
  int64_t lowest = isOutputUnsigned ? 0 : -range / 2;
  scaled = b.create<arith::MaxSIOp>(scaled, b.constant(lowest));
  scaled = b.create<arith::MinSIOp>(scaled, b.constant(lowest + range - 1));
  return b.narrow(scaled, type);
}

/// The elements of a constant, or none.
static std::optional<SmallVector<int64_t>> getElements(Value tensor) {
  DenseIntElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  SmallVector<int64_t> elements;
  for (const APInt &element : constant.getValues<APInt>())
    elements.push_back(element.getSExtValue());
  return elements;
}

/// The zero point of an unsigned type is an unsigned number.
static std::optional<int64_t> getZeroPointOf(Value value, bool isUnsigned) {
  std::optional<int64_t> zeroPoint = getZeroPoint(value);
  if (zeroPoint && isUnsigned && *zeroPoint < 0)
    *zeroPoint += int64_t(1) << getElementTypeOrSelf(value.getType())
                                    .getIntOrFloatBitWidth();
  return zeroPoint;
}

/// The attributes and constants of the op, or none if they are not constant.
static std::optional<Rescale> read(tosa::RescaleOp op) {
  auto multipliers = getElements(op.getMultiplier());
  auto shifts = getElements(op.getShift());
  auto input = getZeroPointOf(op.getInputZp(), op.getInputUnsigned());
  auto output = getZeroPointOf(op.getOutputZp(), op.getOutputUnsigned());
  if (!multipliers || !shifts || !input || !output ||
      multipliers->size() != shifts->size() || shifts->empty())
    return std::nullopt;
  constexpr int64_t kMaxShift = 62;
  for (int64_t shift : *shifts)
    if (shift < 1 || shift > kMaxShift)
      return std::nullopt;
  return Rescale{.multipliers = llvm::to_vector_of<int32_t>(*multipliers),
                 .shifts = llvm::to_vector_of<int8_t>(*shifts),
                 .inputZeroPoint = *input,
                 .outputZeroPoint = *output,
                 .isInputUnsigned = op.getInputUnsigned(),
                 .isOutputUnsigned = op.getOutputUnsigned(),
                 .roundsTwice =
                     op.getScale32() &&
                     op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND};
}

namespace {
struct RescaleToScalars final : OpRewritePattern<tosa::RescaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::RescaleOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    std::optional<Rescale> rescale = read(op);
    if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
        !isSupported(op.getInput().getType()) || !isSupported(type) || !rescale)
      return rewriter.notifyMatchFailure(
          op, "not of i8 and i32 with constant multipliers");
    if (rescale->isPerChannel() &&
        int64_t(rescale->shifts.size()) != type.getShape().back())
      return rewriter.notifyMatchFailure(op, "channels are not innermost");
    rewriter.replaceOp(op, create(rewriter, op, *rescale, type));
    return success();
  }

private:
  static bool isSupported(Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isSignlessInteger(8) || element.isSignlessInteger(32);
  }

  static Value create(OpBuilder &builder, tosa::RescaleOp op,
                      const Rescale &rescale, RankedTensorType type) {
    Location loc = op.getLoc();
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<Value> inputs = {op.getInput()};
    SmallVector<AffineMap> maps = {identity};
    if (rescale.isPerChannel()) {
      inputs.push_back(
          createVector<int32_t>(builder, loc, rescale.multipliers));
      inputs.push_back(createVector<int8_t>(builder, loc, rescale.shifts));
      maps.append(2,
                  AffineMap::get(type.getRank(), 0,
                                 builder.getAffineDimExpr(type.getRank() - 1)));
    }
    maps.push_back(identity);
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange(type), inputs, empty, maps, iterators,
        [&](OpBuilder &body, Location bodyLoc, ValueRange elements) {
          WideScalars b(body, bodyLoc);
          bool isVector = rescale.isPerChannel();
          Value multiplier = isVector ? b.widen(elements[1])
                                      : b.constant(rescale.multipliers[0]);
          Value shift =
              isVector ? b.widen(elements[2]) : b.constant(rescale.shifts[0]);
          linalg::YieldOp::create(
              body, bodyLoc,
              rescale.create(b, elements[0], multiplier, shift,
                             cast<IntegerType>(type.getElementType())));
        });
    return generic.getResult(0);
  }

  template <typename T>
  static Value createVector(OpBuilder &builder, Location loc,
                            ArrayRef<T> elements) {
    auto type = RankedTensorType::get({int64_t(elements.size())},
                                      builder.getIntegerType(8 * sizeof(T)));
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, elements));
  }
};
} // namespace

void mlir::conv::populateRescaleToScalarsPatterns(RewritePatternSet &patterns) {
  patterns.add<RescaleToScalars>(patterns.getContext());
}
