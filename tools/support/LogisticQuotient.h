//===- LogisticQuotient.h - quotients by 1 + exp(x) ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the result has 16 bits, kernels may approximate the quotients by
// 1 + exp(x) of sigmoid and silu: what they are granted for that.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_LOGISTICQUOTIENT_H
#define CONV_TOOLS_SUPPORT_LOGISTICQUOTIENT_H

#include "EpilogueInterpreter.h"

namespace conv::reference {

/// An epilogue that is being run.
struct RunningEpilogue {
  const std::vector<EpilogueNode> &nodes;
  size_t inputs; ///< Values in front of those of nodes.
  const std::vector<Scalar> &values;
};

/// How far `node`, whose exact value is `result`, may be off more than a
/// quotient that is rounded correctly; 0 for other nodes.
double getApproximation(const RunningEpilogue &epilogue,
                        const EpilogueNode &node, double result);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_LOGISTICQUOTIENT_H
