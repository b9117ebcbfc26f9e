//===- PlanInterpreter.h - runs the steps of a plan -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes arrays of integers through the views of a plan, and checks
// that those of channels count what they are for.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H
#define CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H

#include "ConvolutionDefinition.h"

#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv::test {

/// What no sum of products reaches: an element that was not written.
inline constexpr int64_t kUnwritten = int64_t(1) << 40;

/// Runs the steps one after the other. Parts of a step do not depend on each
/// other: the last one runs first.
void execute(const ConvolutionPlan &plan, const Tensors &tensors,
             Tensor &result);

} // namespace mlir::conv::test

#endif // CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H
