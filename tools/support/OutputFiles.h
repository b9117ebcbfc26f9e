//===- OutputFiles.h - outputs that replace other files ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_OUTPUTFILES_H
#define CONV_TOOLS_SUPPORT_OUTPUTFILES_H

#include "conv/Support/Result.h"

#include <string>
#include <vector>

namespace conv::tools {

/// Whether files are written into a folder: one that exists, or a name that
/// ends in a slash.
bool isFolder(const std::string &path);

/// A path and what the command line calls it; a file that is not asked for has
/// an empty path.
struct NamedFile {
  std::string name, path;
};

/// Refuses outputs that would replace an input or another output, by whatever
/// path. Devices, such as /dev/null, take any number.
Result<void> checkOutputs(const std::vector<NamedFile> &inputs,
                          const std::vector<NamedFile> &outputs);

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_OUTPUTFILES_H
