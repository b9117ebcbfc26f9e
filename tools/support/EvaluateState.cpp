//===- EvaluateState.cpp - steps on states of sequences ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of `conv.causal_update`, `conv.final_state` and
// `conv.dynamic_backward_state` as plain loops over elements.
//
//===----------------------------------------------------------------------===//

#include "EvaluateState.h"

#include "EvaluateDynamic.h"
#include "StepEvaluator.h"

#include <algorithm>

using namespace conv;
using namespace conv::reference;

namespace {

class StateEvaluator : StepEvaluator {
public:
  StateEvaluator(const Step &step, const artifact::Entry &entry,
                 const ArgumentBytes &arguments, const ConstantBytes &constants,
                 const std::vector<StepResult> &earlier)
      : StepEvaluator(step, entry, arguments, constants, earlier),
        u(step.update), s(step.dynamic) {}

  StepResult run();

private:
  StepResult runUpdate();
  StepResult runNewState();
  StepResult runFinalState();
  StepResult runGradient();

  /// The state of a sequence, if it has one.
  std::optional<int64_t> findState(int64_t b) const {
    if (indices.empty())
      return b;
    double index = indices[b].value;
    if (index < 0 || index >= double(u.states))
      return std::nullopt;
    return int64_t(index);
  }
  int64_t findPlace(int64_t b, int64_t t) const {
    // Positions of 64 bits are inexact as doubles beyond 2^53; nobody decodes
    // that many tokens.
    int64_t position = int64_t(positions[b].value) % u.length;
    return (((position + t) % u.length) + u.length) % u.length;
  }
  /// A token of a sequence that has a state, counted from the first new one.
  Scalar token(int64_t b, int64_t d, int64_t t) const {
    if (t >= 0)
      return left[(b * u.d + d) * u.t + t];
    int64_t place = positions.empty() ? u.length + t : findPlace(b, t);
    return state[(*findState(b) * u.d + d) * u.length + place];
  }

  const UpdateSizes &u;
  const DynamicSizes &s;
  Elements left, right, state, positions, indices;
};

} // namespace

StepResult StateEvaluator::runUpdate() {
  StepResult result(step.outputType, u.b * u.d * u.t);
  for (int64_t b = 0; b < u.b; ++b)
    for (int64_t d = 0; d < u.d; ++d)
      for (int64_t t = 0; t < u.t; ++t) {
        int64_t element = (b * u.d + d) * u.t + t;
        if (!findState(b)) {
          result.store(element, {0, 0, true}, 0);
          continue;
        }
        Sum sum;
        for (int64_t w = 0; w < u.w; ++w)
          sum.add(token(b, d, t + w - (u.w - 1)), right[d * u.w + w]);
        store(element, d, finish(sum), result);
      }
  return result;
}

StepResult StateEvaluator::runNewState() {
  StepResult result(step.outputType, u.states * u.d * u.length);
  for (size_t i = 0; i < state.size(); ++i)
    result.store(int64_t(i), state[i], 0);
  for (int64_t b = 0; b < u.b; ++b) {
    std::optional<int64_t> row = findState(b);
    for (int64_t d = 0; row && d < u.d; ++d) {
      int64_t first = (*row * u.d + d) * u.length;
      for (int64_t l = 0; positions.empty() && l < u.length; ++l)
        result.store(first + l, token(b, d, u.t - u.length + l), 0);
      for (int64_t t = 0; !positions.empty() && t < u.t; ++t)
        result.store(first + findPlace(b, t), token(b, d, t), 0);
    }
  }
  return result;
}

StepResult StateEvaluator::runFinalState() {
  const FinalStateSizes &f = step.finalState;
  StepResult result(step.outputType, f.rows * f.p * f.d);
  Elements starts = load(step.cuSeqlens), initial = load(step.initialState);
  Elements cache = load(step.cache);
  for (size_t i = 0; i < cache.size(); ++i)
    result.store(int64_t(i), cache[i], 0);
  for (int64_t n = 0; n < f.n; ++n) {
    double row = indices.empty() ? double(n) : indices[n].value;
    if (row < 0 || row >= double(f.rows))
      continue;
    double first = starts.empty() ? 0 : starts[n].value;
    double end = starts.empty() ? double(f.t) : starts[n + 1].value;
    int64_t batch = starts.empty() ? n : 0;
    for (int64_t j = 0; j < f.p; ++j)
      for (int64_t d = 0; d < f.d; ++d) {
        double t = end - double(f.p) + double(j);
        double before = double(f.p) + t - first;
        Scalar element{0, 0, true};
        if (t >= first && t >= 0 && t < double(f.t))
          element = left[(batch * f.t + int64_t(t)) * f.d + d];
        else if (!initial.empty() && t < first && before >= 0)
          element = initial[(n * f.p + int64_t(before)) * f.d + d];
        result.store((int64_t(row) * f.p + j) * f.d + d, element, 0);
      }
  }
  return result;
}

StepResult StateEvaluator::runGradient() {
  Elements starts = load(step.cuSeqlens);
  int64_t sequences = starts.empty() ? s.b : int64_t(starts.size()) - 1;
  StepResult result(step.outputType, sequences * (s.w - 1) * s.d);
  Elements taps = normalizeKernels(step.normalize, s, right);
  int64_t perGroup = s.d / s.g;
  for (int64_t b = 0; b < sequences; ++b)
    for (int64_t j = 0; j < s.w - 1; ++j)
      for (int64_t d = 0; d < s.d; ++d) {
        double first = starts.empty() ? 0 : starts[b].value;
        double end = starts.empty() ? double(s.t) : starts[b + 1].value;
        int64_t row = starts.empty() ? b : 0;
        Sum sum;
        for (int64_t w = 0; w <= j; ++w) {
          double place = first + double(j - w);
          if (place < 0 || place >= std::min(end, double(s.t)))
            continue;
          int64_t t = int64_t(place);
          sum.add(left[(row * s.t + t) * s.d + d],
                  taps[s.findKernel(row, t, d / perGroup, w)]);
        }
        result.store((b * (s.w - 1) + j) * s.d + d, finish(sum),
                     step.bound.outputUlp);
      }
  return result;
}

StepResult StateEvaluator::run() {
  left = load(step.left);
  indices = load(step.indices);
  positions = load(step.positions);
  state = load(step.state);
  if (step.direction == Direction::FinalState)
    return runFinalState();
  if (step.direction == Direction::CausalUpdateState)
    return runNewState();
  right = load(step.right);
  return step.direction == Direction::CausalUpdate ? runUpdate()
                                                   : runGradient();
}

StepResult
conv::reference::evaluateState(const Step &step, const artifact::Entry &entry,
                               const ArgumentBytes &arguments,
                               const ConstantBytes &constants,
                               const std::vector<StepResult> &earlier) {
  return StateEvaluator(step, entry, arguments, constants, earlier).run();
}
