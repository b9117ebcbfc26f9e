//===- EvaluateDynamic.cpp - steps with a kernel per token ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three formulas of the dialect's documentation as plain loops, each with
// the errors of its operands and the error of its own sum. Packed sequences are
// found by the bisection that gives a meaning to any list of starts.
//
//===----------------------------------------------------------------------===//

#include "EvaluateDynamic.h"

#include "NormalizeTaps.h"
#include "StepEvaluator.h"

#include <algorithm>

using namespace conv;
using namespace conv::reference;

std::vector<Scalar>
conv::reference::normalizeKernels(Normalization kind, const DynamicSizes &sizes,
                                  std::vector<Scalar> kernels) {
  if (kind == Normalization::None)
    return kernels;
  int64_t count = int64_t(kernels.size()) / (sizes.g * sizes.w);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t g = 0; g < sizes.g; ++g) {
      // Indexed as one sequence.
      int64_t first = i * sizes.g * sizes.w;
      auto find = [&](int64_t w) {
        return first + (sizes.tapsLast ? g * sizes.w + w : w * sizes.g + g);
      };
      std::vector<Scalar> kernel;
      for (int64_t w = 0; w < sizes.w; ++w)
        kernel.push_back(kernels[find(w)]);
      kernel = normalizeTaps(kind, kernel);
      for (int64_t w = 0; w < sizes.w; ++w)
        kernels[find(w)] = kernel[w];
    }
  return kernels;
}

namespace {

class DynamicEvaluator : StepEvaluator {
public:
  DynamicEvaluator(const Step &step, const artifact::Entry &entry,
                   const ArgumentBytes &arguments,
                   const ConstantBytes &constants,
                   const std::vector<StepResult> &earlier)
      : StepEvaluator(step, entry, arguments, constants, earlier),
        s(step.dynamic), perGroup(s.d / s.g), lhs(load(step.left)),
        rhs(load(step.right)), state(load(step.initialState)),
        kernels(load(step.kernel)) {
    findSequences();
    if (step.direction != Direction::DynamicBackwardKernel)
      rhs = normalizeKernels(step.normalize, s, rhs);
  }

  StepResult run();

private:
  /// Finds the sequence of each position.
  void findSequences();

  int64_t token(int64_t b, int64_t t, int64_t d) const {
    return (b * s.t + t) * s.d + d;
  }
  /// The element `distance` tokens before a token of a sequence; before the
  /// sequence's first token, an element of the initial state, or zero.
  Scalar before(const Elements &tensor, int64_t b, int64_t t, int64_t distance,
                int64_t d) const {
    if (t - distance >= firsts[t])
      return tensor[token(b, t - distance, d)];
    if (step.cuSeqlens)
      b = numbers[t];
    int64_t row = b * (s.w - 1) + s.w - 1 + t - distance - firsts[t];
    int64_t rows = int64_t(state.size()) / s.d;
    return b < 0 || row >= rows ? Scalar{0, 0, true} : state[row * s.d + d];
  }
  Sum sumForward(int64_t b, int64_t t, int64_t d) const;
  Sum sumInput(int64_t b, int64_t t, int64_t d) const;
  Sum sumKernel(int64_t b, int64_t t, int64_t g, int64_t w) const;

  /// Stores the gradient of one kernel.
  void storeKernel(int64_t b, int64_t t, int64_t g, StepResult &result) const;

  const DynamicSizes &s;
  int64_t perGroup;
  Elements lhs, rhs, state, kernels;
  /// By position: the start of its sequence, the start of the next sequence,
  /// and the sequence's number.
  std::vector<int64_t> firsts, ends, numbers;
};

} // namespace

void DynamicEvaluator::findSequences() {
  Elements starts = load(step.cuSeqlens);
  for (int64_t t = 0; t < s.t; ++t) {
    size_t low = 0, high = starts.size() + 1;
    double first = 0, end = double(s.t);
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      double start = starts[middle - 1].value;
      bool isBefore = start <= double(t);
      (isBefore ? low : high) = middle;
      (isBefore ? first : end) = start;
    }
    firsts.push_back(int64_t(std::max(first, 0.0)));
    ends.push_back(int64_t(std::min(end, double(s.t))));
    numbers.push_back(int64_t(low) - 1);
  }
}

StepEvaluator::Sum DynamicEvaluator::sumForward(int64_t b, int64_t t,
                                                int64_t d) const {
  Sum sum;
  for (int64_t w = 0; w < s.w; ++w)
    sum.add(before(lhs, b, t, (s.w - 1) - w, d),
            rhs[s.findKernel(b, t, d / perGroup, w)]);
  return sum;
}

StepEvaluator::Sum DynamicEvaluator::sumInput(int64_t b, int64_t t,
                                              int64_t d) const {
  Sum sum;
  for (int64_t w = 0; w < s.w; ++w)
    if (int64_t from = t + (s.w - 1) - w; from < ends[t])
      sum.add(lhs[token(b, from, d)],
              rhs[s.findKernel(b, from, d / perGroup, w)]);
  return sum;
}

StepEvaluator::Sum DynamicEvaluator::sumKernel(int64_t b, int64_t t, int64_t g,
                                               int64_t w) const {
  Sum sum;
  for (int64_t d = g * perGroup; d < (g + 1) * perGroup; ++d)
    sum.add(before(lhs, b, t, (s.w - 1) - w, d), rhs[token(b, t, d)]);
  return sum;
}

void DynamicEvaluator::storeKernel(int64_t b, int64_t t, int64_t g,
                                   StepResult &result) const {
  Elements kernel, sums;
  for (int64_t w = 0; w < s.w; ++w) {
    sums.push_back(finish(sumKernel(b, t, g, w)));
    if (!kernels.empty())
      kernel.push_back(kernels[s.findKernel(b, t, g, w)]);
  }
  sums = differentiateNormalization(step.normalize, kernel, sums);
  for (int64_t w = 0; w < s.w; ++w)
    store(s.findKernel(b, t, g, w), g, sums[w], result);
}

StepResult DynamicEvaluator::run() {
  bool isKernel = step.direction == Direction::DynamicBackwardKernel;
  StepResult result(step.outputType, s.b * s.t * (isKernel ? s.g * s.w : s.d));
  for (int64_t b = 0; b < s.b; ++b)
    for (int64_t t = 0; t < s.t; ++t) {
      for (int64_t g = 0; isKernel && g < s.g; ++g)
        storeKernel(b, t, g, result);
      for (int64_t d = 0; !isKernel && d < s.d; ++d)
        store(token(b, t, d), d,
              finish(step.direction == Direction::DynamicForward
                         ? sumForward(b, t, d)
                         : sumInput(b, t, d)),
              result);
    }
  return result;
}

StepResult
conv::reference::evaluateDynamic(const Step &step, const artifact::Entry &entry,
                                 const ArgumentBytes &arguments,
                                 const ConstantBytes &constants,
                                 const std::vector<StepResult> &earlier) {
  return DynamicEvaluator(step, entry, arguments, constants, earlier).run();
}
