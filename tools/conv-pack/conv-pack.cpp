//===- conv-pack.cpp - looks into artifacts, joins them, takes them apart -===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads artifacts, which checks them, and passes them to the command.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "ErrorLine.h"
#include "Output.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace conv;
using namespace conv::tools;

static Result<NamedArtifact> read(const std::string &path) {
  Result<artifact::Artifact> artifact = artifact::Artifact::read(path);
  if (!artifact)
    return artifact.error();
  return NamedArtifact{path, std::move(*artifact)};
}

static Result<void> verify(const std::string &path, size_t &entries) {
  Result<NamedArtifact> named = read(path);
  if (!named)
    return named.error();
  entries = named->artifact.manifest.entries.size();
  return verifyKernels(*named);
}

/// Verifies all artifacts in any case; the first error decides the exit code.
static int verifyAll(const PackFlags &flags) {
  int code = 0;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string &path : flags.inputs) {
    size_t entries = 0;
    Result<void> done = verify(path, entries);
    nlohmann::ordered_json json = {{"file", path}, {"verified", bool(done)}};
    if (done)
      json["entries"] = entries;
    else
      json["error"] = done.error().message;
    all.push_back(json);
    if (!done && code == 0)
      code = int(done.error().kind);
    if (flags.json)
      continue;
    if (done)
      std::printf("%s: verified, %zu entries\n", path.c_str(), entries);
    else
      printError("conv-pack", done.error());
  }
  if (flags.json)
    std::printf("%s\n",
                nlohmann::ordered_json({{"artifacts", all}})
                    .dump(2, ' ', false,
                          nlohmann::ordered_json::error_handler_t::replace)
                    .c_str());
  return code;
}

static Result<void> runCommand(const PackFlags &flags) {
  std::vector<NamedArtifact> artifacts;
  for (const std::string &path : flags.inputs) {
    Result<NamedArtifact> named = read(path);
    if (!named)
      return named.error();
    if (Result<void> selected = select(flags, *named); !selected)
      return selected;
    artifacts.push_back(std::move(*named));
  }
  if (flags.command == PackCommand::List)
    return list(flags, artifacts);
  if (flags.command == PackCommand::Extract)
    return extract(flags, artifacts.front());
  Result<artifact::Artifact> merged = merge(flags, artifacts);
  return merged ? merged->write(flags.output) : merged.error();
}

static int run(int argc, char **argv) {
  PackFlags flags;
  if (std::optional<int> code = parsePackFlags(argc, argv, flags))
    return *code;
  if (flags.command == PackCommand::Verify)
    return verifyAll(flags);
  Result<void> done = runCommand(flags);
  return done ? 0 : printError("conv-pack", done.error());
}

int main(int argc, char **argv) { return finish("conv-pack", run(argc, argv)); }
