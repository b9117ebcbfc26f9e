//===- EvaluateState.h - steps on states of sequences -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EVALUATESTATE_H
#define CONV_TOOLS_SUPPORT_EVALUATESTATE_H

#include "EvaluateElementwise.h"

namespace conv::reference {

/// The result of a step with a direction of states.
StepResult evaluateState(const Step &step, const artifact::Entry &entry,
                         const ArgumentBytes &arguments,
                         const ConstantBytes &constants,
                         const std::vector<StepResult> &earlier);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EVALUATESTATE_H
