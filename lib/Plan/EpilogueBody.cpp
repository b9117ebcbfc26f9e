//===- EpilogueBody.cpp - scalar code of an epilogue ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/EpilogueBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether the value is rounded from f32 to 16 bits.
static bool isRoundedTo16Bits(Value value) {
  auto rounding = value.getDefiningOp<arith::TruncFOp>();
  return rounding && rounding.getIn().getType().isF32() &&
         (rounding.getType().isF16() || rounding.getType().isBF16());
}

/// Lets back ends approximate a quotient by 1 + exp(x), as in sigmoid and silu,
/// within what docs/numerics.md grants where the result has 16 bits.
static void approximateLogisticQuotient(arith::DivFOp quotient) {
  auto divisor = quotient.getRhs().getDefiningOp<arith::AddFOp>();
  if (!divisor)
    return;
  for (auto [one, power] : {std::pair(divisor.getLhs(), divisor.getRhs()),
                            std::pair(divisor.getRhs(), divisor.getLhs())}) {
    auto exponential = power.getDefiningOp<math::ExpOp>();
    if (!exponential || !exponential->hasOneUse() ||
        !matchPattern(one, m_OneFloat()))
      continue;
    exponential.setFastmath(arith::FastMathFlags::afn);
    quotient.setFastmath(arith::FastMathFlags::arcp);
  }
}

Value mlir::conv::createEpilogueBody(OpBuilder &builder, Location loc,
                                     Region &epilogue, Type element, Value sum,
                                     ValueRange operands) {
  if (epilogue.empty())
    return sum.getType() == element
               ? sum
               : arith::TruncFOp::create(builder, loc, element, sum)
                     .getResult();
  Block &body = epilogue.front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  mapping.map(body.getArguments().drop_front(), operands);
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  Value result =
      mapping.lookupOrDefault(cast<YieldOp>(body.getTerminator()).getValue());
  if (isRoundedTo16Bits(result))
    for (auto quotient : body.getOps<arith::DivFOp>())
      approximateLogisticQuotient(
          mapping.lookup(quotient.getResult()).getDefiningOp<arith::DivFOp>());
  return result;
}
