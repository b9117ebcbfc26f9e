//===- ErrorBound.h - how wrong a result may be -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound that each element of a result must satisfy (docs/numerics.md):
//
//   |out - ref| <= outputUlp * ulp(out type, ref)
//                + 2^-24 * (accumulation * S + transforms * S'
//                           + operands * T + constant)
//
// with S the sum of |a * b| over the reduction and T the sum of the magnitudes
// of the epilogue operands' elements. `operands` and `constant` are zero unless
// the epilogue cancels: then no bound in terms of S and the result alone
// exists. `transforms` is zero unless the operands of products are transformed
// first; S' is then the sum of the products in which one of the two transforms
// adds up magnitudes. Such sums have a narrower bound as well, which replaces
// the terms of S and S' by
//
//   2^-24 * (roundings * W + besideRoundings * S)
//
// with W the sum of the magnitudes of all intermediate results that are
// rounded, each times what the result multiplies it by.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_NUMERICS_ERRORBOUND_H
#define CONV_NUMERICS_ERRORBOUND_H

#include "conv/Chip/Chip.h"
#include "conv/Numerics/EpilogueGraph.h"

#include <cstdint>
#include <string>
#include <variant>

namespace conv {

/// The coefficients of the bound above.
struct ErrorBound {
  double accumulation = 0;
  double transforms = 0;
  double outputUlp = 0.5;
  double operands = 0;
  double constant = 0;
  double roundings = 0;
  double besideRoundings = 0;
};

/// Why an epilogue has no such bound: "multiplies two varying values".
struct NoErrorBound {
  std::string reason;
};

/// The sum that enters the epilogue.
struct Accumulation {
  int64_t reduction = 1; ///< The number of products in the sum.
  NumericType operand = NumericType::F16;
  /// Products of 8-bit floats per sum that instructions truncate before it is
  /// promoted to f32; 0 if no sum is truncated.
  int64_t promotion = 0;
  /// How often a term of either operand of the products is rounded before they
  /// are multiplied.
  int64_t transforms = 0;
  /// Whether W includes the roundings of the sum, and not only those of
  /// transforms.
  bool hasOrder = false;
};

/// Elements of the reduction in a step of a sum of f32 products as three
/// products of tf32.
inline constexpr int64_t k3xTF32Step = 32;

/// The error of such a sum of `steps` steps, in units of 2^-24 * S. The sums of
/// the steps are added in f32, and so are the sums of `splits` split-K slices.
int64_t count3xTF32Roundings(int64_t steps, int64_t splits);

/// Whether the sum of `reduction` f32 products stays within its bound if they
/// are multiplied as three products of tf32 in `steps` steps.
bool is3xTF32WithinBound(int64_t reduction, int64_t steps, int64_t splits);

/// The error, relative to S, of a sum of `promotion` products of 8-bit floats
/// that `wgmma` adds, 32 at a time, before the sum is promoted to f32.
double computePromotedError(int64_t promotion);

/// The bound of a sum itself, in whatever order it is added.
ErrorBound computeSumBound(const Accumulation &sum);

/// The bound for `epilogue(sum)` after its conversion to `result`.
std::variant<ErrorBound, NoErrorBound>
computeErrorBound(const Accumulation &sum, const EpilogueGraph &epilogue,
                  NumericType result);

} // namespace conv

#endif // CONV_NUMERICS_ERRORBOUND_H
