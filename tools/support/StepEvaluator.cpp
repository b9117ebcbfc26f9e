//===- StepEvaluator.cpp - what evaluations of steps share ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepEvaluator.h"

#include "conv/Support/Npy.h"

#include <cmath>

using namespace conv;
using namespace conv::reference;

StepEvaluator::StepEvaluator(const Step &step, const artifact::Entry &entry,
                             const ArgumentBytes &arguments,
                             const ConstantBytes &constants,
                             const std::vector<StepResult> &earlier)
    : step(step), entry(entry), arguments(arguments), constants(constants),
      earlier(earlier), sumsIntegers(!isFloat(typeOf(step.left))) {
  for (const EpilogueOperand &operand : step.epilogueOperands)
    epilogueOperands.push_back(load(operand.tensor));
}

ElementType StepEvaluator::typeOf(TensorRef ref) const {
  return ref.kind == TensorRef::Step
             ? earlier[ref.index].type
             : *lookupElementType(ref.buffer(entry).dtype);
}

StepEvaluator::Elements StepEvaluator::load(TensorRef ref) const {
  Elements elements;
  if (ref.kind == TensorRef::Step) {
    const StepResult &from = earlier[ref.index];
    for (size_t i = 0; i < from.values.size(); ++i)
      elements.push_back({from.values[i], from.exact[i] ? 0 : from.bounds[i],
                          from.exact[i] != 0});
    return elements;
  }
  std::string_view bytes = ref.kind == TensorRef::Constant
                               ? constants[ref.index]
                               : arguments[ref.index];
  int64_t count = elementCount(ref.buffer(entry).shape);
  for (int64_t i = 0; i < count; ++i)
    elements.push_back({loadElement(typeOf(ref), bytes.data(), i), 0, true});
  return elements;
}

void StepEvaluator::Sum::add(const Scalar &left, const Scalar &right) {
  double product = left.value * right.value;
  value += product;
  magnitude += std::fabs(product);
  error += std::fabs(right.value) * left.error +
           (std::fabs(left.value) + left.error) * right.error;
  integers &= left.exact && right.exact &&
              left.value == std::rint(left.value) &&
              right.value == std::rint(right.value);
}

Scalar StepEvaluator::finish(const Sum &sum) const {
  // Integers add without rounding in f32 while every partial sum fits, and
  // always in i32, where the sum wraps around.
  bool exact =
      sum.integers && (sumsIntegers || sum.magnitude <= double(1 << 24));
  double error = sum.error;
  if (!exact)
    error +=
        std::ldexp(step.bound.accumulation, -24) * (sum.magnitude + sum.error);
  double value = sumsIntegers ? double(int32_t(int64_t(sum.value))) : sum.value;
  return {value, error, exact};
}

void StepEvaluator::store(int64_t element, int64_t channel, const Scalar &sum,
                          StepResult &result) const {
  Elements values{sum};
  for (size_t i = 0; i < epilogueOperands.size(); ++i)
    values.push_back(
        epilogueOperands[i][step.epilogueOperands[i].perChannel ? channel
                                                                : element]);
  runEpilogue(step.epilogue, values, Rounding::Counted);
  result.store(element, values[step.yield], step.bound.outputUlp);
}
