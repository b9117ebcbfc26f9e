//===- Winograd.cpp - the matrices of Winograd's algorithm ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With points x_0, ..., x_(t-2) and infinity, the product of a polynomial of
// degree m - 1 and a polynomial of degree r - 1 is
//
//   sum over i of a(x_i) * b(x_i) / N_i * M(x) / (x - x_i)  +  a_m b_r * M(x)
//
// where M(x) is the product of all x - x_j, and N_i is the product of all x_i -
// x_j except j = i. A and G evaluate, and B has the coefficients of the
// polynomials; the correlation is the transpose.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Winograd.h"

#include <cassert>
#include <cstddef>
#include <numeric>

using namespace conv;

Rational::Rational(int64_t numerator, int64_t denominator) {
  assert(denominator != 0 && "expects a number");
  int64_t divisor = std::gcd(numerator, denominator);
  if (denominator < 0)
    divisor = -divisor;
  n = numerator / divisor;
  d = denominator / divisor;
}

namespace {
/// Coefficients, the constant term first.
using Polynomial = std::vector<Rational>;
} // namespace

/// `polynomial * (x - point)`.
static Polynomial multiply(const Polynomial &polynomial, Rational point) {
  Polynomial product(polynomial.size() + 1);
  for (size_t i = 0; i < polynomial.size(); ++i) {
    product[i + 1] = product[i + 1] + polynomial[i];
    product[i] = product[i] - point * polynomial[i];
  }
  return product;
}

/// The product of `x - x_j` over all points except number `skipped`.
static Polynomial multiplyAll(const std::vector<Rational> &points,
                              size_t skipped) {
  Polynomial product = {1};
  for (size_t j = 0; j < points.size(); ++j)
    if (j != skipped)
      product = multiply(product, points[j]);
  return product;
}

/// The powers of a point that a polynomial of `size` coefficients sums.
static std::vector<Rational> getPowers(Rational point, int64_t size) {
  std::vector<Rational> powers(size, 1);
  for (int64_t i = 1; i < size; ++i)
    powers[i] = powers[i - 1] * point;
  return powers;
}

/// The value at infinity: the coefficient of the highest power.
static std::vector<Rational> getHighest(int64_t size) {
  std::vector<Rational> row(size, 0);
  row.back() = 1;
  return row;
}

static RationalMatrix getIdentity(int64_t size) {
  RationalMatrix matrix(size, std::vector<Rational>(size, 0));
  for (int64_t i = 0; i < size; ++i)
    matrix[i][i] = 1;
  return matrix;
}

static RationalMatrix transpose(const RationalMatrix &matrix) {
  RationalMatrix result(matrix.front().size(),
                        std::vector<Rational>(matrix.size()));
  for (size_t i = 0; i < matrix.size(); ++i)
    for (size_t j = 0; j < matrix[i].size(); ++j)
      result[j][i] = matrix[i][j];
  return result;
}

/// As many products as the definition has; one of m and r is 1.
static WinogradMatrices getDefinition(int64_t m, int64_t r) {
  std::vector<Rational> ones(m * r, 1);
  RationalMatrix identity = getIdentity(m * r);
  if (r == 1)
    return {identity, RationalMatrix(m, {1}), identity};
  return {identity, identity, {ones}};
}

WinogradMatrices conv::computeWinograd(int64_t m, int64_t r) {
  assert(m > 0 && r > 0 && m + r - 1 <= kMaxWinogradTile &&
         "expects sizes that the caller checked");
  if (m == 1 || r == 1)
    return getDefinition(m, r);
  const std::vector<Rational> all = {0, 1, -1, 2, -2, {1, 2}, {-1, 2}};
  std::vector<Rational> points(all.begin(), all.begin() + (m + r - 2));
  WinogradMatrices matrices;
  RationalMatrix evaluation; // A.
  for (size_t i = 0; i < points.size(); ++i) {
    Rational scale = 1; // N_i.
    for (size_t j = 0; j < points.size(); ++j)
      if (j != i)
        scale = scale * (points[i] - points[j]);
    // Signs of G and B cancel: Lavin and Gray's first row of B is positive.
    Rational sign = i == 0 && scale.numerator() < 0 ? -1 : 1;
    Polynomial others = multiplyAll(points, i);
    others.push_back(0);
    for (Rational &coefficient : others)
      coefficient = coefficient * sign;
    matrices.input.push_back(others);
    std::vector<Rational> powers = getPowers(points[i], r);
    for (Rational &power : powers)
      power = power / (scale * sign);
    matrices.filter.push_back(powers);
    evaluation.push_back(getPowers(points[i], m));
  }
  matrices.input.push_back(multiplyAll(points, points.size()));
  matrices.filter.push_back(getHighest(r));
  evaluation.push_back(getHighest(m));
  matrices.output = transpose(evaluation);
  return matrices;
}
