//===- conv-cache.cpp - what the compiler's library keeps -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache never uses a file that it cannot trust, so `verify` only lists
// files that cost time.
//
//===----------------------------------------------------------------------===//

#include "ErrorLine.h"
#include "FileCache.h"
#include "Options.h"
#include "Output.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <system_error>

using namespace conv;
using namespace conv::compiler;
using namespace conv::tools;
using nlohmann::ordered_json;

/// The contents of a file, or the reason not to trust it.
static ordered_json describe(const FileCache::File &file) {
  ordered_json json = {{"file", file.path.string()}, {"bytes", file.bytes}};
  Result<artifact::Artifact> artifact = FileCache::check(file.path);
  if (!artifact) {
    json["error"] = artifact.error().message;
    return json;
  }
  json["fingerprint"] = artifact->manifest.compiler.fingerprint;
  json["entries"] = ordered_json::array();
  for (const artifact::Entry &entry : artifact->manifest.entries)
    json["entries"].push_back({{"function", entry.function},
                               {"target", entry.target},
                               {"problem", entry.problem}});
  return json;
}

static void print(const ordered_json &file) {
  std::string path = file["file"];
  if (file.contains("error")) {
    std::printf("%s: error: %s\n", path.c_str(),
                std::string(file["error"]).c_str());
    return;
  }
  for (const ordered_json &entry : file["entries"])
    std::printf("%9lld  %-12s @%s  %s\n", static_cast<long long>(file["bytes"]),
                std::string(entry["target"]).c_str(),
                std::string(entry["function"]).c_str(), path.c_str());
}

static int show(const CacheFlags &flags, const FileCache &cache) {
  ordered_json all = ordered_json::array();
  int64_t bytes = 0;
  size_t broken = 0;
  for (const FileCache::File &file : cache.list()) {
    all.push_back(describe(file));
    bytes += file.bytes;
    broken += all.back().contains("error");
  }
  if (flags.json) {
    ordered_json json = {{"folder", cache.getFolder().string()},
                         {"bytes", bytes},
                         {"broken", broken},
                         {"files", all}};
    std::printf("%s\n",
                json.dump(2, ' ', false, ordered_json::error_handler_t::replace)
                    .c_str());
  } else {
    for (const ordered_json &file : all)
      if (flags.command == "list" || file.contains("error"))
        print(file);
    std::printf("%zu files of %lld bytes in %s, %zu not to be trusted\n",
                all.size(), static_cast<long long>(bytes),
                cache.getFolder().c_str(), broken);
  }
  return flags.command == "verify" && broken > 0 ? 1 : 0;
}

static Result<void> clear(const CacheFlags &flags, const FileCache &cache) {
  size_t count = 0;
  int64_t bytes = 0;
  for (const FileCache::File &file : cache.list()) {
    std::error_code failed;
    std::filesystem::remove(file.path, failed);
    if (failed)
      return Error{ErrorKind::System, "cannot remove '" + file.path.string() +
                                          "': " + failed.message()};
    ++count;
    bytes += file.bytes;
  }
  if (flags.json)
    std::printf(
        "%s\n",
        ordered_json({{"removed", count}, {"bytes", bytes}}).dump().c_str());
  else
    std::printf("removed %zu files of %lld bytes\n", count,
                static_cast<long long>(bytes));
  return {};
}

static int run(int argc, char **argv) {
  CacheFlags flags;
  if (std::optional<int> code = parseCacheFlags(argc, argv, flags))
    return *code;
  FileCache cache(flags.folder.empty() ? FileCache::getDefaultFolder()
                                       : std::filesystem::path(flags.folder),
                  FileCache::kDefaultBytes);
  if (cache.getFolder().empty())
    return printError("conv-cache",
                      {ErrorKind::BadInput,
                       "expects --folder, CONV_CACHE_DIR, XDG_CACHE_HOME or "
                       "HOME, but got none"});
  std::error_code failed;
  std::filesystem::directory_iterator readable(cache.getFolder(), failed);
  // A folder that does not exist yet is an empty one.
  if (failed && failed != std::errc::no_such_file_or_directory)
    return printError("conv-cache",
                      {ErrorKind::BadInput, "cannot read the folder '" +
                                                cache.getFolder().string() +
                                                "': " + failed.message()});
  if (flags.command != "clear")
    return show(flags, cache);
  Result<void> done = clear(flags, cache);
  return done ? 0 : printError("conv-cache", done.error());
}

int main(int argc, char **argv) {
  return finish("conv-cache", run(argc, argv));
}
