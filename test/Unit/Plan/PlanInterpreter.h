//===- PlanInterpreter.h - runs the steps of a plan -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes arrays of integers through the views of a plan, and checks
// that views of channels count channels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H
#define CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H

#include "ConvolutionDefinition.h"

#include "conv/Plan/ConvolutionPlan.h"

namespace mlir::conv::test {

/// Marks unwritten elements, with a value that no sum of products reaches.
inline constexpr int64_t kUnwritten = int64_t(1) << 40;

/// Runs the steps one after the other. Parts of a step are independent: the
/// last part runs first.
void execute(const ConvolutionPlan &plan, const Tensors &tensors,
             Tensor &result);

} // namespace mlir::conv::test

#endif // CONV_TEST_UNIT_PLAN_PLANINTERPRETER_H
