//===- NormalizeTaps.cpp - normalised kernels of tokens ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of `normalize` as scalar operations of an epilogue, in the order
// in which kernels compute them (lib/Plan/NormalizeTaps.cpp), so that the same
// rules bound their errors.
//
//===----------------------------------------------------------------------===//

#include "NormalizeTaps.h"

#include "ScalarFunctions.h"

#include <cmath>
#include <limits>

using namespace conv;
using namespace conv::reference;

/// Added to the square of a norm: 10^-6 as f32.
static constexpr float kLeastSquare = 1e-6f;

/// The logarithm of e to the base 2, and its value in kernels.
static constexpr double kLog2E = 1.4426950408889634;
static constexpr float kRoundedLog2E = 1.44269504f;

namespace {
/// Runs one operation after the other. Numbers identify values.
class ScalarMachine {
public:
  explicit ScalarMachine(std::vector<Scalar> values)
      : values(std::move(values)) {}

  int64_t run(ScalarOp op, std::vector<int64_t> operands) {
    EpilogueNode node;
    node.op = op;
    node.operands = std::move(operands);
    return run(node);
  }
  int64_t add(Scalar value) {
    values.push_back(value);
    return int64_t(values.size()) - 1;
  }
  int64_t constant(double value) {
    EpilogueNode node;
    node.constant = value;
    return run(node);
  }
  int64_t function(const char *name, int64_t operand) {
    EpilogueNode node;
    node.op = ScalarOp::Function;
    node.operands = {operand};
    node.function = lookupFunction(name);
    return run(node);
  }
  /// Powers of two that may be zero where they are less than normal numbers.
  int64_t powerOfTwo(int64_t exponent) {
    int64_t power = function("exp2", exponent);
    values[power].error += double(std::numeric_limits<float>::min());
    return power;
  }
  /// A reciprocal that is not always the nearest one: its grant is twice that
  /// of a quotient and a half.
  int64_t reciprocal(int64_t divisor) {
    int64_t quotient = run(ScalarOp::Div, {constant(1), divisor});
    values[quotient].error += ulp(ElementType::F32, values[quotient].value);
    values[quotient].exact = false;
    return quotient;
  }
  std::vector<Scalar> get(const std::vector<int64_t> &numbers) const {
    std::vector<Scalar> result;
    for (int64_t number : numbers)
      result.push_back(values[number]);
    return result;
  }

private:
  int64_t run(const EpilogueNode &node) {
    runEpilogue({node}, values, Rounding::Counted);
    return int64_t(values.size()) - 1;
  }
  std::vector<Scalar> values;
};

/// Numbers of the taps, and of the factor that turns the kernel into taps.
struct NormalizedTaps {
  std::vector<int64_t> taps;
  int64_t factor = 0;
};
} // namespace

/// The first `count` values are the kernel's elements.
static NormalizedTaps runSoftmax(ScalarMachine &machine, int64_t count) {
  int64_t largest = 0, sum = 0;
  for (int64_t w = 1; w < count; ++w)
    largest = machine.run(ScalarOp::MaxNum, {largest, w});
  NormalizedTaps result;
  int64_t factor =
      machine.add({kLog2E, std::fabs(kLog2E - double(kRoundedLog2E)), false});
  for (int64_t w = 0; w < count; ++w) {
    int64_t distance = machine.run(ScalarOp::Sub, {w, largest});
    distance = machine.run(ScalarOp::Mul, {distance, factor});
    result.taps.push_back(machine.powerOfTwo(distance));
    sum = w == 0 ? result.taps.back()
                 : machine.run(ScalarOp::Add, {sum, result.taps.back()});
  }
  result.factor = machine.reciprocal(sum);
  for (int64_t &tap : result.taps)
    tap = machine.run(ScalarOp::Mul, {tap, result.factor});
  return result;
}

static NormalizedTaps runUnitVector(ScalarMachine &machine, int64_t count) {
  int64_t square = machine.constant(kLeastSquare);
  for (int64_t w = 0; w < count; ++w)
    square = machine.run(ScalarOp::Fma, {w, w, square});
  int64_t norm = machine.function("sqrt", square);
  NormalizedTaps result;
  result.factor = machine.reciprocal(norm);
  for (int64_t w = 0; w < count; ++w)
    result.taps.push_back(machine.run(ScalarOp::Mul, {w, result.factor}));
  return result;
}

static NormalizedTaps normalize(ScalarMachine &machine, Normalization kind,
                                int64_t count) {
  return kind == Normalization::Softmax ? runSoftmax(machine, count)
                                        : runUnitVector(machine, count);
}

std::vector<Scalar>
conv::reference::normalizeTaps(Normalization kind,
                               const std::vector<Scalar> &kernel) {
  if (kind == Normalization::None)
    return kernel;
  ScalarMachine machine(kernel);
  return machine.get(normalize(machine, kind, int64_t(kernel.size())).taps);
}

std::vector<Scalar>
conv::reference::differentiateNormalization(Normalization kind,
                                            const std::vector<Scalar> &kernel,
                                            const std::vector<Scalar> &grads) {
  if (kind == Normalization::None)
    return grads;
  std::vector<Scalar> values = kernel;
  values.insert(values.end(), grads.begin(), grads.end());
  ScalarMachine machine(std::move(values));
  int64_t count = int64_t(kernel.size());
  NormalizedTaps all = normalize(machine, kind, count);
  int64_t mean = machine.run(ScalarOp::Mul, {all.taps[0], count});
  for (int64_t w = 1; w < count; ++w)
    mean = machine.run(ScalarOp::Fma, {all.taps[w], count + w, mean});
  std::vector<int64_t> result;
  for (int64_t w = 0; w < count; ++w) {
    if (kind == Normalization::Softmax) {
      int64_t rest = machine.run(ScalarOp::Sub, {count + w, mean});
      result.push_back(machine.run(ScalarOp::Mul, {all.taps[w], rest}));
    } else {
      int64_t along = machine.run(ScalarOp::Mul, {all.taps[w], mean});
      int64_t rest = machine.run(ScalarOp::Sub, {count + w, along});
      result.push_back(machine.run(ScalarOp::Mul, {rest, all.factor}));
    }
  }
  return machine.get(result);
}
