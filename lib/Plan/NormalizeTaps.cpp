//===- NormalizeTaps.cpp - normalized taps of kernels -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of `normalize` for the taps of one kernel as scalar operations,
// in the body of a `linalg.generic` or in a kernel.
// tools/support/NormalizeTaps evaluates the same operations in the same order.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/NormalizeTaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::conv;

/// The summand of a squared norm that keeps a kernel from a division by zero.
static constexpr float kLeastSquare = 1e-6f;

/// The logarithm of e to the base 2.
static constexpr float kLog2E = 1.44269504f;

static Value createConstant(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

namespace {
/// Normalized taps, and for `l2` the factor that scaled the kernel.
struct NormalizedTaps {
  SmallVector<Value> taps;
  Value factor;
};
} // namespace

/// The reciprocal of a number for which that is a normal number: an approximate
/// one will do.
static Value createReciprocal(ImplicitLocOpBuilder &b, Value divisor) {
  return arith::DivFOp::create(b, createConstant(b, 1.0f), divisor,
                               arith::FastMathFlags::arcp);
}

static NormalizedTaps createSoftmax(ImplicitLocOpBuilder &b,
                                    ArrayRef<Value> kernel) {
  Value largest = kernel.front();
  for (Value element : kernel.drop_front())
    largest = arith::MaxNumFOp::create(b, largest, element);
  NormalizedTaps result;
  Value sum;
  Value factor = createConstant(b, kLog2E);
  for (Value element : kernel) {
    // A power of two is cheaper than a power of e. Its error grows with the
    // distance, but its share of the sum shrinks as the distance grows.
    Value distance = arith::SubFOp::create(b, element, largest);
    distance = arith::MulFOp::create(b, distance, factor);
    // Of a power below 2^-126, nothing need be left.
    Value power = math::Exp2Op::create(b, distance, arith::FastMathFlags::afn);
    sum = sum ? arith::AddFOp::create(b, sum, power).getResult() : power;
    result.taps.push_back(power);
  }
  // One quotient for all taps. The sum is between 1 and the number of taps.
  result.factor = createReciprocal(b, sum);
  for (Value &tap : result.taps)
    tap = arith::MulFOp::create(b, tap, result.factor);
  return result;
}

static NormalizedTaps createUnitVector(ImplicitLocOpBuilder &b,
                                       ArrayRef<Value> kernel) {
  Value square = createConstant(b, kLeastSquare);
  for (Value element : kernel)
    square = math::FmaOp::create(b, element, element, square);
  Value norm = math::SqrtOp::create(b, square);
  NormalizedTaps result;
  result.factor = createReciprocal(b, norm);
  for (Value element : kernel)
    result.taps.push_back(arith::MulFOp::create(b, element, result.factor));
  return result;
}

static NormalizedTaps normalize(ImplicitLocOpBuilder &b, Normalization kind,
                                ArrayRef<Value> kernel) {
  switch (kind) {
  case Normalization::None:
    return {llvm::to_vector(kernel), nullptr};
  case Normalization::Softmax:
    return createSoftmax(b, kernel);
  case Normalization::L2:
    return createUnitVector(b, kernel);
  }
  llvm_unreachable("every normalization has taps");
}

SmallVector<Value> mlir::conv::createNormalizedTaps(OpBuilder &builder,
                                                    Location loc,
                                                    Normalization kind,
                                                    ArrayRef<Value> kernel) {
  ImplicitLocOpBuilder b(loc, builder);
  return normalize(b, kind, kernel).taps;
}

SmallVector<Value> mlir::conv::createNormalizationGradient(
    OpBuilder &builder, Location loc, Normalization kind,
    ArrayRef<Value> kernel, ArrayRef<Value> grads) {
  if (kind == Normalization::None)
    return llvm::to_vector(grads);
  ImplicitLocOpBuilder b(loc, builder);
  auto [taps, factor] = normalize(b, kind, kernel);
  Value mean;
  for (auto [tap, grad] : llvm::zip(taps, grads))
    mean = mean ? math::FmaOp::create(b, tap, grad, mean).getResult()
                : arith::MulFOp::create(b, tap, grad).getResult();
  SmallVector<Value> result;
  for (auto [tap, grad] : llvm::zip(taps, grads)) {
    if (kind == Normalization::Softmax) {
      Value rest = arith::SubFOp::create(b, grad, mean);
      result.push_back(arith::MulFOp::create(b, tap, rest));
    } else {
      Value along = arith::MulFOp::create(b, tap, mean);
      Value rest = arith::SubFOp::create(b, grad, along);
      result.push_back(arith::MulFOp::create(b, rest, factor));
    }
  }
  return result;
}
