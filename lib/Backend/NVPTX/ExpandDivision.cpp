//===- ExpandDivision.cpp - quotients without a branch each -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// div.rn.f32 becomes a quotient that is right where nothing overflows or
// underflows on the way, a check, and a branch to code for the rest. No
// instruction moves across a branch, so a branch per element leaves nothing to
// issue while its result is awaited. Here all elements of a vector are divided
// as by div.rn.f32, and if one of them needs the rest, all are divided again.
// Quotients of independent scalars become such vectors.
//
// Where a quotient may be a product with a reciprocal (`arcp`), it is, and
// needs no check. Whoever allows that knows that the reciprocal is a normal
// number, or that the divisor is 1 + exp(x).
//
//===----------------------------------------------------------------------===//

#include "ExpandDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv;

/// The least magnitude of dividends and quotients with exact remainders, and
/// the largest magnitude of divisors whose reciprocals are normal numbers.
static constexpr float kLeast = 0x1p-100f, kMostDivisor = 0x1p124f;

/// The most scalar quotients that share a branch: all of them are in registers.
static constexpr size_t kMostQuotients = 16;

/// The x of a value 1 + exp(x), as below a sigmoid, or null.
static Value getExponent(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  for (auto [one, power] : {std::pair(sum.getLhs(), sum.getRhs()),
                            std::pair(sum.getRhs(), sum.getLhs())})
    if (auto exponential = power.getDefiningOp<math::ExpOp>();
        exponential && matchPattern(one, m_OneFloat()))
      return exponential.getOperand();
  return nullptr;
}

static bool isApproximate(arith::DivFOp op) {
  return bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp);
}

static Value createPowerOfTwo(ImplicitLocOpBuilder &b, Value exponent) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
             exponent)
      .getResult(0);
}

namespace {
/// Makes the code for one vector, or for single elements.
class Division {
public:
  Division(OpBuilder &builder, Location loc) : b(loc, builder) {}

  /// The quotient, valid if `isSafe` holds, to which its conditions are added.
  Value createQuotient(Value dividend, Value divisor, Value &isSafe) {
    Value negated = arith::NegFOp::create(b, divisor);
    Value one = createConstant(1.0f);
    Value inverse = createReciprocal(divisor);
    inverse = fma(inverse, fma(negated, inverse, one), inverse);
    Value quotient = arith::MulFOp::create(b, dividend, inverse);
    // The second correction step rounds.
    for (int step = 0; step < 2; ++step)
      quotient = fma(fma(negated, quotient, dividend), inverse, quotient);
    // Comparisons with NaN, which overflow gives, are false.
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

  /// The quotient by 1 + exp(x). That divisor is never exact, so no bit of the
  /// quotient is prescribed: its error is half a unit in the last place plus
  /// 2^-45 of its value, from the remainder of a product with an approximate
  /// reciprocal. The divisor is 1 or more: where it is too large, the quotient
  /// is small, or not a number.
  Value createLogisticQuotient(Value dividend, Value divisor, Value &isSafe) {
    Value negated = arith::NegFOp::create(b, divisor);
    Value inverse = createReciprocal(divisor);
    Value quotient = arith::MulFOp::create(b, dividend, inverse);
    quotient = fma(fma(negated, quotient, dividend), inverse, quotient);
    Value holds = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                                        math::AbsFOp::create(b, quotient),
                                        createConstant(kLeast));
    isSafe = isSafe ? arith::AndIOp::create(b, isSafe, holds) : holds;
    return quotient;
  }

  /// The product with an approximate reciprocal. `exponent` is the x of a
  /// divisor 1 + exp(x), or null.
  Value createApproximateQuotient(Value dividend, Value divisor,
                                  Value exponent) {
    Value inverse;
    if (exponent) {
      // The reciprocal of a sixteenth of the divisor is a normal number, or
      // zero where exp(x) overflows.
      constexpr float kLog2E = 1.44269504f;
      Value power = createPowerOfTwo(
          b, arith::MulFOp::create(b, exponent, createConstant(kLog2E)));
      Value scale = createConstant(0x1p-4f);
      inverse = arith::MulFOp::create(
          b, createReciprocal(fma(power, scale, scale)), scale);
    } else {
      inverse = createReciprocal(divisor);
    }
    return arith::MulFOp::create(b, dividend, inverse);
  }

private:
  Value createReciprocal(Value divisor) {
    return NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), divisor);
  }
  Value createConstant(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value fma(Value lhs, Value rhs, Value addend) {
    return math::FmaOp::create(b, lhs, rhs, addend);
  }

  ImplicitLocOpBuilder b;
};

/// Element `i` of a vector.
static Value getElement(OpBuilder &b, Value vector, int64_t i) {
  if (auto elements = vector.getDefiningOp<vector::FromElementsOp>())
    return elements.getElements()[i];
  return vector::ExtractOp::create(b, vector.getLoc(), vector, i);
}

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
    Division division(rewriter, loc);
    Value exponents = getExponent(op.getRhs());
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value dividend = getElement(rewriter, op.getLhs(), i);
      Value divisor = getElement(rewriter, op.getRhs(), i);
      Value exponent =
          exponents ? getElement(rewriter, exponents, i) : getExponent(divisor);
      if (isApproximate(op))
        quotients.push_back(
            division.createApproximateQuotient(dividend, divisor, exponent));
      else if (exponent)
        quotients.push_back(
            division.createLogisticQuotient(dividend, divisor, isSafe));
      else
        quotients.push_back(division.createQuotient(dividend, divisor, isSafe));
      dividends.push_back(dividend);
      divisors.push_back(divisor);
    }
    if (isApproximate(op)) {
      rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, quotients);
      return success();
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

struct ExpandApproximateDivision final : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !isApproximate(op))
      return rewriter.notifyMatchFailure(op, "expects arcp and f32");
    rewriter.replaceOp(
        op, Division(rewriter, op.getLoc())
                .createApproximateQuotient(op.getLhs(), op.getRhs(),
                                           getExponent(op.getRhs())));
    return success();
  }
};

/// Powers of two that may be zero where they are less than normal numbers.
struct ExpandApproximatePower final : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "expects afn and f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createPowerOfTwo(b, op.getOperand()));
    return success();
  }
};
} // namespace

namespace {
/// Independent scalar quotients of one block, and the ops that have to move in
/// front of the first quotient for all of them.
class QuotientGroup {
public:
  /// Adds a quotient that comes after the group's quotients; false if that is
  /// not possible.
  bool add(arith::DivFOp quotient) {
    if (quotients.size() == kMostQuotients)
      return false;
    llvm::SmallSetVector<Operation *, 16> needed;
    if (!quotients.empty() && !collect(quotient, needed))
      return false;
    operands.insert_range(needed);
    quotients.push_back(quotient);
    return true;
  }

  /// Replaces the quotients by one quotient of vectors.
  void join();

private:
  /// Collects the ops after the first quotient that `user` needs. Fails if one
  /// of them is a quotient of the group, or has effects.
  bool collect(Operation *user,
               llvm::SmallSetVector<Operation *, 16> &needed) const {
    for (Value operand : user->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || op->getBlock() != user->getBlock() ||
          op->isBeforeInBlock(quotients.front()) || operands.contains(op) ||
          needed.contains(op))
        continue;
      bool isOther = op == quotients.front() ||
                     llvm::is_contained(quotients, dyn_cast<arith::DivFOp>(op));
      if (isOther || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
          !collect(op, needed))
        return false;
      needed.insert(op);
    }
    return true;
  }

  SmallVector<arith::DivFOp> quotients;
  llvm::SetVector<Operation *> operands; ///< Each after its own operands.
};
} // namespace

void QuotientGroup::join() {
  if (quotients.size() < 2)
    return;
  Operation *first = quotients.front();
  for (Operation *op : operands)
    op->moveBefore(first);
  ImplicitLocOpBuilder b(first->getLoc(), first);
  auto type = VectorType::get({int64_t(quotients.size())}, b.getF32Type());
  SmallVector<Value> dividends, divisors;
  for (arith::DivFOp quotient : quotients) {
    dividends.push_back(quotient.getLhs());
    divisors.push_back(quotient.getRhs());
  }
  Value joined = arith::DivFOp::create(
      b, vector::FromElementsOp::create(b, type, dividends),
      vector::FromElementsOp::create(b, type, divisors));
  for (auto [i, quotient] : llvm::enumerate(quotients))
    quotient.replaceAllUsesWith(
        vector::ExtractOp::create(b, joined, int64_t(i)).getResult());
  for (arith::DivFOp quotient : quotients)
    quotient.erase();
}

void mlir::conv::joinScalarDivisions(Operation *root) {
  root->walk([](Block *block) {
    SmallVector<arith::DivFOp> all;
    for (auto quotient : block->getOps<arith::DivFOp>())
      if (quotient.getType().isF32() && !isApproximate(quotient))
        all.push_back(quotient);
    QuotientGroup group;
    for (arith::DivFOp quotient : all)
      if (!group.add(quotient)) {
        group.join();
        group = QuotientGroup();
        group.add(quotient);
      }
    group.join();
  });
}

void mlir::conv::populateExpandDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandVectorDivision, ExpandApproximateDivision,
               ExpandApproximatePower>(patterns.getContext());
}
