//===- StepEvaluator.h - what evaluations of steps share --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of operands with what they may be off by, and sums of their
// products.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_STEPEVALUATOR_H
#define CONV_TOOLS_SUPPORT_STEPEVALUATOR_H

#include "EvaluateElementwise.h"

namespace conv::reference {

/// The base of what computes one step element by element.
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

  /// What is summed up for one element, and what that may be off by.
  struct Sum {
    double value = 0, magnitude = 0, error = 0;
    bool integers = true;
    /// Adds the product of two elements.
    void add(const Scalar &left, const Scalar &right);
  };
  /// The sum in the type in which the step sums up.
  Scalar finish(const Sum &sum) const;
  /// Stores what the epilogue makes of a finished sum.
  void store(int64_t element, int64_t channel, const Scalar &sum,
             StepResult &result) const;

  const Step &step;

private:
  ElementType typeOf(TensorRef ref) const;

  const artifact::Entry &entry;
  const ArgumentBytes &arguments;
  const ConstantBytes &constants;
  const std::vector<StepResult> &earlier;
  bool sumsIntegers; ///< In i32, not in f32.
  std::vector<Elements> epilogueOperands;
};

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_STEPEVALUATOR_H
