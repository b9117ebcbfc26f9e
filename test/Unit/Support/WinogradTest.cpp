//===- WinogradTest.cpp - the matrices of Winograd's algorithm --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Winograd.h"

#include <gtest/gtest.h>
#include <string>

using namespace conv;

/// The factor of `d[k] * g[l]` in result `i`.
static Rational getFactor(const WinogradMatrices &matrices, size_t i, size_t k,
                          size_t l) {
  Rational factor;
  for (size_t t = 0; t < matrices.input.size(); ++t)
    factor = factor + matrices.output[i][t] * matrices.filter[t][l] *
                          matrices.input[t][k];
  return factor;
}

// The algorithm is bilinear, so it is a correlation if it is one for all pairs
// of unit vectors. All arithmetic is exact.
TEST(Winograd, ComputesCorrelations) {
  for (int64_t m = 1; m <= kMaxWinogradTile; ++m)
    for (int64_t r = 1; m + r - 1 <= kMaxWinogradTile; ++r) {
      SCOPED_TRACE("F(" + std::to_string(m) + ", " + std::to_string(r) + ")");
      WinogradMatrices matrices = computeWinograd(m, r);
      size_t tile = m + r - 1;
      ASSERT_EQ(matrices.input.size(), tile);
      ASSERT_EQ(matrices.input.front().size(), tile);
      ASSERT_EQ(matrices.filter.size(), tile);
      ASSERT_EQ(matrices.filter.front().size(), size_t(r));
      ASSERT_EQ(matrices.output.size(), size_t(m));
      ASSERT_EQ(matrices.output.front().size(), tile);
      for (size_t i = 0; i < size_t(m); ++i)
        for (size_t k = 0; k < tile; ++k)
          for (size_t l = 0; l < size_t(r); ++l)
            EXPECT_EQ(getFactor(matrices, i, k, l), Rational(k == i + l))
                << i << ", " << k << ", " << l;
    }
}

// The matrices of F(2, 3) and F(4, 3) by Lavin and Gray, except for the sign of
// a row and of its factor.
TEST(Winograd, HasKnownMatrices) {
  Rational half(1, 2), quarter(1, 4), sixth(1, 6), twelfth(1, 12);
  WinogradMatrices two = computeWinograd(2, 3);
  EXPECT_EQ(two.input,
            (RationalMatrix{
                {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}}));
  EXPECT_EQ(two.filter, (RationalMatrix{{1, 0, 0},
                                        {half, half, half},
                                        {half, Rational(-1, 2), half},
                                        {0, 0, 1}}));
  EXPECT_EQ(two.output, (RationalMatrix{{1, 1, 1, 0}, {0, 1, -1, 1}}));

  WinogradMatrices four = computeWinograd(4, 3);
  EXPECT_EQ(four.input.front(), (std::vector<Rational>{4, 0, -5, 0, 1, 0}));
  EXPECT_EQ(four.input.back(), (std::vector<Rational>{0, 4, 0, -5, 0, 1}));
  EXPECT_EQ(four.filter[0], (std::vector<Rational>{quarter, 0, 0}));
  EXPECT_EQ(four.filter[3],
            (std::vector<Rational>{Rational(1, 24), twelfth, sixth}));
  EXPECT_EQ(four.output, (RationalMatrix{{1, 1, 1, 1, 1, 0},
                                         {0, 1, -1, 2, -2, 0},
                                         {0, 1, 1, 4, 4, 0},
                                         {0, 1, -1, 8, -8, 1}}));
}

// Fractions stay in lowest terms with a positive denominator.
TEST(Winograd, ReducesFractions) {
  EXPECT_EQ(Rational(2, -4).numerator(), -1);
  EXPECT_EQ(Rational(2, -4).denominator(), 2);
  EXPECT_EQ(Rational(1, 6) + Rational(1, 3), Rational(1, 2));
  EXPECT_EQ(Rational(1, 6) / Rational(1, 3), Rational(1, 2));
}
