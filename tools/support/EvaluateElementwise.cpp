//===- EvaluateElementwise.cpp - steps without a sum ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates one element after the other, with the errors of its operands and of
// its own operations.
//
//===----------------------------------------------------------------------===//

#include "EvaluateElementwise.h"

#include "conv/Support/Npy.h"

using namespace conv;
using namespace conv::reference;

void StepResult::store(int64_t element, const Scalar &output, double ulps,
                       double ownError) {
  double value = output.value;
  if (output.exact) {
    char storage[8];
    storeElement(type, storage, 0, value);
    value = loadElement(type, storage, 0);
  }
  values[element] = value;
  exact[element] = output.exact;
  bounds[element] = ulps * ulp(type, value) + ownError + output.error;
}

namespace {

class ElementwiseEvaluator {
public:
  ElementwiseEvaluator(const Step &step, const artifact::Entry &entry,
                       const ArgumentBytes &arguments,
                       const ConstantBytes &constants,
                       const std::vector<StepResult> &earlier)
      : step(step), entry(entry), arguments(arguments), constants(constants),
        earlier(earlier) {}

  StepResult run() const;
  StepResult concatenate() const;

private:
  Scalar load(TensorRef ref, int64_t index) const;

  const Step &step;
  const artifact::Entry &entry;
  const ArgumentBytes &arguments;
  const ConstantBytes &constants;
  const std::vector<StepResult> &earlier;
};

} // namespace

Scalar ElementwiseEvaluator::load(TensorRef ref, int64_t index) const {
  if (ref.kind == TensorRef::Step) {
    const StepResult &from = earlier[ref.index];
    bool exact = from.exact[index];
    return {from.values[index], exact ? 0 : from.bounds[index], exact};
  }
  std::string_view bytes = ref.kind == TensorRef::Constant
                               ? constants[ref.index]
                               : arguments[ref.index];
  ElementType type = *lookupElementType(ref.buffer(entry).dtype);
  return {loadElement(type, bytes.data(), index), 0, true};
}

/// The index in `operand` of the result's element `number`.
static int64_t findIndex(const ElementwiseOperand &operand,
                         const std::vector<int64_t> &shape, int64_t element) {
  int64_t index = operand.offset;
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    index += element % shape[d] * operand.strides[d];
  return index;
}

StepResult ElementwiseEvaluator::run() const {
  const std::vector<int64_t> &shape = step.shape(step.resultRole());
  StepResult result(step.outputType, elementCount(shape));
  std::vector<Scalar> values;
  for (size_t element = 0; element < result.values.size(); ++element) {
    values.clear();
    for (const ElementwiseOperand &operand : step.operands)
      values.push_back(
          load(operand.tensor, findIndex(operand, shape, int64_t(element))));
    runEpilogue(step.epilogue, values, Rounding::Counted);
    result.store(int64_t(element), values[step.yield], step.bound.outputUlp);
  }
  return result;
}

StepResult ElementwiseEvaluator::concatenate() const {
  const std::vector<int64_t> &shape = step.shape(step.resultRole());
  StepResult result(step.outputType, elementCount(shape));
  int64_t inner = 1; // Contiguous elements of a part, for each position in the
                     // dimension.
  for (size_t d = step.dimension + 1; d < shape.size(); ++d)
    inner *= shape[d];
  int64_t element = 0, whole = shape[step.dimension] * inner;
  for (int64_t outer = 0; outer < elementCount(shape) / whole; ++outer)
    for (const ConcatenatedOperand &part : step.parts)
      for (int64_t i = 0; i < part.size * inner; ++i)
        result.store(element++,
                     load(part.tensor, outer * part.size * inner + i), 0);
  return result;
}

StepResult conv::reference::evaluateElementwise(
    const Step &step, const artifact::Entry &entry,
    const ArgumentBytes &arguments, const ConstantBytes &constants,
    const std::vector<StepResult> &earlier) {
  ElementwiseEvaluator evaluator(step, entry, arguments, constants, earlier);
  return step.direction == Direction::Concatenation ? evaluator.concatenate()
                                                    : evaluator.run();
}
