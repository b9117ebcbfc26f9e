//===- ScalarBuilder.h - element-wise arithmetic in f32 ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the scalar ops of element-wise loops so that kernels compute them in
// f32: 16-bit operands are widened, which is exact, and conversions to 16 bits
// in between vanish (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_TRANSFORMS_SCALARBUILDER_H
#define CONV_LIB_DIALECT_CONV_TRANSFORMS_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

class ScalarBuilder {
public:
  explicit ScalarBuilder(MLIRContext *context) : builder(context) {}

  /// The type in which kernels compute an element: f32 for 16-bit floats.
  Type widen(Type type);
  /// Converts `value` to another type; a constant stays a constant.
  Value createConversion(Value value, Type type);
  /// Creates a scalar constant from a constant outside of the region.
  FailureOr<Value> createConstant(Value constant);
  /// Copies `op`, whose operands are in `mapping` or are constants.
  LogicalResult clone(Operation &op, IRMapping &mapping);
  /// Copies `body` into the empty block `copy`. Arguments and the value that is
  /// yielded keep their types.
  LogicalResult cloneBody(Block &body, Block &copy);

  OpBuilder builder;

private:
  Value createPower(Value base, int64_t exponent);
  Value createBaseOfRoot(Value base);
  Value createPower(Value base, Value exponent);
  Value createNarrowCompare(arith::CmpFPredicate predicate, Value lhs,
                            Value rhs, Location loc);
};

/// Lets the body of `op` compute in f32. A body without such a form stays, and
/// is refused later.
void widenBody(RewriterBase &rewriter, Operation *op, Region &body);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_TRANSFORMS_SCALARBUILDER_H
