//===- EpilogueAnalysis.cpp - error bounds of epilogues -------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the epilogue region of a convolution into an `EpilogueGraph`. If
// the region has operations that the graph cannot express, there is no bound.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;
using ::conv::EpilogueGraph;
using ::conv::EpilogueOp;
using ::conv::NoErrorBound;

/// The op that rounds to a 16-bit type, or nothing for f32.
static std::optional<EpilogueOp> getRounding(Type type) {
  if (type.isF16())
    return EpilogueOp::RoundF16;
  if (type.isBF16())
    return EpilogueOp::RoundBF16;
  return std::nullopt;
}

/// The graph op of an operation whose operands and result are floats.
static std::optional<EpilogueOp> getFloatOp(Operation &op) {
  return TypeSwitch<Operation &, std::optional<EpilogueOp>>(op)
      .Case([](arith::AddFOp) { return EpilogueOp::Add; })
      .Case([](arith::SubFOp) { return EpilogueOp::Sub; })
      .Case([](arith::MulFOp) { return EpilogueOp::Mul; })
      .Case([](arith::DivFOp) { return EpilogueOp::Div; })
      .Case([](arith::NegFOp) { return EpilogueOp::Neg; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [](auto) { return EpilogueOp::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [](auto) { return EpilogueOp::Min; })
      .Case([](arith::SelectOp) { return EpilogueOp::Select; })
      .Case([](math::AbsFOp) { return EpilogueOp::Abs; })
      .Case([](math::ExpOp) { return EpilogueOp::Exp; })
      .Case([](math::Exp2Op) { return EpilogueOp::Exp2; })
      .Case([](math::LogOp) { return EpilogueOp::Log; })
      .Case([](math::TanhOp) { return EpilogueOp::Tanh; })
      .Case([](math::ErfOp) { return EpilogueOp::Erf; })
      .Case([](math::SqrtOp) { return EpilogueOp::Sqrt; })
      .Case([](math::RsqrtOp) { return EpilogueOp::Rsqrt; })
      .Case([](math::FmaOp) { return EpilogueOp::Fma; })
      .Default([](Operation &) { return std::nullopt; });
}

namespace {

/// Builds the graph of one epilogue.
class GraphBuilder {
public:
  /// Adds what `op` computes; false if the graph has no such operation.
  bool add(Operation &op);
  /// Adds an argument of the block.
  void addArgument(Value argument, EpilogueOp kind, int64_t number) {
    numbers[argument] = graph.add(kind, {}, static_cast<double>(number));
  }
  void setYield(Value value) { graph.yield = numbers.lookup(value); }

  EpilogueGraph graph;

private:
  bool addConstant(arith::ConstantOp op);
  bool addCompare(arith::CmpFOp op);

  DenseMap<Value, int> numbers;
};

} // namespace

bool GraphBuilder::addConstant(arith::ConstantOp op) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue())) {
    numbers[op] =
        graph.add(EpilogueOp::Constant, {}, value.getValue().convertToDouble());
    return true;
  }
  if (auto value = dyn_cast<IntegerAttr>(op.getValue());
      value && value.getType().isInteger(1)) {
    numbers[op] =
        graph.add(EpilogueOp::Constant, {}, value.getValue().isZero() ? 0 : 1);
    return true;
  }
  return false;
}

bool GraphBuilder::addCompare(arith::CmpFOp op) {
  int lhs = numbers.lookup(op.getLhs()), rhs = numbers.lookup(op.getRhs());
  auto greater = [&](int a, int b) {
    return graph.add(EpilogueOp::Greater, {a, b});
  };
  // Bounds are about numbers, not NaNs: ordered and unordered predicates are
  // alike. A strict and a weak predicate differ in one point only.
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGT:
    numbers[op] = greater(lhs, rhs);
    return true;
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGE:
    numbers[op] = graph.add(EpilogueOp::Not, {greater(rhs, lhs)});
    return true;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::ULT:
    numbers[op] = greater(rhs, lhs);
    return true;
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULE:
    numbers[op] = graph.add(EpilogueOp::Not, {greater(lhs, rhs)});
    return true;
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    numbers[op] = graph.add(EpilogueOp::Equal, {lhs, rhs});
    return true;
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
    numbers[op] =
        graph.add(EpilogueOp::Not, {graph.add(EpilogueOp::Equal, {lhs, rhs})});
    return true;
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::AlwaysTrue:
    numbers[op] = graph.add(EpilogueOp::Constant, {}, 1);
    return true;
  case arith::CmpFPredicate::UNO:
  case arith::CmpFPredicate::AlwaysFalse:
    numbers[op] = graph.add(EpilogueOp::Constant, {}, 0);
    return true;
  }
  return false;
}

/// Whether `op` rounds to an 8-bit float at the end of the epilogue, which the
/// bound counts as half an ulp. In the middle it would be a separate error.
static bool isRoundingToFloat8(Operation &op) {
  return isa<arith::TruncFOp>(op) &&
         op.getResult(0).getType().getIntOrFloatBitWidth() == 8 &&
         llvm::all_of(op.getUsers(), llvm::IsaPred<YieldOp>);
}

bool GraphBuilder::add(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return addConstant(constant);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return addCompare(compare);
  if (isa<arith::ExtFOp>(op) || isRoundingToFloat8(op)) { // Exact, or counted.
    numbers[op.getResult(0)] = numbers.lookup(op.getOperand(0));
    return true;
  }
  if (op.getNumResults() != 1)
    return false;
  std::vector<int> operands;
  for (Value operand : op.getOperands())
    operands.push_back(numbers.lookup(operand));
  std::optional<EpilogueOp> rounding = getRounding(op.getResult(0).getType());
  if (isa<arith::TruncFOp>(op)) {
    if (!rounding)
      return false;
    numbers[op.getResult(0)] = graph.add(*rounding, operands);
    return true;
  }
  std::optional<EpilogueOp> kind = getFloatOp(op);
  if (!kind)
    return false;
  int result = graph.add(*kind, operands);
  // A result computed in 16 bits is rounded to 16 bits.
  if (rounding && kind != EpilogueOp::Select)
    result = graph.add(*rounding, {result});
  numbers[op.getResult(0)] = result;
  return true;
}

/// The epilogue of `op` as a graph, or the operation that the graph lacks.
static std::variant<EpilogueGraph, NoErrorBound>
buildEpilogueGraph(ConvolutionOpInterface op) {
  GraphBuilder builder;
  if (op.getEpilogue().empty()) {
    builder.graph.add(EpilogueOp::Accumulator);
    return builder.graph;
  }
  Block &block = op.getEpilogue().front();
  for (auto [number, argument] : llvm::enumerate(block.getArguments()))
    builder.addArgument(
        argument, number == 0 ? EpilogueOp::Accumulator : EpilogueOp::Operand,
        static_cast<int64_t>(number) - 1);
  for (Operation &inner : block.without_terminator())
    if (!builder.add(inner))
      return NoErrorBound{"has " + inner.getName().getStringRef().str()};
  builder.setYield(cast<YieldOp>(block.getTerminator()).getValue());
  return builder.graph;
}

static ::conv::Accumulation getAccumulation(ConvolutionOpInterface op) {
  ScheduleAttr schedule = op.getScheduleAttr();
  if (schedule && schedule.isWinograd())
    return getWinogradAccumulation(op, schedule);
  return {computeReduction(op), getOperandNumericType(op),
          schedule ? schedule.getPromotion() : 0};
}

::conv::ErrorBound mlir::conv::computeSumBound(ConvolutionOpInterface op) {
  return ::conv::computeSumBound(getAccumulation(op));
}

std::variant<::conv::ErrorBound, NoErrorBound>
mlir::conv::computeErrorBound(ConvolutionOpInterface op) {
  std::optional<::conv::NumericType> result =
      getNumericType(op.getResultType().getElementType());
  if (!result || !isa<FloatType>(getAccumulatorType(op)))
    return NoErrorBound{"is not computed in f32"};
  auto epilogue = buildEpilogueGraph(op);
  if (auto *none = std::get_if<NoErrorBound>(&epilogue))
    return *none;
  return ::conv::computeErrorBound(getAccumulation(op),
                                   std::get<EpilogueGraph>(epilogue), *result);
}
