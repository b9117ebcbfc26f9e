//===- TapFacts.h - where taps are in a reduction ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_GEMM_TAPFACTS_H
#define CONV_KERNELS_GEMM_TAPFACTS_H

#include <cstdint>

namespace conv {

/// Facts of a problem whose reduction has taps of windows, for main loops that
/// load tiles through registers. Gradients of filters have none.
struct TapFacts {
  /// Neighbours of the reduction that are in one tap of the windows; 1 if taps
  /// are innermost.
  int64_t tapRun = 0;
  /// Taps with guards of their own, and coordinates of the windows that may be
  /// outside.
  int64_t guardedTaps = 1, guardedCoordinates = 0;
  /// Whether no neighbours of the filter in memory are neighbours in the tile,
  /// as where its taps are innermost and channels are reduced first; and the
  /// distance in elements of its neighbouring rows, if that is less than the
  /// distance along the reduction, otherwise 0.
  bool scattersFilter = false;
  int64_t nearRows = 0;
  /// If lanes may share elements of the reduction (`CopyShape::sharesElements`
  /// of Gemm): the elements after which guards repeat, and the distance in
  /// elements of neighbouring windows; otherwise 0.
  int64_t elementPeriod = 0, windowDistance = 0;
};

/// Facts of gradients of filters, whose reduction has positions.
struct PositionFacts {
  struct Operand {
    /// The distance in elements of neighbouring positions.
    int64_t distance = 1;
    /// Rows that follow each other and have nearly the same elements: the taps
    /// of a row of windows.
    int64_t alikeRows = 1;
  };
  Operand lhs, rhs;
};

} // namespace conv

#endif // CONV_KERNELS_GEMM_TAPFACTS_H
