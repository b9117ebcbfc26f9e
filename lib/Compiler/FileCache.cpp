//===- FileCache.cpp - artifacts in files that processes share --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileCache.h"

#include "conv/Support/File.h"
#include "conv/Support/Memory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace conv;
using namespace conv::compiler;
namespace fs = std::filesystem;

static constexpr std::string_view kExtension = ".convpack";
/// The digits of a key, which is a SHA-256.
static constexpr size_t kDigits = 64;
/// A write that takes longer was left by a process that died.
static constexpr std::chrono::hours kLongestWrite(1);

static std::string getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

fs::path FileCache::getDefaultFolder() {
  if (std::string own = getVariable("CONV_CACHE_DIR"); !own.empty())
    return own;
  if (std::string shared = getVariable("XDG_CACHE_HOME"); !shared.empty())
    return fs::path(shared) / "conv";
  if (std::string home = getVariable("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "conv";
  return {};
}

/// Whether only this user can have written the file or folder.
static bool isOwn(const fs::path &path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
         status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static std::string getName(const std::string &key) {
  return key + std::string(kExtension);
}

Result<artifact::Artifact> FileCache::check(const fs::path &path,
                                            std::string *bytes) {
  // The folder may be a link, to a larger disk, say; a file is none.
  std::error_code failed;
  fs::path folder = fs::canonical(path.parent_path(), failed);
  fs::path file = folder / path.filename();
  if (failed || !isOwn(folder) || !isOwn(file))
    return Error{ErrorKind::BadInput,
                 "expects a file that only its user can write, but got '" +
                     path.string() + "'"};
  // The magic keeps what is no artifact, however large, out of memory.
  Result<std::string> read = readFile(file, getMachineMemory(), "PK");
  if (!read)
    return read.error();
  Result<artifact::Artifact> artifact =
      artifact::Artifact::parse(*read, path.string());
  if (artifact && bytes)
    *bytes = std::move(*read);
  return artifact;
}

std::optional<std::string> FileCache::load(const std::string &key) const {
  if (folder.empty())
    return std::nullopt;
  fs::path path = folder / getName(key);
  std::string bytes;
  if (!check(path, &bytes))
    return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return bytes;
}

void FileCache::store(const std::string &key, std::string_view bytes) const {
  if (folder.empty() || int64_t(bytes.size()) > maxBytes)
    return;
  std::error_code failed;
  // Whoever may write to an existing folder decides who else may.
  if (fs::create_directories(folder, failed))
    fs::permissions(folder, fs::perms::owner_all, failed);
  fs::path resolved = fs::canonical(folder, failed);
  if (failed || !isOwn(resolved))
    return;
  fs::path path = resolved / getName(key);
  // A link, or a file that cannot be opened, would keep the name for ever, or
  // direct the write to a file elsewhere.
  if (!check(path))
    fs::remove(path, failed);
  if (!writeFile(path, bytes))
    return;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, failed);
  shrink();
}

/// Whether the cache made a file of this name. Others may be in its folder too:
/// whoever sets CONV_CACHE_DIR to a folder of documents keeps the documents.
static bool isFromCache(const fs::path &name) {
  std::string key = name.stem();
  return name.string().starts_with(kTemporaryPrefix) ||
         (name.extension() == kExtension && key.size() == kDigits &&
          key.find_first_not_of("0123456789abcdef") == std::string::npos);
}

std::vector<FileCache::File> FileCache::list() const {
  std::vector<File> files;
  std::error_code failed;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end;
       i.increment(failed)) {
    std::error_code gone; // Another process may remove it at any moment.
    File file{i->path(), int64_t(i->file_size(gone)), i->last_write_time(gone)};
    // Its clock was wrong: such a file would outlive all others.
    if (file.used > now + kLongestWrite)
      file.used = fs::file_time_type::min();
    if (!gone && i->is_regular_file(gone) && isFromCache(i->path().filename()))
      files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const File &a, const File &b) {
    return std::pair(a.used, a.path) < std::pair(b.used, b.path);
  });
  return files;
}

void FileCache::shrink() const {
  std::vector<File> files = list();
  int64_t total = 0;
  for (const File &file : files)
    total += file.bytes;
  auto now = fs::file_time_type::clock::now();
  std::error_code ignored;
  for (const File &file : files) {
    bool isLeft =
        file.path.extension() != kExtension && file.used < now - kLongestWrite;
    if (!isLeft && total <= maxBytes)
      continue;
    if (file.path.extension() == kExtension || isLeft)
      fs::remove(file.path, ignored);
    total -= file.bytes;
  }
}
