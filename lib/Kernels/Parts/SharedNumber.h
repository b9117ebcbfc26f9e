//===- SharedNumber.h - numbers in code of several subproblems --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subproblems of a kernel, such as the dgrad phases of a gradient, may differ
// in nothing but a few numbers: sizes, distances, the number of steps. They
// then share code, and the number of a workgroup selects these numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_SHAREDNUMBER_H
#define CONV_LIB_KERNELS_PARTS_SHAREDNUMBER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

namespace mlir::conv {

/// A number in code that one or more subproblems share: the same for all of
/// them, or one for each.
class SharedNumber {
public:
  SharedNumber(int64_t value) : values(1, value) {}
  /// The number of subproblem `i` is `values[i]`.
  explicit SharedNumber(ArrayRef<int64_t> values)
      : values(llvm::all_equal(values) ? values.take_front() : values) {}

  bool isUniform() const { return values.size() == 1; }
  /// The number that all subproblems have.
  int64_t getUniform() const {
    assert(isUniform() && "subproblems have different numbers");
    return values.front();
  }
  int64_t operator[](size_t subproblem) const {
    return isUniform() ? values.front() : values[subproblem];
  }
  /// The different numbers, or only one.
  ArrayRef<int64_t> getValues() const { return values; }
  SharedNumber map(function_ref<int64_t(int64_t)> change) const {
    return SharedNumber(llvm::map_to_vector(values, change));
  }

  bool isAlways(int64_t value) const {
    return isUniform() && (*this)[0] == value;
  }
  bool isMultipleOf(int64_t divisor) const {
    return llvm::all_of(values, [&](int64_t n) { return n % divisor == 0; });
  }
  int64_t minimum() const { return *llvm::min_element(values); }
  int64_t maximum() const { return *llvm::max_element(values); }
  /// The greatest common divisor of `other` and all numbers.
  int64_t gcd(int64_t other) const {
    for (int64_t value : values)
      other = std::gcd(other, value);
    return other;
  }
  bool operator==(const SharedNumber &) const = default;

private:
  SmallVector<int64_t, 1> values;
};

/// Builds `create(i)` in a branch for each `i`, and returns the values of the
/// branch for which `number` is below `ends[i]`, but not below `ends[i - 1]`.
SmallVector<Value>
createSwitch(ImplicitLocOpBuilder &b, Value number, ArrayRef<int64_t> ends,
             function_ref<SmallVector<Value>(int64_t)> create);

/// The numbers that the code of several subproblems selects. All of them come
/// from one switch in front of the code, so they are the same for all
/// work-items also to a compiler, and loops find them in registers.
class NumberSwitch {
public:
  /// Subproblem `i` has the workgroups below `ends[i]` that the subproblems
  /// before it do not have. The switch is built after `workgroup`.
  NumberSwitch(ImplicitLocOpBuilder &b, Value workgroup,
               ArrayRef<int64_t> ends);

  /// The number of this workgroup's subproblem. It is a placeholder until
  /// `create`.
  Value select(const SharedNumber &number, IntegerType type);
  /// Builds the switch, when all numbers are known.
  void create();

private:
  struct Selected {
    SharedNumber number;
    Value placeholder;
  };
  ImplicitLocOpBuilder &b;
  Value workgroup;
  SmallVector<int64_t> ends;
  SmallVector<Selected> selected;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_SHAREDNUMBER_H
