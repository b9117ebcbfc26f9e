//===- FileCache.h - artifacts in files that processes share ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for each key, written beside its place and renamed, so that readers
// see a whole file or none. The folder is bounded: the least recently read
// files go first. Nothing here fails: what cannot be stored is lost.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_FILECACHE_H
#define CONV_LIB_COMPILER_FILECACHE_H

#include "conv/Artifact/Artifact.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conv::compiler {

class FileCache {
public:
  static constexpr int64_t kDefaultBytes = int64_t(1) << 30;

  /// The cache in `folder`, which is created when something is stored. An empty
  /// `folder` stores nothing.
  FileCache(std::filesystem::path folder, int64_t maxBytes)
      : folder(std::move(folder)), maxBytes(maxBytes) {}

  /// $CONV_CACHE_DIR, else $XDG_CACHE_HOME/conv, else ~/.cache/conv; empty if
  /// none of these is set.
  static std::filesystem::path getDefaultFolder();

  const std::filesystem::path &getFolder() const { return folder; }

  /// The artifact stored under a key, if it is whole and only this user can
  /// have written it.
  std::optional<std::string> load(const std::string &key) const;
  void store(const std::string &key, std::string_view bytes) const;

  struct File {
    std::filesystem::path path;
    int64_t bytes = 0;
    std::filesystem::file_time_type used;
  };
  /// The stored files and those that are being written, the least recently used
  /// first. Files that the cache has not made are not listed, and stay.
  std::vector<File> list() const;
  /// The artifact in a file; none if it cannot be trusted.
  static Result<artifact::Artifact> check(const std::filesystem::path &path,
                                          std::string *bytes = nullptr);

private:
  /// Removes files until the rest fits, and leftovers of killed processes.
  void shrink() const;

  std::filesystem::path folder;
  int64_t maxBytes;
};

} // namespace conv::compiler

#endif // CONV_LIB_COMPILER_FILECACHE_H
