//===- ScalarFunctions.cpp - functions of one number ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of functions. Most are monotone, so the ends of the
// interval around an argument bound the change; the others have a
// bounded slope.
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace conv::reference;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Function = double (*)(double);

double rsqrt(double x) { return 1 / std::sqrt(x); }

/// The ends of a function's domain; `kNowhere` means that there is no end.
constexpr int kNowhere = std::numeric_limits<int>::max();

/// The spread of a function that is monotone from `kLowest` to `kHighest`.
template <Function function, int kLowest = -kNowhere, int kHighest = kNowhere>
double spreadOf(double x, double error) {
  double below = x - error, above = x + error;
  if (kLowest != -kNowhere)
    below = std::max<double>(below, kLowest);
  if (kHighest != kNowhere)
    above = std::min<double>(above, kHighest);
  return std::max(std::fabs(function(above) - function(x)),
                  std::fabs(function(below) - function(x)));
}

/// The spread of a function whose slope is at most 1.
double spreadOfSlope1(double, double error) { return error; }

/// The spread of sine and cosine, which stay between -1 and 1.
double spreadOfWave(double, double error) { return std::min(error, 2.0); }

/// Differences of nearby powers cancel, so expm1 computes them.
double spreadOfExp(double x, double error) {
  return std::exp(x) * std::expm1(error);
}

double spreadOfExp2(double x, double error) {
  return std::exp2(x) * std::expm1(error * M_LN2);
}

double spreadOfErf(double, double error) { return error * M_2_SQRTPI; }

/// By the mean value theorem: the slope grows with the distance from zero.
double spreadOfCosh(double x, double error) {
  return std::sinh(std::fabs(x) + error) * error;
}

/// Monotone between two poles; unbounded across a pole.
double spreadOfTan(double x, double error) {
  auto countPoles = [](double v) { return std::floor(v / M_PI + 0.5); };
  if (countPoles(x - error) != countPoles(x + error))
    return kInfinity;
  return spreadOf<std::tan>(x, error);
}

// Rounding functions are exact. The errors that OpenCL grants single precision
// (OpenCL C 3.0, 7.4: "Relative Error as ULPs") hold for AMD's device
// libraries, which implement it, and for CUDA's (CUDA C++ Programming Guide,
// mathematical functions) and the CPU's, which are more accurate. Functions of
// activations were measured, and have smaller errors.
const ScalarFunction kFunctions[] = {
    {"abs", std::fabs, spreadOfSlope1, 0},
    {"floor", std::floor, spreadOf<std::floor>, 0},
    {"ceil", std::ceil, spreadOf<std::ceil>, 0},
    {"trunc", std::trunc, spreadOf<std::trunc>, 0},
    {"round", std::round, spreadOf<std::round>, 0},
    {"roundeven", std::nearbyint, spreadOf<std::nearbyint>, 0},
    {"sqrt", std::sqrt, spreadOf<std::sqrt, 0>, 0.5},
    {"rsqrt", rsqrt, spreadOf<rsqrt, 0>, 2},
    {"exp", std::exp, spreadOfExp, 2},
    {"exp2", std::exp2, spreadOfExp2, 2},
    {"expm1", std::expm1, spreadOfExp, 3},
    {"log", std::log, spreadOf<std::log, 0>, 2},
    {"log2", std::log2, spreadOf<std::log2, 0>, 3},
    {"log10", std::log10, spreadOf<std::log10, 0>, 3},
    {"log1p", std::log1p, spreadOf<std::log1p, -1>, 2},
    {"tanh", std::tanh, spreadOfSlope1, 2},
    {"erf", std::erf, spreadOfErf, 2},
    {"cbrt", std::cbrt, spreadOf<std::cbrt>, 2},
    {"sin", std::sin, spreadOfWave, 4},
    {"cos", std::cos, spreadOfWave, 4},
    {"tan", std::tan, spreadOfTan, 5},
    {"asin", std::asin, spreadOf<std::asin, -1, 1>, 4},
    {"acos", std::acos, spreadOf<std::acos, -1, 1>, 4},
    {"atan", std::atan, spreadOfSlope1, 5},
    {"sinh", std::sinh, spreadOf<std::sinh>, 4},
    {"cosh", std::cosh, spreadOfCosh, 4},
    {"asinh", std::asinh, spreadOfSlope1, 4},
    {"acosh", std::acosh, spreadOf<std::acosh, 1>, 4},
    {"atanh", std::atanh, spreadOf<std::atanh, -1, 1>, 5},
};

} // namespace

const ScalarFunction *conv::reference::lookupFunction(std::string_view name) {
  for (const ScalarFunction &function : kFunctions)
    if (function.name == name)
      return &function;
  return nullptr;
}
