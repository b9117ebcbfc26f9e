//===- ChooseSizes.h - run-time sizes from a command line -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_CHOOSESIZES_H
#define CONV_TOOLS_SUPPORT_CHOOSESIZES_H

#include "conv/Artifact/Manifest.h"

#include <map>
#include <string>
#include <vector>

namespace conv::tools {

/// Splits NAME=NUMBER of each `--size`.
Result<std::map<std::string, int64_t>>
parseSizes(const std::vector<std::string> &pairs);

/// Run-time sizes by name, and shapes of arguments that imply other sizes.
struct GivenSizes {
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::vector<int64_t>> shapes;
};

/// A number for each run-time size of `entry`. Refuses unknown names, and sizes
/// without a value.
Result<std::vector<int64_t>> chooseSizes(const artifact::Entry &entry,
                                         const GivenSizes &given);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_CHOOSESIZES_H
