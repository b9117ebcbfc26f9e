//===- OutputFiles.cpp - outputs that replace other files -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"

#include <filesystem>
#include <system_error>

using namespace conv;
using namespace conv::tools;
namespace fs = std::filesystem;

bool tools::isFolder(const std::string &path) {
  // A name that is too long, for example, is none of a folder. Writing to it
  // fails, with a message.
  std::error_code ignored;
  return path.ends_with('/') || fs::is_directory(path, ignored);
}

/// Whether a path is that of a file, which may not exist yet.
static bool isFile(const std::string &path) {
  std::error_code ignored;
  return !path.empty() && path != "-" &&
         (!fs::exists(path, ignored) || fs::is_regular_file(path, ignored));
}

/// The path without symbolic links, also of a link to a file that does not
/// exist yet.
static fs::path resolve(const std::string &path) {
  std::error_code ignored;
  fs::path resolved = fs::absolute(path, ignored);
  constexpr int kMostLinks = 40; // As for the kernel: links may form a circle.
  for (int i = 0; i < kMostLinks && fs::is_symlink(resolved, ignored); ++i)
    resolved = resolved.parent_path() / fs::read_symlink(resolved, ignored);
  fs::path canonical = fs::weakly_canonical(resolved, ignored);
  return canonical.empty() ? resolved : canonical; // Empty if it failed.
}

Result<void> tools::checkOutputs(const std::vector<NamedFile> &inputs,
                                 const std::vector<NamedFile> &outputs) {
  std::vector<NamedFile> others = inputs;
  for (const NamedFile &output : outputs) {
    if (!isFile(output.path))
      continue;
    for (const NamedFile &other : others)
      if (isFile(other.path) && resolve(output.path) == resolve(other.path))
        return Error{ErrorKind::BadInput,
                     "expects " + output.name + " to be another file than " +
                         other.name + ", but got " + output.path};
    others.push_back(output);
  }
  return {};
}
