//===- EpilogueScan.h - one-dimensional analysis of an epilogue -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The errors of computing `f(y)` in f32, for the part of an epilogue that
// depends on a single varying value `y`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_NUMERICS_EPILOGUESCAN_H
#define CONV_LIB_NUMERICS_EPILOGUESCAN_H

#include "conv/Numerics/EpilogueGraph.h"

namespace conv {

/// With `u = 2^-24` and an error of y of `E` plus `relative * u * |y|`, the
/// error of f is at most
///   slope * E + u * (relativeOut * |f(y)| + perRoot * |y| + constant).
struct EpilogueScan {
  bool bounded = false;
  double slope = 0;       ///< Largest |f'|.
  double relativeOut = 0; ///< Relative to |f(y)|.
  double perRoot = 0;     ///< Relative to |y|.
  double constant = 0;    ///< Absolute.
  double atZero = 0;      ///< |f(0)|.
};

/// A value of a graph, and the earlier value of which it is a function.
struct EpilogueSpan {
  int root = 0, value = 0;
};

/// Scans the value of a span as a function of its root, whose relative error is
/// `relative`. With `preferRoot`, errors are expressed by |y| rather than by
/// |f(y)| where both are possible. Each evaluated operation decrements `work`;
/// if it becomes negative before the scan finds a bound, there is none.
EpilogueScan scanEpilogue(const EpilogueGraph &graph, EpilogueSpan span,
                          double relative, bool preferRoot, int64_t &work);

} // namespace conv

#endif // CONV_LIB_NUMERICS_EPILOGUESCAN_H
