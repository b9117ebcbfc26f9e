//===- EpilogueBody.cpp - scalar code of an epilogue ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/EpilogueBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::conv;

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
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}
