//===- EvaluateConvolution.h - the reference of a convolution ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EVALUATECONVOLUTION_H
#define CONV_TOOLS_SUPPORT_EVALUATECONVOLUTION_H

#include "EvaluateElementwise.h"

#include <functional>

namespace conv::reference {

/// The result of a convolution in any direction. `progress` receives the
/// finished share of the work.
StepResult evaluateConvolution(const Step &step, const artifact::Entry &entry,
                               const ArgumentBytes &arguments,
                               const ConstantBytes &constants,
                               const std::vector<StepResult> &earlier,
                               const std::function<void(double)> &progress);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EVALUATECONVOLUTION_H
