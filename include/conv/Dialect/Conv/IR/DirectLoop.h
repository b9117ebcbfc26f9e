//===- DirectLoop.h - main loops of direct kernels --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main loops that a `#conv.direct` attribute may name.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_DIRECTLOOP_H
#define CONV_DIALECT_CONV_IR_DIRECTLOOP_H

#include <string_view>
#include <utility>

namespace conv {

/// What the work-items of a direct kernel divide among themselves: the rows, or
/// the reduction; in `Matrix`, subgroups multiply the matrices of single
/// groups.
enum class DirectLoop { Rows, Reduction, Matrix };

/// All main loops of direct kernels, with their names in schedules.
inline constexpr std::pair<DirectLoop, std::string_view> kDirectLoops[] = {
    {DirectLoop::Rows, "direct"},
    {DirectLoop::Reduction, "direct_reduction"},
    {DirectLoop::Matrix, "direct_matrix"},
};

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_DIRECTLOOP_H
