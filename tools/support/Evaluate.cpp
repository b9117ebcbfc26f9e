//===- Evaluate.cpp - the reference in double precision ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps are evaluated one after the other, since each may read earlier
// results.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "EvaluateConvolution.h"
#include "EvaluateDynamic.h"
#include "EvaluateElementwise.h"
#include "EvaluateState.h"

using namespace conv;
using namespace conv::reference;

ConstantBytes conv::reference::findConstants(const artifact::Artifact &artifact,
                                             const artifact::Entry &entry) {
  ConstantBytes bytes;
  for (const artifact::Constant &constant : entry.constants)
    bytes.push_back(artifact.data(constant.data)->bytes);
  return bytes;
}

std::vector<Expected>
conv::reference::evaluate(const Program &program, const artifact::Entry &entry,
                          const ArgumentBytes &arguments,
                          const ConstantBytes &constants,
                          const ProgressFunction &progress) {
  std::vector<StepResult> results;
  for (const Step &step : program.steps) {
    double done = double(results.size()), all = double(program.steps.size());
    auto report = [&](double part) {
      if (progress)
        progress((done + part) / all);
    };
    results.push_back(
        step.direction == Direction::Elementwise ||
                step.direction == Direction::Concatenation
            ? evaluateElementwise(step, entry, arguments, constants, results)
        : step.direction >= Direction::DynamicBackwardState
            ? evaluateState(step, entry, arguments, constants, results)
        : step.direction > Direction::Concatenation
            ? evaluateDynamic(step, entry, arguments, constants, results)
            : evaluateConvolution(step, entry, arguments, constants, results,
                                  report));
  }
  std::vector<Expected> expected;
  for (const Program::Output &output : program.outputs) {
    const StepResult &result = results[output.step];
    expected.push_back({program.steps[output.step].outputType, result.values,
                        result.bounds, result.exact});
  }
  return expected;
}
