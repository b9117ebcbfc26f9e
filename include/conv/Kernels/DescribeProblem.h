//===- DescribeProblem.h - what a convolution asks of kernels ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Turns a planned convolution into the plain `Problem` that models of kernels
// see.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DESCRIBEPROBLEM_H
#define CONV_KERNELS_DESCRIBEPROBLEM_H

#include "conv/Kernels/Problem.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// The sizes and types of the op, planned with `options`, and what each family
/// of kernels makes of them. Its element types must be numeric ones that
/// kernels have (`getNumericType`).
::conv::Problem computeProblem(ConvolutionOpInterface op,
                               const PlanOptions &options);

/// What a step's kernel computes, part by part.
std::vector<::conv::ResultShape> getResultShapes(const PlanStep &step);

} // namespace mlir::conv

#endif // CONV_KERNELS_DESCRIBEPROBLEM_H
