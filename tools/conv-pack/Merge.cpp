//===- Merge.cpp - one artifact of several ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries are equal if their manifests are: digests name the code.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "conv/Artifact/ManifestJson.h"

#include <map>

using namespace conv;
using namespace conv::artifact;
using namespace conv::tools;

/// The text of an entry, without the rest of the manifest.
static Result<std::string> describe(const Entry &entry) {
  Manifest alone;
  alone.entries = {entry};
  return writeManifest(alone);
}

static Result<void>
checkCompilers(const std::vector<NamedArtifact> &artifacts) {
  const NamedArtifact &first = artifacts.front();
  for (const NamedArtifact &other : artifacts) {
    const std::string &wanted = first.artifact.manifest.compiler.fingerprint;
    const std::string &got = other.artifact.manifest.compiler.fingerprint;
    if (got != wanted)
      return badInput("expects artifacts of one compiler, or "
                      "--mixed-compilers, but got '" +
                      first.path + "' of " + wanted + " and '" + other.path +
                      "' of " + got);
  }
  return {};
}

namespace {
/// Entries in the order of their first appearance, with their origins.
class Merger {
public:
  explicit Merger(const std::string &keep) : keep(keep) {}

  Result<void> add(const Entry &entry, const NamedArtifact &from);
  Artifact finish(const Compiler &compiler) const;

private:
  struct Source {
    const Entry *entry;
    const NamedArtifact *from;
    std::string text;
  };

  std::string keep;
  std::vector<Source> sources;
  std::map<std::pair<std::string, std::string>, size_t> known;
};
} // namespace

Result<void> Merger::add(const Entry &entry, const NamedArtifact &from) {
  Result<std::string> text = describe(entry);
  if (!text)
    return text.error();
  auto [place, isNew] =
      known.try_emplace({entry.function, entry.target}, sources.size());
  if (isNew) {
    sources.push_back({&entry, &from, *text});
    return {};
  }
  Source &other = sources[place->second];
  if (other.text == *text || keep == "first")
    return {};
  if (keep != "last")
    return badInput("expects one entry of " + entry.function + " for " +
                    entry.target + ", or --keep, but got different ones in '" +
                    other.from->path + "' and '" + from.path + "'");
  other = {&entry, &from, *text};
  return {};
}

Artifact Merger::finish(const Compiler &compiler) const {
  Artifact merged;
  merged.manifest.compiler = compiler;
  for (const Source &source : sources)
    merged.addEntry(*source.entry, source.from->artifact);
  return merged;
}

Result<Artifact> tools::merge(const PackFlags &flags,
                              const std::vector<NamedArtifact> &artifacts) {
  if (!flags.mixedCompilers)
    if (Result<void> same = checkCompilers(artifacts); !same)
      return same.error();
  Merger merger(flags.keep);
  for (const NamedArtifact &named : artifacts)
    for (const Entry &entry : named.artifact.manifest.entries)
      if (Result<void> added = merger.add(entry, named); !added)
        return added.error();
  return merger.finish(artifacts.front().artifact.manifest.compiler);
}
