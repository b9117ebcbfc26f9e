//===- DescribeProblem.h - what a convolution asks of kernels ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Turns a planned convolution into the plain `Problem` that kernel models
// see.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_DESCRIBEPROBLEM_H
#define CONV_KERNELS_DESCRIBEPROBLEM_H

#include "conv/Kernels/Problem.h"
#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv {

/// The sizes and types of the op, planned with `options`, and the facts of each
/// kernel family. The element types must be numeric types that kernels support
/// (`getNumericType`).
::conv::Problem computeProblem(ConvolutionOpInterface op,
                               const PlanOptions &options);

/// The results of the subproblems of a step's kernel.
std::vector<::conv::ResultShape> getResultShapes(const PlanStep &step);

} // namespace mlir::conv

#endif // CONV_KERNELS_DESCRIBEPROBLEM_H
