//===- Nesting.h - how deep a text nests ------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser recurses for every bracket and for every operator of an affine
// expression. What it makes of them is visited, printed and erased recursively
// too, through every alias. So text from a user is measured before it is
// parsed.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_NESTING_H
#define CONV_SUPPORT_NESTING_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace conv {

/// The most levels of nesting that text may have.
inline constexpr int64_t kMaxNesting = 256;

/// Where the text of an MLIR module or attribute first nests deeper than
/// `kMaxNesting`, or none.
std::optional<size_t> findDeepNesting(std::string_view text);

} // namespace conv

#endif // CONV_SUPPORT_NESTING_H
