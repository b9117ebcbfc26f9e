//===- Connections.h - which positions meet in a convolution ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one spatial dimension, a convolution relates triples of positions: of
// the input, of the filter and of the output. The relation contains stride,
// dilation and padding, and each direction reads it from another side.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_CONNECTIONS_H
#define CONV_TOOLS_SUPPORT_CONNECTIONS_H

#include "Reference.h"

#include <optional>
#include <vector>

namespace conv::reference {

/// The position of position `i` of the padded input in a dimension of `size`
/// elements, or none if the padding is zero there.
std::optional<int64_t> findPosition(int64_t i, int64_t size, PaddingMode mode);

/// Positions of the two operands whose product contributes to a position of the
/// result.
struct Connection {
  int64_t left, right;
};

/// For each position of the step's result along spatial dimension `dimension`
/// (of three), the positions of its operands, in ascending order of the filter,
/// or of the output for a filter gradient.
std::vector<std::vector<Connection>> findConnections(const Step &step,
                                                     int dimension);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_CONNECTIONS_H
