//===- ExplainLimits.h - which limit a family exceeds -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains to people why a family has no candidate for a problem that it could
// compute: what the smallest tile needs, and what the chip has.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_EXPLAINLIMITS_H
#define CONV_KERNELS_EXPLAINLIMITS_H

#include "conv/Kernels/KernelModel.h"

#include <string>

namespace conv {

/// Why the chip runs none of a model's candidates: the resource of which every
/// tile needs more, how much the smallest one needs, and how much there is.
std::string explainLimits(const KernelModel &model, const Problem &problem,
                          const ChipInfo &chip);

} // namespace conv

#endif // CONV_KERNELS_EXPLAINLIMITS_H
