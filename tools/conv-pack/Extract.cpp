//===- Extract.cpp - some entries of an artifact ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code files are named by function and target; characters that a file name
// should not have are replaced.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "OutputFiles.h"

#include "conv/Support/File.h"
#include "conv/Support/Nearest.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

using namespace conv;
using namespace conv::artifact;
using namespace conv::tools;

static bool contains(const std::vector<std::string> &names,
                     const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Fails for a name that no entry has.
static Result<void> checkNames(const std::string &what,
                               const std::vector<std::string> &wanted,
                               const std::set<std::string> &known,
                               const std::string &path) {
  for (const std::string &name : wanted) {
    if (known.contains(name))
      continue;
    std::vector<std::string> names(known.begin(), known.end());
    std::string list, nearest = findNearest(name, names);
    for (size_t i = 0; i < names.size() && i < 8; ++i)
      list += (i ? ", " : "") + names[i];
    if (names.size() > 8)
      list += ", ...";
    return Error{
        ErrorKind::BadInput,
        "expects a " + what + " of '" + path + "' (" + list + "), but got '" +
            name + "'" +
            (nearest.empty() ? "" : ", did you mean " + nearest + "?")};
  }
  return {};
}

Result<void> tools::select(const PackFlags &flags, NamedArtifact &named) {
  std::vector<Entry> &entries = named.artifact.manifest.entries;
  std::set<std::string> functions, targets;
  for (const Entry &entry : entries) {
    functions.insert(entry.function);
    targets.insert(entry.target);
  }
  Result<void> known =
      checkNames("function", flags.functions, functions, named.path);
  if (known)
    known = checkNames("target", flags.targets, targets, named.path);
  if (!known)
    return known;
  std::erase_if(entries, [&](const Entry &entry) {
    bool byFunction =
        flags.functions.empty() || contains(flags.functions, entry.function);
    bool byTarget =
        flags.targets.empty() || contains(flags.targets, entry.target);
    return !byFunction || !byTarget;
  });
  if (entries.empty())
    return Error{ErrorKind::BadInput,
                 "'" + named.path +
                     "' has no entry of these functions and "
                     "targets"};
  return {};
}

/// A name with such characters replaced.
static std::string makeFileName(const std::string &text) {
  std::string name = text.substr(0, 100);
  for (char &letter : name)
    if (!std::isalnum((unsigned char)letter) && letter != '-' && letter != '_')
      letter = '_';
  return name;
}

/// Writes each code file of an entry once. Its name gets a number if another
/// file has it.
static Result<void> writeCode(const Entry &entry, const Artifact &artifact,
                              const std::filesystem::path &folder,
                              std::set<std::string> &taken) {
  std::set<std::string> written;
  for (const Launch &launch : entry.launches) {
    if (!written.insert(launch.code).second)
      continue;
    std::string extension = launch.code.substr(launch.code.rfind('.'));
    std::string base =
        makeFileName(entry.function) + "." + makeFileName(entry.target);
    std::string name = base + extension;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = base + "." + std::to_string(number) + extension;
    Result<void> done =
        writeFile((folder / name).string(), *artifact.code(launch.code));
    if (!done)
      return done;
  }
  return {};
}

Result<void> tools::extract(const PackFlags &flags,
                            const NamedArtifact &named) {
  if (!isFolder(flags.output))
    return named.artifact.write(flags.output);
  std::error_code code;
  std::filesystem::create_directories(flags.output, code);
  if (code)
    return Error{ErrorKind::System, "cannot make folder '" + flags.output +
                                        "': " + code.message()};
  std::set<std::string> taken;
  for (const Entry &entry : named.artifact.manifest.entries) {
    Result<void> written =
        writeCode(entry, named.artifact, flags.output, taken);
    if (!written)
      return written;
  }
  return {};
}
