//===- NormalizeTaps.h - normalised kernels of tokens -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_NORMALIZETAPS_H
#define CONV_TOOLS_SUPPORT_NORMALIZETAPS_H

#include "EpilogueInterpreter.h"

namespace conv::reference {

/// The taps that result from the elements of one kernel.
std::vector<Scalar> normalizeTaps(Normalization kind,
                                  const std::vector<Scalar> &kernel);

/// The gradient with respect to the elements of one kernel, from the gradient
/// with respect to its taps.
std::vector<Scalar>
differentiateNormalization(Normalization kind,
                           const std::vector<Scalar> &kernel,
                           const std::vector<Scalar> &grads);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_NORMALIZETAPS_H
