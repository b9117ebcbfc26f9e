//===- HostFacts.h - what copies of the host need to know -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How operands and the result lie in memory. `Run` counts only elements that
// are all inside or all outside of the tensor; the host loads vectors of
// others, too.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_HOST_HOSTFACTS_H
#define CONV_LIB_KERNELS_HOST_HOSTFACTS_H

#include <cstdint>

namespace conv {

struct HostFacts {
  /// Elements of memory between neighbouring rows of an operand, and rows until
  /// that changes. And the same of neighbours along the reduction, but only
  /// until an outer digit changes.
  struct Rows {
    int64_t distance = 0, even = 1;
    /// Rows whose coordinates in the tensor are evenly spaced, too.
    int64_t together = 1;
    int64_t lineDistance = 0, line = 1;
    /// Neighbours along the reduction that are contiguous in memory, until the
    /// digit after the next one changes: masks load them as one run.
    int64_t range = 1;
  };
  Rows lhs, rhs;
  /// Elements between neighbouring rows of the result, and neighbouring
  /// columns; 0 if there are none.
  int64_t resultRow = 0, resultColumn = 0;
};

} // namespace conv

#endif // CONV_LIB_KERNELS_HOST_HOSTFACTS_H
