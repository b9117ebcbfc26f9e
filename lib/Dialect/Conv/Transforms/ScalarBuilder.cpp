//===- ScalarBuilder.cpp - element-wise arithmetic in f32 -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies scalar ops one by one. Ops that kernels do not support are rewritten
// with supported ones: small powers, comparisons in f64.
//
//===----------------------------------------------------------------------===//

#include "ScalarBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

static bool is16BitFloat(Type type) { return type.isF16() || type.isBF16(); }

Type ScalarBuilder::widen(Type type) {
  return is16BitFloat(type) ? builder.getF32Type() : type;
}

/// `number`, rounded to nearest even.
static FloatAttr convert(FloatAttr number, FloatType type) {
  APFloat value = number.getValue();
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return FloatAttr::get(type, value);
}

Value ScalarBuilder::createConversion(Value value, Type type) {
  Location loc = value.getLoc();
  if (value.getType() == type)
    return value;
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return arith::ConstantOp::create(builder, loc,
                                     convert(number, cast<FloatType>(type)));
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// Creates a scalar constant from a constant outside of the region.
FailureOr<Value> ScalarBuilder::createConstant(Value constant) {
  TypedAttr attribute;
  if (!matchPattern(constant, m_Constant(&attribute)))
    return failure();
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    attribute = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute);
      number && is16BitFloat(number.getType()))
    attribute = convert(number, builder.getF32Type()); // Exact.
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(attribute) ||
      !attribute.getType().isIntOrFloat())
    return failure();
  return arith::ConstantOp::create(builder, constant.getLoc(), attribute)
      .getResult();
}

/// The power with a small constant exponent, as products.
Value ScalarBuilder::createPower(Value base, int64_t exponent) {
  Location loc = base.getLoc();
  Value one = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(base.getType(), 1));
  Value result;
  for (uint64_t bits = std::abs(exponent); bits; bits >>= 1) {
    if (bits & 1)
      result =
          result ? arith::MulFOp::create(builder, loc, result, base) : base;
    if (bits > 1)
      base = arith::MulFOp::create(builder, loc, base, base);
  }
  if (!result)
    return one;
  return exponent < 0
             ? arith::DivFOp::create(builder, loc, one, result).getResult()
             : result;
}

/// The number whose root is the power of `base` with exponent 1/2: powers of
/// -0.0 and of minus infinity are those of 0.0 and infinity.
Value ScalarBuilder::createBaseOfRoot(Value base) {
  Location loc = base.getLoc();
  auto createNumber = [&](double value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(base.getType(), value));
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value isLowest = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, base, createNumber(-kInfinity));
  Value sum = arith::AddFOp::create(builder, loc, base, createNumber(0));
  return arith::SelectOp::create(builder, loc, isLowest,
                                 createNumber(kInfinity), sum);
}

/// A power of `base` with a constant exponent that is half of a small integer,
/// or null: as products, or by upstream's strength reduction.
Value ScalarBuilder::createPower(Value base, Value exponent) {
  constexpr double kMaxExponent = 64;
  APInt integer;
  FloatAttr number;
  double value = std::numeric_limits<double>::infinity();
  if (matchPattern(exponent, m_ConstantInt(&integer)))
    value = integer.signedRoundToDouble();
  else if (matchPattern(exponent, m_Constant(&number)))
    value = number.getValueAsDouble();
  if (!(std::abs(value) <= kMaxExponent))
    return nullptr;
  if (value == 0.5)
    return math::SqrtOp::create(builder, base.getLoc(), createBaseOfRoot(base));
  if (value == -0.5)
    return math::RsqrtOp::create(builder, base.getLoc(),
                                 createBaseOfRoot(base));
  if (value != std::trunc(value))
    return nullptr;
  return createPower(base, static_cast<int64_t>(value));
}

/// The predicate of the same comparison with operands exchanged.
static arith::CmpFPredicate getSwapped(arith::CmpFPredicate predicate) {
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::OGT:
    return Predicate::OLT;
  case Predicate::OGE:
    return Predicate::OLE;
  case Predicate::OLT:
    return Predicate::OGT;
  case Predicate::OLE:
    return Predicate::OGE;
  case Predicate::UGT:
    return Predicate::ULT;
  case Predicate::UGE:
    return Predicate::ULE;
  case Predicate::ULT:
    return Predicate::UGT;
  case Predicate::ULE:
    return Predicate::UGE;
  default:
    return predicate;
  }
}

/// The predicate that is equivalent to `predicate` with a bound that the type
/// does not have, if the largest number below the bound takes its place.
static arith::CmpFPredicate getPredicateBelow(arith::CmpFPredicate predicate) {
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::OLT:
    return Predicate::OLE;
  case Predicate::ULT:
    return Predicate::ULE;
  case Predicate::OGE:
    return Predicate::OGT;
  case Predicate::UGE:
    return Predicate::UGT;
  case Predicate::OEQ:
    return Predicate::AlwaysFalse;
  case Predicate::UEQ:
    return Predicate::UNO;
  case Predicate::ONE:
    return Predicate::ORD;
  case Predicate::UNE:
    return Predicate::AlwaysTrue;
  default:
    return predicate;
  }
}

/// The f32 number that `value` extends to f64, or null.
static Value lookThroughExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  if (!extension || !extension.getIn().getType().isF32())
    return nullptr;
  return extension.getIn();
}

/// A comparison in f64 of f32 numbers, or of one with a constant, as the
/// equivalent comparison in f32; null for others. A constant that is not an f32
/// is replaced by the largest f32 below it: no f32 is between the two.
Value ScalarBuilder::createNarrowCompare(arith::CmpFPredicate predicate,
                                         Value lhs, Value rhs, Location loc) {
  Value narrowLhs = lookThroughExtension(lhs);
  Value narrowRhs = lookThroughExtension(rhs);
  if (narrowLhs && narrowRhs)
    return arith::CmpFOp::create(builder, loc, predicate, narrowLhs, narrowRhs);
  FloatAttr number;
  if (!narrowLhs && !narrowRhs)
    return nullptr;
  if (!matchPattern(narrowLhs ? rhs : lhs, m_Constant(&number)))
    return nullptr;
  if (narrowRhs)
    predicate = getSwapped(predicate);

  APFloat bound = number.getValue();
  bool isInexact;
  bound.convert(APFloat::IEEEsingle(), APFloat::rmTowardNegative, &isInexact);
  if (isInexact)
    predicate = getPredicateBelow(predicate);
  Value limit = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(bound.convertToFloat()));
  return arith::CmpFOp::create(builder, loc, predicate,
                               narrowLhs ? narrowLhs : narrowRhs, limit);
}

/// Copies `op` so that 16-bit operands and results become f32. Conversions
/// between the two types vanish.
LogicalResult ScalarBuilder::clone(Operation &op, IRMapping &mapping) {
  for (Value operand : op.getOperands())
    if (!mapping.contains(operand)) {
      FailureOr<Value> constant = createConstant(operand);
      if (failed(constant))
        return failure();
      mapping.map(operand, *constant);
    }
  if (auto truncation = dyn_cast<arith::TruncFOp>(op);
      truncation && truncation.getRoundingmode().value_or(
                        arith::RoundingMode::to_nearest_even) !=
                        arith::RoundingMode::to_nearest_even)
    return failure();
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Type type = widen(op.getResult(0).getType());
    mapping.map(op.getResult(0),
                createConversion(mapping.lookup(op.getOperand(0)), type));
    return success();
  }
  if (isa<arith::ConstantOp>(op)) {
    FailureOr<Value> constant = createConstant(op.getResult(0));
    if (succeeded(constant))
      mapping.map(op.getResult(0), *constant);
    return constant;
  }
  if (isa<math::FPowIOp, math::PowFOp>(op))
    if (Value power = createPower(mapping.lookup(op.getOperand(0)),
                                  mapping.lookup(op.getOperand(1)))) {
      mapping.map(op.getResult(0), power);
      return success();
    }
  if (auto compare = dyn_cast<arith::CmpFOp>(op);
      compare && compare.getLhs().getType().isF64()) {
    Value lhs = mapping.lookup(compare.getLhs());
    Value rhs = mapping.lookup(compare.getRhs());
    if (Value narrow =
            createNarrowCompare(compare.getPredicate(), lhs, rhs, op.getLoc()))
      mapping.map(compare.getResult(), narrow);
    return success(mapping.contains(compare.getResult()));
  }
  // The bits of a 16-bit value are not those of the same value in f32.
  auto has16Bits = [](Type type) { return is16BitFloat(type); };
  if (isa<arith::BitcastOp>(op) &&
      (llvm::any_of(op.getOperandTypes(), has16Bits) ||
       llvm::any_of(op.getResultTypes(), has16Bits)))
    return failure();
  Operation *clone = builder.clone(op, mapping);
  for (Value result : clone->getResults())
    result.setType(widen(result.getType()));
  // Folds constants that exporters convert where they are used.
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(clone, folded)) && !folded.empty())
    mapping.map(op.getResults(), folded);
  return success();
}

LogicalResult ScalarBuilder::cloneBody(Block &body, Block &copy) {
  builder.setInsertionPointToEnd(&copy);
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments()) {
    Value element = copy.addArgument(argument.getType(), argument.getLoc());
    if (!argument.use_empty())
      mapping.map(argument,
                  createConversion(element, widen(element.getType())));
  }
  for (Operation &scalar : body.without_terminator())
    if (failed(clone(scalar, mapping)))
      return failure();
  Operation *terminator = body.getTerminator();
  Value yielded = terminator->getOperand(0);
  if (!mapping.contains(yielded)) {
    FailureOr<Value> constant = createConstant(yielded);
    if (failed(constant))
      return failure();
    mapping.map(yielded, *constant);
  }
  Value result = createConversion(mapping.lookup(yielded), yielded.getType());
  builder.clone(*terminator)->setOperand(0, result);
  return success();
}

void mlir::conv::widenBody(RewriterBase &rewriter, Operation *op,
                           Region &body) {
  Region region;
  if (succeeded(ScalarBuilder(op->getContext())
                    .cloneBody(body.front(), region.emplaceBlock())))
    rewriter.modifyOpInPlace(op, [&] { body.takeBody(region); });
}
