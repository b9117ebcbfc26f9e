//===- ExpandDivision.cpp - quotients without a branch each -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// div.rn.f32 becomes a quotient that is right where nothing overflows or
// underflows on the way, a check, and a branch to code for the rest. Nothing is
// moved across a branch, so one for each element leaves no instruction to issue
// while another one is waited for. Here all elements of a vector are divided as
// div.rn.f32 divides, and if one of them needs more, all are divided again.
//
//===----------------------------------------------------------------------===//

#include "ExpandDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

/// Magnitudes of dividends and quotients from which on remainders are exact,
/// and of divisors up to which reciprocals are normal numbers.
static constexpr float kLeast = 0x1p-100f, kMostDivisor = 0x1p124f;

namespace {
/// Makes the code for one vector.
class VectorDivision {
public:
  VectorDivision(OpBuilder &builder, Location loc) : b(loc, builder) {}

  /// The quotient if `isSafe` holds, to which its own conditions are added.
  Value createQuotient(Value dividend, Value divisor, Value &isSafe) {
    Value negated = arith::NegFOp::create(b, divisor);
    Value one = createConstant(1.0f);
    Value inverse = NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), divisor);
    inverse = fma(inverse, fma(negated, inverse, one), inverse);
    Value quotient = arith::MulFOp::create(b, dividend, inverse);
    // The second correction rounds.
    for (int step = 0; step < 2; ++step)
      quotient = fma(fma(negated, quotient, dividend), inverse, quotient);
    // No comparison with NaN, which overflow gives, is true.
    using enum arith::CmpFPredicate;
    for (auto [value, predicate, limit] : {std::tuple(dividend, OGE, kLeast),
                                           {quotient, OGE, kLeast},
                                           {divisor, OLE, kMostDivisor}}) {
      Value magnitude = math::AbsFOp::create(b, value);
      Value holds =
          arith::CmpFOp::create(b, predicate, magnitude, createConstant(limit));
      isSafe = isSafe ? arith::AndIOp::create(b, isSafe, holds) : holds;
    }
    return quotient;
  }

private:
  Value createConstant(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value fma(Value lhs, Value rhs, Value addend) {
    return math::FmaOp::create(b, lhs, rhs, addend);
  }

  ImplicitLocOpBuilder b;
};

struct ExpandVectorDivision final : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "expects a vector of f32");
    Location loc = op.getLoc();
    SmallVector<Value> dividends, divisors, quotients;
    Value isSafe;
    VectorDivision division(rewriter, loc);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      dividends.push_back(
          vector::ExtractOp::create(rewriter, loc, op.getLhs(), i));
      divisors.push_back(
          vector::ExtractOp::create(rewriter, loc, op.getRhs(), i));
      quotients.push_back(
          division.createQuotient(dividends.back(), divisors.back(), isSafe));
    }
    auto chosen = scf::IfOp::create(
        rewriter, loc, isSafe,
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, quotients);
        },
        [&](OpBuilder &b, Location) {
          SmallVector<Value> exact;
          for (auto [dividend, divisor] : llvm::zip(dividends, divisors))
            exact.push_back(arith::DivFOp::create(b, loc, dividend, divisor));
          scf::YieldOp::create(b, loc, exact);
        });
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type,
                                                        chosen.getResults());
    return success();
  }
};
} // namespace

void mlir::conv::populateExpandDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandVectorDivision>(patterns.getContext());
}
