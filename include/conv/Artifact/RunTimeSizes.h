//===- RunTimeSizes.h - entries whose shapes callers choose -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry with run-time sizes says how shapes, grids and the workspace follow
// from a few numbers. Given these numbers, it becomes an ordinary entry. Sizes
// come in the order of `Entry::sizes`.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_RUNTIMESIZES_H
#define CONV_ARTIFACT_RUNTIMESIZES_H

#include "conv/Artifact/Manifest.h"

#include <span>

namespace conv::artifact {

/// The value of a product for these sizes, or -1 if it reaches 2^63.
int64_t evaluate(const SizeProduct &product, std::span<const int64_t> sizes);

/// Bytes from the first to the last element of a buffer with these sizes, or -1
/// as for `bufferBytes(argument)`.
int64_t bufferBytes(const Argument &argument, std::span<const int64_t> sizes);

/// Checks that each run-time size has a number in its range, and that the
/// resulting buffers, grids and workspace satisfy the rules M5, M7 and M9. The
/// error names the size, or what would be too large.
Result<void> checkSizes(const Entry &entry, std::span<const int64_t> sizes);

/// The run-time sizes that the `shapes` of all arguments imply, checked as in
/// `checkSizes`. The error names the argument whose shape does not fit.
Result<std::vector<int64_t>>
findSizes(const Entry &entry, std::span<const std::span<const int64_t>> shapes);

/// The entry with these sizes: shapes, strides, grids, the workspace and the
/// reference become numbers. Errors are the errors of `checkSizes`.
Result<Entry> instantiate(const Entry &entry, std::span<const int64_t> sizes);

} // namespace conv::artifact

#endif // CONV_ARTIFACT_RUNTIMESIZES_H
