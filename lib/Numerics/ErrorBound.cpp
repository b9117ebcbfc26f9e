//===- ErrorBound.cpp - how wrong a result may be ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the epilogue from the accumulator to the output. Values that depend on
// only one varying value are analysed together (EpilogueScan), so that the
// exponential inside a sigmoid does not count as unbounded growth; sums of
// several varying values are bounded term by term. docs/numerics.md has the
// derivation.
//
//===----------------------------------------------------------------------===//

#include "conv/Numerics/ErrorBound.h"

#include "EpilogueScan.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace conv;

namespace {

/// A number as a combination of S, S', T and 1; and, for the narrower bound, of
/// W and of S beside it, instead of S and S'.
struct Terms {
  double s = 0, transformed = 0, t = 0, one = 0, w = 0, besideW = 0;

  friend Terms operator+(Terms a, Terms b) {
    return {a.s + b.s, a.transformed + b.transformed, a.t + b.t, a.one + b.one,
            a.w + b.w, a.besideW + b.besideW};
  }
  friend Terms operator*(double factor, Terms a) {
    return {factor * a.s,   factor * a.transformed, factor * a.t,
            factor * a.one, factor * a.w,           factor * a.besideW};
  }
};

/// The bounds of a value v: |error| <= 2^-24 * (error + relative * |v|) and |v|
/// <= magnitude.
struct Knowledge {
  Terms error;
  double relative = 0;
  Terms magnitude;
};

class Analysis {
public:
  Analysis(const Accumulation &sum, const EpilogueGraph &epilogue)
      : sum(sum), epilogue(epilogue), roots(epilogue.values.size(), kNoRoot),
        known(epilogue.values.size()) {}

  /// Analyses every value up to `last`; false if there is no bound.
  bool run(int last);
  /// The bounds of a value as a function of its root. For a value that enters a
  /// sum, a small relative error is preferred.
  std::optional<Knowledge> lookup(int value, bool entersSum);

  std::string reason;

private:
  static constexpr int kNoRoot = -1;
  /// The operations that an analysis may evaluate: a chain of 1000 at 4000
  /// points each. They take less than a second.
  static constexpr int64_t kMaxWork = 4'000'000;

  std::optional<Knowledge> analyseSource(const EpilogueValue &value) const;
  std::optional<Knowledge> combine(const EpilogueValue &value);
  std::optional<Knowledge> fail(const char *why) {
    reason = why;
    return std::nullopt;
  }

  const Accumulation &sum;
  const EpilogueGraph &epilogue;
  /// For each value, the one varying value of which it is a function; the value
  /// itself where several meet.
  std::vector<int> roots;
  std::vector<Knowledge> known; ///< Bounds of roots.
  int64_t work = kMaxWork;      ///< Work that is left.
};

} // namespace

/// The error of a sum of products in units of 2^-24 * S.
static double computeAccumulation(const Accumulation &sum) {
  // Products of 16-bit types are exact in f32, and so is the first addition, to
  // zero.
  double length = static_cast<double>(sum.reduction);
  double roundings = sum.operand == NumericType::F32 ? length : length - 1;
  // Up to 4096 terms, the second order of 16-bit products is below the one
  // exact addition. Beyond 2^23 terms, worst cases grow without a useful bound.
  double secondOrder = 1 - std::min(roundings * 0x1p-24, 0.5);
  double additions = std::max(length, roundings / secondOrder);
  if (sum.promotion > 0) {
    double error = computePromotedError(sum.promotion);
    return additions * (1 + error) + std::ldexp(error, 24);
  }
  if (sum.operand != NumericType::TF32)
    return additions;
  // Each operand of a product has a relative error of 2^-11, and the additions
  // see the result.
  double perProduct = 0x1p-10 + 0x1p-22;
  return additions * (1 + perProduct) + std::ldexp(perProduct, 24);
}

ErrorBound conv::computeSumBound(const Accumulation &sum) {
  ErrorBound bound;
  bound.accumulation = computeAccumulation(sum);
  bound.outputUlp = 0;
  if (sum.transforms == 0)
    return bound;
  // Each rounding of an operand is a share of what its transform adds up of
  // magnitudes. The sum rounds what this changes, and what elements of matrices
  // change in S that no f32 is equal to.
  double roundings = double(sum.transforms);
  double ofOperands = roundings / (1 - roundings * 0x1p-24);
  bound.transforms =
      ofOperands + (ofOperands + 1) * bound.accumulation * 0x1p-24;
  bound.roundings = 1;
  bound.besideRoundings = sum.hasOrder ? 0 : bound.accumulation;
  return bound;
}

double conv::computePromotedError(int64_t promotion) {
  // An instruction aligns 32 products and the sum so far with the largest of
  // them, and truncates each of the 33 below 2^-13 of that.
  constexpr int64_t kProducts = 32;
  constexpr double kCut = 0x1p-13;
  double instructions = std::ceil(double(promotion) / double(kProducts));
  return std::pow(1 + (kProducts + 1) * kCut, instructions) - 1;
}

int64_t conv::count3xTF32Roundings(int64_t steps, int64_t splits) {
  // The remainders of operands after their parts, and their products; the
  // products of a step, as if each large one were rounded; and one unit for the
  // small ones and the second order.
  constexpr int64_t kOfParts = 20, kRest = 1;
  return kOfParts + k3xTF32Step + kRest + steps + splits;
}

bool conv::is3xTF32WithinBound(int64_t reduction, int64_t steps,
                               int64_t splits) {
  return count3xTF32Roundings(steps, splits) <= reduction;
}

std::optional<Knowledge>
Analysis::analyseSource(const EpilogueValue &value) const {
  Knowledge source;
  if (value.op == EpilogueOp::Accumulator) {
    ErrorBound bound = computeSumBound(sum);
    source.error.s = bound.accumulation;
    source.error.transformed = bound.transforms;
    source.error.w = bound.roundings;
    source.error.besideW = bound.besideRoundings;
    source.magnitude.s = source.magnitude.besideW = 1;
    return source;
  }
  if (value.op == EpilogueOp::Operand) {
    source.magnitude.t = 1;
    return source;
  }
  return std::nullopt;
}

/// A sum, difference, maximum or minimum of values with different roots.
std::optional<Knowledge> Analysis::combine(const EpilogueValue &value) {
  bool isSum = value.op == EpilogueOp::Add || value.op == EpilogueOp::Sub;
  if (!isSum && value.op != EpilogueOp::Max && value.op != EpilogueOp::Min)
    return fail("multiplies or compares two varying values");
  Knowledge result;
  result.relative = isSum ? 1 : 0;
  for (int operand : value.operands) {
    std::optional<Knowledge> part = lookup(operand, /*entersSum=*/true);
    if (!part)
      return std::nullopt;
    // The operands may cancel, so errors relative to an operand remain.
    result.error =
        result.error + part->error + part->relative * part->magnitude;
    result.magnitude = result.magnitude + part->magnitude;
  }
  return result;
}

std::optional<Knowledge> Analysis::lookup(int value, bool entersSum) {
  int root = roots[value];
  if (root == value)
    return known[value];
  Knowledge result;
  if (root == kNoRoot) {
    EpilogueGraph constant = epilogue;
    constant.yield = value;
    result.magnitude.one = std::fabs(evaluateEpilogue<double>(
        constant, 0, std::vector<double>(epilogue.values.size())));
    // Kernels fold constants in f32.
    result.relative = epilogue.values[value].op == EpilogueOp::Constant ? 0 : 1;
    return result;
  }
  const Knowledge &input = known[root];
  bool dependsOnSumOnly = input.magnitude.t == 0 && input.magnitude.one == 0;
  EpilogueScan scan = scanEpilogue(epilogue, {root, value}, input.relative,
                                   dependsOnSumOnly || entersSum, work);
  if (work < 0)
    return fail("is too long");
  if (!scan.bounded)
    return fail("jumps, overflows, or grows without bound");
  result.error = scan.slope * input.error + scan.perRoot * input.magnitude +
                 Terms{.one = scan.constant};
  result.relative = scan.relativeOut;
  result.magnitude = scan.slope * input.magnitude + Terms{.one = scan.atZero};
  return result;
}

bool Analysis::run(int last) {
  for (int i = 0; i <= last; ++i) {
    const EpilogueValue &value = epilogue.values[i];
    if (std::optional<Knowledge> source = analyseSource(value)) {
      roots[i] = i;
      known[i] = *source;
      continue;
    }
    for (int operand : value.operands) {
      if (roots[operand] == kNoRoot || roots[operand] == roots[i])
        continue;
      if (roots[i] == kNoRoot) {
        roots[i] = roots[operand];
        continue;
      }
      std::optional<Knowledge> combined = combine(value);
      if (!combined)
        return false;
      roots[i] = i;
      known[i] = *combined;
      break;
    }
  }
  return true;
}

/// Significant bits of a result; the largest number in its family.
static int digitsOf(NumericType type) {
  switch (type) {
  case NumericType::F16:
    return 11;
  case NumericType::BF16:
    return 8;
  case NumericType::F8:
  case NumericType::F8FNUZ:
    return 4;
  default:
    return 24;
  }
}

static bool isRoundingTo(NumericType type, EpilogueOp op) {
  return (type == NumericType::F16 && op == EpilogueOp::RoundF16) ||
         (type == NumericType::BF16 && op == EpilogueOp::RoundBF16);
}

std::variant<ErrorBound, NoErrorBound>
conv::computeErrorBound(const Accumulation &sum, const EpilogueGraph &epilogue,
                        NumericType result) {
  // The rounding to the result's type is the half ulp of the bound.
  int last = epilogue.yield;
  const EpilogueValue *output = &epilogue.values[last];
  if (isRoundingTo(result, output->op))
    output = &epilogue.values[last = output->operands[0]];

  Analysis analysis(sum, epilogue);
  std::optional<Knowledge> knowledge;
  if (analysis.run(last))
    knowledge = analysis.lookup(last, /*entersSum=*/false);
  if (!knowledge)
    return NoErrorBound{analysis.reason};

  ErrorBound bound;
  bound.accumulation = knowledge->error.s;
  bound.transforms = knowledge->error.transformed;
  bound.operands = knowledge->error.t;
  bound.constant = knowledge->error.one;
  if (bound.roundings = knowledge->error.w; bound.roundings > 0)
    bound.besideRoundings = knowledge->error.besideW;
  double relative = knowledge->relative;
  // A final addition in an f32 epilogue is itself that half ulp.
  if (result == NumericType::F32 &&
      (output->op == EpilogueOp::Add || output->op == EpilogueOp::Sub))
    relative = std::max(0.0, relative - 1);
  // A magnitude is less than 2^digits ulp.
  bound.outputUlp = 0.5 + relative * std::exp2(digitsOf(result) - 24);
  return bound;
}
