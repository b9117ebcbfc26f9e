//===- IndexEvaluation.cpp - integers computed in loop bodies ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates one element at a time, from the result back to constants and loop
// positions. Depth and the number of steps are bounded, because the input may
// be arbitrary.
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static constexpr int kMaxDepth = 64;

/// The number with the low bits of `value` in the signed `type`, as in machine
/// arithmetic: a condition that holds is -1. None for other types.
static std::optional<int64_t> wrap(uint64_t value, Type type) {
  if (type.isIndex())
    return static_cast<int64_t>(value);
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 0 || integer.getWidth() > 64)
    return std::nullopt;
  return llvm::SignExtend64(value, integer.getWidth());
}

/// The result of an op on integers in 64 bits, or none for other ops.
static std::optional<int64_t> apply(Operation *op, ArrayRef<int64_t> values) {
  auto lhs = [&] { return static_cast<uint64_t>(values[0]); };
  auto rhs = [&] { return static_cast<uint64_t>(values[1]); };
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return int64_t(lhs() + rhs()); })
      .Case([&](arith::SubIOp) { return int64_t(lhs() - rhs()); })
      .Case([&](arith::MulIOp) { return int64_t(lhs() * rhs()); })
      .Case([&](arith::MaxSIOp) { return std::max(values[0], values[1]); })
      .Case([&](arith::MinSIOp) { return std::min(values[0], values[1]); })
      .Case([&](math::AbsIOp) {
        return values[0] < 0 ? int64_t(-lhs()) : values[0];
      })
      .Case([&](arith::SelectOp) { return values[0] ? values[1] : values[2]; })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) { return values[0]; })
      .Case([&](arith::RemSIOp) -> std::optional<int64_t> {
        if (values[1] <= 0) // Includes quotients that overflow.
          return std::nullopt;
        return values[0] % values[1];
      })
      .Case([&](arith::CmpIOp compare) {
        auto word = [](int64_t value) { return APInt(64, value, true); };
        return int64_t(arith::applyCmpPredicate(
            compare.getPredicate(), word(values[0]), word(values[1])));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The result of an op on floating-point numbers, or none for other ops.
static std::optional<APFloat> apply(Operation *op, ArrayRef<APFloat> values) {
  auto round = [&](llvm::RoundingMode mode) {
    APFloat value = values[0];
    value.roundToIntegral(mode);
    return value;
  };
  auto convert = [&](FloatType type) {
    APFloat value = values[0];
    bool losesInfo;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  };
  using Result = std::optional<APFloat>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) { return Result(values[0] + values[1]); })
      .Case([&](arith::SubFOp) { return Result(values[0] - values[1]); })
      .Case([&](arith::MulFOp) { return Result(values[0] * values[1]); })
      .Case([&](arith::DivFOp) { return Result(values[0] / values[1]); })
      .Case([&](arith::NegFOp) { return Result(neg(values[0])); })
      .Case([&](arith::MaximumFOp) {
        return Result(llvm::maximum(values[0], values[1]));
      })
      .Case([&](arith::MinimumFOp) {
        return Result(llvm::minimum(values[0], values[1]));
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto conversion) {
        return Result(convert(cast<FloatType>(conversion.getType())));
      })
      .Case([&](math::FloorOp) {
        return Result(round(llvm::RoundingMode::TowardNegative));
      })
      .Case([&](math::CeilOp) {
        return Result(round(llvm::RoundingMode::TowardPositive));
      })
      .Case([&](math::TruncOp) {
        return Result(round(llvm::RoundingMode::TowardZero));
      })
      .Case([&](math::RoundOp) {
        return Result(round(llvm::RoundingMode::NearestTiesToAway));
      })
      .Case([&](math::RoundEvenOp) {
        return Result(round(llvm::RoundingMode::NearestTiesToEven));
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<APFloat> IndexEvaluator::evaluateFloat(linalg::LinalgOp op,
                                                     Value scalar,
                                                     ArrayRef<int64_t> loops) {
  APFloat constant(0.0);
  if (matchPattern(scalar, m_ConstantFloat(&constant)))
    return constant;
  Operation *inner = scalar.getDefiningOp();
  if (!inner || inner->getNumRegions() != 0 || depth >= kMaxDepth ||
      --stepsLeft < 0)
    return std::nullopt;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  return evaluateFloatOp(op, inner, loops);
}

std::optional<APFloat>
IndexEvaluator::evaluateFloatOp(linalg::LinalgOp op, Operation *inner,
                                ArrayRef<int64_t> loops) {
  if (auto conversion = dyn_cast<arith::SIToFPOp>(inner)) {
    std::optional<int64_t> integer = evaluate(op, conversion.getIn(), loops);
    auto type = dyn_cast<FloatType>(conversion.getType());
    if (!integer || !type)
      return std::nullopt;
    APFloat value(type.getFloatSemantics());
    value.convertFromAPInt(APInt(64, *integer, /*isSigned=*/true),
                           /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return value;
  }
  SmallVector<APFloat> values;
  for (Value operand : inner->getOperands()) {
    auto value = isa<FloatType>(operand.getType())
                     ? evaluateFloat(op, operand, loops)
                     : std::nullopt;
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return apply(inner, values);
}

/// `value` without its fraction, or none if that does not fit in 64 bits.
static std::optional<int64_t> truncate(const APFloat &value) {
  llvm::APSInt integer(64, /*isUnsigned=*/false);
  bool isExact;
  if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) &
      APFloat::opInvalidOp)
    return std::nullopt;
  return integer.getExtValue();
}

std::optional<int64_t>
IndexEvaluator::evaluateArgument(linalg::LinalgOp op, BlockArgument argument,
                                 ArrayRef<int64_t> loops) {
  if (argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (op.isDpsInit(operand))
    return std::nullopt;
  SmallVector<int64_t> position =
      op.getMatchingIndexingMap(operand).compose(loops);
  return evaluateElement(operand->get(), position);
}

std::optional<int64_t> IndexEvaluator::evaluate(linalg::LinalgOp op,
                                                Value scalar,
                                                ArrayRef<int64_t> loops) {
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  if (depth >= kMaxDepth || --stepsLeft < 0)
    return std::nullopt;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return evaluateArgument(op, argument, loops);
  Operation *inner = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return loops[index.getDim()];
  if (auto dim = dyn_cast<tensor::DimOp>(inner)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> d = dim.getConstantIndex();
    if (!type || !type.hasStaticShape() || !d || *d < 0 || *d >= type.getRank())
      return std::nullopt;
    return type.getDimSize(*d);
  }
  if (inner->getNumRegions() != 0 || inner->getNumResults() != 1)
    return std::nullopt;
  if (auto conversion = dyn_cast<arith::FPToSIOp>(inner)) {
    auto value = evaluateFloat(op, conversion.getIn(), loops);
    auto integer = value ? truncate(*value) : std::nullopt;
    return integer ? wrap(*integer, conversion.getType()) : std::nullopt;
  }
  SmallVector<int64_t> values;
  for (Value operand : inner->getOperands()) {
    std::optional<int64_t> value = evaluate(op, operand, loops);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  std::optional<int64_t> value = apply(inner, values);
  return value ? wrap(*value, inner->getResult(0).getType()) : std::nullopt;
}

/// The position, in a tensor of shape `to`, of the element at `position` of a
/// tensor of shape `from` with as many elements.
static SmallVector<int64_t> reshapePosition(ArrayRef<int64_t> position,
                                            ArrayRef<int64_t> from,
                                            ArrayRef<int64_t> to) {
  int64_t element = 0;
  for (auto [index, size] : llvm::zip(position, from))
    element = element * size + index;
  SmallVector<int64_t> result(to.size());
  for (size_t d = to.size(); d-- > 0; element /= to[d])
    result[d] = element % to[d];
  return result;
}

std::optional<int64_t>
IndexEvaluator::evaluateElement(Value tensor, ArrayRef<int64_t> position) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrIndex())
    return std::nullopt;
  DenseIntElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant))) {
    SmallVector<uint64_t> indices(position.begin(), position.end());
    Type element = constant.getElementType();
    bool isWide = !element.isIndex() && element.getIntOrFloatBitWidth() > 64;
    if (isWide || !constant.isValidIndex(indices))
      return std::nullopt;
    return constant.getValues<APInt>()[indices].getSExtValue();
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    auto sourceType = cast<RankedTensorType>(source.getType());
    if (!sourceType.hasStaticShape())
      return std::nullopt;
    return evaluateElement(source, reshapePosition(position, type.getShape(),
                                                   sourceType.getShape()));
  }
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || loops.getNumDpsInits() != 1 ||
      loops.getNumLoops() != loops.getNumParallelLoops() ||
      !loops.getMatchingIndexingMap(loops.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  return evaluate(loops, loops.getBlock()->getTerminator()->getOperand(0),
                  position);
}

std::optional<llvm::SmallBitVector>
mlir::conv::computeLoopsOf(linalg::LinalgOp op, Value scalar) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  llvm::SmallBitVector loops(ranges.size());
  llvm::SetVector<Value> values;
  values.insert(scalar);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      if (argument.getOwner() != op.getBlock())
        return std::nullopt;
      AffineMap map =
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
      for (size_t loop = 0; loop < ranges.size(); ++loop)
        if (ranges[loop] != 1 && map.isFunctionOfDim(loop))
          loops.set(loop);
      continue;
    }
    Operation *inner = values[i].getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (ranges[index.getDim()] != 1)
        loops.set(index.getDim());
      continue;
    }
    if (inner->getNumRegions() == 0 && inner->getBlock() == op.getBlock())
      values.insert(inner->operand_begin(), inner->operand_end());
  }
  return loops;
}
