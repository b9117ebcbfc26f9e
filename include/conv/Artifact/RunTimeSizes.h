//===- RunTimeSizes.h - entries whose shapes callers choose -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry with run-time sizes says of shapes, grids and the workspace how they
// follow from a few numbers. With these numbers it is an entry like others.
// Sizes come in the order of `Entry::sizes`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_RUNTIMESIZES_H
#define CONV_ARTIFACT_RUNTIMESIZES_H

#include "conv/Artifact/Manifest.h"

#include <span>

namespace conv::artifact {

/// What a product is with these sizes, or -1 if it reaches 2^63.
int64_t evaluate(const SizeProduct &product, std::span<const int64_t> sizes);

/// Bytes from the first to the last element of a buffer with these sizes, or -1
/// as `bufferBytes(argument)` says.
int64_t bufferBytes(const Argument &argument, std::span<const int64_t> sizes);

/// Checks that there is a number for each run-time size, in its range, and that
/// they give buffers, grids and a workspace that the rules M5, M7 and M9 allow.
/// The error names the size, or what would be too large.
Result<void> checkSizes(const Entry &entry, std::span<const int64_t> sizes);

/// The sizes that `shapes` of all arguments give. The error names the argument
/// whose shape does not fit, and checks are those of `checkSizes`.
Result<std::vector<int64_t>>
findSizes(const Entry &entry, std::span<const std::span<const int64_t>> shapes);

/// The entry with these sizes: shapes, strides, grids, the workspace and the
/// reference are numbers. The error is that of `checkSizes`.
Result<Entry> instantiate(const Entry &entry, std::span<const int64_t> sizes);

} // namespace conv::artifact

#endif // CONV_ARTIFACT_RUNTIMESIZES_H
