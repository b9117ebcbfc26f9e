//===- EvaluateElementwise.h - steps without a sum --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EVALUATEELEMENTWISE_H
#define CONV_TOOLS_SUPPORT_EVALUATEELEMENTWISE_H

#include "EpilogueInterpreter.h"
#include "Evaluate.h"

namespace conv::reference {

/// The result of a step in the order of its layout.
struct StepResult {
  ElementType type = ElementType::F32;
  std::vector<double> values, bounds;
  std::vector<uint8_t> exact;

  /// Creates elements that are all still unknown.
  StepResult(ElementType type, int64_t elements)
      : type(type), values(elements), bounds(elements), exact(elements) {}

  /// Rounds `output` to an element. Its bound consists of `ulps` of it,
  /// `ownError`, and the error of `output`.
  void store(int64_t element, const Scalar &output, double ulps,
             double ownError = 0);
};

/// Applies the epilogue of an elementwise step to each element of its
/// operands.
StepResult evaluateElementwise(const Step &step, const artifact::Entry &entry,
                               const ArgumentBytes &arguments,
                               const ConstantBytes &constants,
                               const std::vector<StepResult> &earlier);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EVALUATEELEMENTWISE_H
