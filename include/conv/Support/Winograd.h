//===- Winograd.h - the matrices of Winograd's algorithm --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F(m, r) computes m results of a filter of r elements with m + r - 1
// multiplications instead of m * r: y = A^T [(G g) * (B^T d)], where `*` is the
// element-wise product. By Toom and Cook, two polynomials are multiplied by
// their values at m + r - 2 points and at infinity, and the transposed
// algorithm is a correlation (Lavin and Gray, "Fast algorithms for
// convolutional neural networks", 2016; Winograd, "Arithmetic complexity of
// computations", 1980).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_WINOGRAD_H
#define CONV_SUPPORT_WINOGRAD_H

#include <cstdint>
#include <vector>

namespace conv {

/// An exact number with a positive denominator, in lowest terms. The numbers of
/// the matrices below are far from the limits of 64 bits.
class Rational {
public:
  Rational(int64_t numerator = 0, int64_t denominator = 1);

  int64_t numerator() const { return n; }
  int64_t denominator() const { return d; }
  bool isZero() const { return n == 0; }
  double toDouble() const { return double(n) / double(d); }

  friend Rational operator+(Rational a, Rational b) {
    return {a.n * b.d + b.n * a.d, a.d * b.d};
  }
  friend Rational operator-(Rational a, Rational b) {
    return {a.n * b.d - b.n * a.d, a.d * b.d};
  }
  friend Rational operator*(Rational a, Rational b) {
    return {a.n * b.n, a.d * b.d};
  }
  /// `b` is not zero.
  friend Rational operator/(Rational a, Rational b) {
    return {a.n * b.d, a.d * b.n};
  }
  friend bool operator==(Rational a, Rational b) {
    return a.n == b.n && a.d == b.d;
  }

private:
  int64_t n, d;
};

/// Rows of equal length.
using RationalMatrix = std::vector<std::vector<Rational>>;

struct WinogradMatrices {
  RationalMatrix input;  ///< B^T: tile by tile.
  RationalMatrix filter; ///< G: tile by r.
  RationalMatrix output; ///< A^T: m by tile.
};

/// The most elements of a tile, m + r - 1: f32 is too inaccurate for larger
/// tiles.
inline constexpr int64_t kMaxWinogradTile = 8;

/// The matrices of F(m, r) for positive m and r with m + r - 1 of at most
/// `kMaxWinogradTile`. The points are the first of 0, 1, -1, 2, -2, 1/2, -1/2
/// that F(m, r) needs. If m or r is 1 there is nothing to save, and the
/// matrices follow the definition.
WinogradMatrices computeWinograd(int64_t m, int64_t r);

} // namespace conv

#endif // CONV_SUPPORT_WINOGRAD_H
