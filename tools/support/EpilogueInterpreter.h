//===- EpilogueInterpreter.h - scalar epilogues in double precision -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the element-wise epilogue of one convolution for one element, and
// how far errors of the operands can move the result.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_EPILOGUEINTERPRETER_H
#define CONV_TOOLS_SUPPORT_EPILOGUEINTERPRETER_H

#include "Reference.h"

#include <vector>

namespace conv::reference {

/// A value, the error inherited from its operands, and whether kernels compute
/// exactly this value.
struct Scalar {
  double value = 0;
  double error = 0;
  bool exact = false;
  bool isWide = false; ///< An integer of 64 bits, beyond a double.
  int64_t integer = 0; ///< The value if `isWide`.
};

/// How the rounding of each operation is treated.
enum class Rounding {
  Ignored,
  /// If IEEE 754 prescribes it and the operands are exact, the result is
  /// rounded to its type and exact too. Otherwise rounding is an error.
  Counted,
};

/// Runs `nodes` on `values`, which starts with the accumulator and the epilogue
/// operands and receives one result per node.
void runEpilogue(const std::vector<EpilogueNode> &nodes,
                 std::vector<Scalar> &values,
                 Rounding rounding = Rounding::Ignored);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_EPILOGUEINTERPRETER_H
