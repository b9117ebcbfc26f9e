//===- ScalarFunctions.h - functions of one number --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the functions of `math` are in double precision, how far an error of
// the argument moves them, and how exactly kernels compute them in f32. A
// function that epilogues get is a row of this table.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H
#define CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H

#include <string_view>

namespace conv::reference {

struct ScalarFunction {
  std::string_view name; ///< Of MLIR's op, without the dialect.
  double (*value)(double x);
  /// How far `value` moves at most while its argument moves from `x` by up to
  /// `error`, which is positive.
  double (*spread)(double x, double error);
  /// What a kernel may be off by, in units in the last place of f32: 0 for a
  /// result that f32 has, 0.5 for one that IEEE 754 rounds correctly, else what
  /// docs/numerics.md grants.
  double ulp;
};

/// The function of this name, or null.
const ScalarFunction *lookupFunction(std::string_view name);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_SCALARFUNCTIONS_H
