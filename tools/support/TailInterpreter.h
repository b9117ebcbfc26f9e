//===- TailInterpreter.h - scalar tails in double precision ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the element-wise tail of one convolution for one element, and with
// it how far an error of the operands can move the result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_TAILINTERPRETER_H
#define CONV_TOOLS_SUPPORT_TAILINTERPRETER_H

#include "Reference.h"

#include <vector>

namespace conv::reference {

/// A value, how far the operands it came from may have been off already, and
/// whether arithmetic in f32 gives exactly this value.
struct Scalar {
  double value = 0;
  double error = 0;
  bool exact = false;
};

/// Whether the rounding of each operation in f32 counts as an error.
enum class Rounding { Ignored, Counted };

/// Runs `nodes` on `values`, which holds the accumulator and the tail operands
/// and receives one result per node.
void runTail(const std::vector<TailNode> &nodes, std::vector<Scalar> &values,
             Rounding rounding = Rounding::Ignored);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_TAILINTERPRETER_H
