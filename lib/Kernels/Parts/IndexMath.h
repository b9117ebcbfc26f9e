//===- IndexMath.h - integer arithmetic of a kernel -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants are folded while the kernel is built: geometry is static, so most
// of the integer arithmetic disappears before any pass runs.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_INDEXMATH_H
#define CONV_LIB_KERNELS_PARTS_INDEXMATH_H

#include "SharedNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

/// Builds integer arithmetic in one width and folds constants. In code of
/// several subproblems, `numbers` selects the numbers in which they differ.
class IndexMath {
public:
  IndexMath(ImplicitLocOpBuilder &builder, IntegerType type,
            NumberSwitch *numbers = nullptr)
      : b(builder), type(type), numbers(numbers) {}

  IntegerType getType() const { return type; }
  Value constant(int64_t value) const;
  Value constant(const SharedNumber &value) const;
  /// Converts `value`, an index or an integer of another width, to this width.
  Value cast(Value value) const;
  Value add(Value lhs, Value rhs) const;
  Value add(Value lhs, int64_t rhs) const;
  Value add(Value lhs, const SharedNumber &rhs) const;
  Value sub(Value lhs, Value rhs) const;
  Value sub(Value lhs, int64_t rhs) const;
  Value sub(Value lhs, const SharedNumber &rhs) const;
  Value mul(Value lhs, int64_t rhs) const;
  Value mul(Value lhs, const SharedNumber &rhs) const;
  /// Quotient and remainder of a non-negative value; if subproblems have
  /// different divisors, it is of 32 bits.
  Value div(Value lhs, int64_t rhs) const;
  Value div(Value lhs, const SharedNumber &rhs) const;
  Value rem(Value lhs, int64_t rhs) const;
  Value bitXor(Value lhs, Value rhs) const;
  /// Minimum and maximum of signed values.
  Value minimum(Value lhs, Value rhs) const;
  Value maximum(Value lhs, Value rhs) const;
  /// Unsigned comparison, also of vectors; false too for a negative `lhs`.
  Value below(Value lhs, int64_t rhs) const;
  Value below(Value lhs, const SharedNumber &rhs) const;
  Value both(Value lhs, Value rhs) const;
  Value select(Value condition, Value yes, Value no) const;
  Value yes() const;
  /// Digits of a non-negative value in the mixed radix `sizes`, most
  /// significant first. The first digit is not reduced modulo its size.
  SmallVector<Value> split(Value value, ArrayRef<int64_t> sizes) const;
  SmallVector<Value> splitShared(Value value,
                                 ArrayRef<SharedNumber> sizes) const;

private:
  std::pair<Value, Value> createDivision(Value lhs,
                                         const SharedNumber &rhs) const;

  ImplicitLocOpBuilder &b;
  IntegerType type;
  NumberSwitch *numbers;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_INDEXMATH_H
