//===- SharedNumber.cpp - numbers in code of several subproblems ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code asks for numbers while it is built, but the switch that selects them is
// in front of it. A cast without operands stands for each number until then.
//
//===----------------------------------------------------------------------===//

#include "SharedNumber.h"

#include "Kernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

/// The cases from `first` to `last`.
static SmallVector<Value>
createCases(ImplicitLocOpBuilder &b, Value number, ArrayRef<int64_t> ends,
            size_t first, size_t last,
            function_ref<SmallVector<Value>(int64_t)> create) {
  if (first == last)
    return create(static_cast<int64_t>(first));
  size_t middle = (first + last) / 2;
  auto half = [&](size_t from, size_t to) {
    return [&, from, to](OpBuilder &, Location) {
      scf::YieldOp::create(b, createCases(b, number, ends, from, to, create));
    };
  };
  IndexMath math(b, cast<IntegerType>(number.getType()));
  auto branch = scf::IfOp::create(b, math.below(number, ends[middle]),
                                  half(first, middle), half(middle + 1, last));
  return llvm::to_vector_of<Value>(branch.getResults());
}

SmallVector<Value>
mlir::conv::createSwitch(ImplicitLocOpBuilder &b, Value number,
                         ArrayRef<int64_t> ends,
                         function_ref<SmallVector<Value>(int64_t)> create) {
  return createCases(b, number, ends, 0, ends.size() - 1, create);
}

NumberSwitch::NumberSwitch(ImplicitLocOpBuilder &b, Value workgroup,
                           ArrayRef<int64_t> ends)
    : b(b), workgroup(workgroup), ends(ends) {}

Value NumberSwitch::select(const SharedNumber &number, IntegerType type) {
  for (const Selected &other : selected)
    if (other.number == number && other.placeholder.getType() == type)
      return other.placeholder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(workgroup);
  auto placeholder =
      UnrealizedConversionCastOp::create(b, TypeRange(type), ValueRange());
  selected.push_back({number, placeholder.getResult(0)});
  return placeholder.getResult(0);
}

void NumberSwitch::create() {
  if (selected.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(workgroup);
  SmallVector<Value> values =
      createSwitch(b, workgroup, ends, [&](int64_t subproblem) {
        return llvm::map_to_vector(selected, [&](const Selected &one) -> Value {
          return arith::ConstantOp::create(
              b, b.getIntegerAttr(one.placeholder.getType(),
                                  one.number[static_cast<size_t>(subproblem)]));
        });
      });
  for (auto [one, value] : llvm::zip_equal(selected, values)) {
    Operation *cast = one.placeholder.getDefiningOp();
    one.placeholder.replaceAllUsesWith(value);
    cast->erase();
  }
  selected.clear();
}
