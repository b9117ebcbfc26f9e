//===- Verify.h - the numeric rule applied to results -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_VERIFY_H
#define CONV_TOOLS_SUPPORT_VERIFY_H

#include "Evaluate.h"

#include <string>

namespace conv::reference {

/// The comparison of one result with the expected one.
struct Comparison {
  int64_t elements = 0;
  int64_t exact = 0;     ///< Elements that had to match bitwise.
  int64_t wrong = 0;     ///< Elements outside their bound.
  double worstRatio = 0; ///< Largest |out - ref| / bound of inexact elements.
  double worstError = 0; ///< Largest |out - ref|.
  int64_t firstWrong = -1;
  double got = 0, want = 0, bound = 0; ///< Of the first wrong element.
};

/// Compares the bytes of a result, element by element.
Comparison compare(const Expected &expected, const std::string &bytes);

/// "element [0, 3, 4, 7] of output is 1.5, expects 2 within 0.001": the first
/// wrong element of an argument of this shape.
std::string describeFirstWrong(const Comparison &comparison,
                               const artifact::Argument &argument);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_VERIFY_H
