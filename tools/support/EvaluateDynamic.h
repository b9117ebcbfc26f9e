//===- EvaluateDynamic.h - steps with a kernel per token --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EVALUATEDYNAMIC_H
#define CONV_TOOLS_SUPPORT_EVALUATEDYNAMIC_H

#include "EvaluateElementwise.h"

namespace conv::reference {

/// All kernels of a step, normalised.
std::vector<Scalar> normalizeKernels(Normalization kind,
                                     const DynamicSizes &sizes,
                                     std::vector<Scalar> kernels);

/// The result of a dynamic convolution in any direction.
StepResult evaluateDynamic(const Step &step, const artifact::Entry &entry,
                           const ArgumentBytes &arguments,
                           const ConstantBytes &constants,
                           const std::vector<StepResult> &earlier);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EVALUATEDYNAMIC_H
