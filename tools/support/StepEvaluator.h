//===- StepEvaluator.h - what evaluations of steps share --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of operands with their errors, and sums of their
// products.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_STEPEVALUATOR_H
#define CONV_TOOLS_SUPPORT_STEPEVALUATOR_H

#include "EvaluateElementwise.h"

namespace conv::reference {

/// The base of evaluators that compute one step element by element.
class StepEvaluator {
public:
  StepEvaluator(const Step &step, const artifact::Entry &entry,
                const ArgumentBytes &arguments, const ConstantBytes &constants,
                const std::vector<StepResult> &earlier);

protected:
  using Elements = std::vector<Scalar>;

  Elements load(TensorRef ref) const;
  Elements load(const std::optional<TensorRef> &ref) const {
    return ref ? load(*ref) : Elements();
  }

  /// The sum for one element, and its possible error.
  struct Sum {
    double value = 0, magnitude = 0, error = 0;
    bool integers = true;
    /// Adds the product of two elements.
    void add(const Scalar &left, const Scalar &right);
  };
  /// The sum in the type in which the step accumulates.
  Scalar finish(const Sum &sum) const;
  /// Applies the epilogue to a finished sum and stores the result.
  void store(int64_t element, int64_t channel, const Scalar &sum,
             StepResult &result) const;

  const Step &step;

private:
  ElementType typeOf(TensorRef ref) const;

  const artifact::Entry &entry;
  const ArgumentBytes &arguments;
  const ConstantBytes &constants;
  const std::vector<StepResult> &earlier;
  bool sumsIntegers; ///< In i32 rather than in f32.
  std::vector<Elements> epilogueOperands;
};

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_STEPEVALUATOR_H
