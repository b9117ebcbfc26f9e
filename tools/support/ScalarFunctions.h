//===- ScalarFunctions.h - functions of one number --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of `math` in double precision, the effect of an argument's
// error on them, and the accuracy of kernels that compute them in f32. Each
// function that epilogues support is a row of this table.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H
#define CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H

#include <string_view>

namespace conv::reference {

struct ScalarFunction {
  std::string_view name; ///< MLIR's op without the dialect.
  double (*value)(double x);
  /// The largest change of `value` while its argument moves from `x` by up to
  /// `error`, which is positive.
  double (*spread)(double x, double error);
  /// The error of a kernel in units in the last place of f32: 0 for a result
  /// that f32 represents, 0.5 for one that IEEE 754 rounds correctly, else the
  /// error that docs/numerics.md grants.
  double ulp;
};

/// The function of this name, or null.
const ScalarFunction *lookupFunction(std::string_view name);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H
