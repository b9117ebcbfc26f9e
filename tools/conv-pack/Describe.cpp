//===- Describe.cpp - what artifacts hold -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text for people: one line for each entry, or all of its fields. JSON for
// programs: the manifests unchanged, with the sizes of code.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "conv/Artifact/ManifestJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

using namespace conv;
using namespace conv::artifact;
using namespace conv::tools;

/// The size of each code file in bytes, by path.
static std::map<std::string, int64_t>
getCode(const Artifact &artifact, const std::vector<Entry> &entries) {
  std::map<std::string, int64_t> sizes;
  for (const Entry &entry : entries)
    for (const Launch &launch : entry.launches)
      sizes[launch.code] = int64_t(artifact.code(launch.code)->size());
  return sizes;
}

static int64_t sumOf(const std::map<std::string, int64_t> &sizes) {
  int64_t sum = 0;
  for (const auto &[path, bytes] : sizes)
    sum += bytes;
  return sum;
}

static std::string join(const std::array<int64_t, 3> &sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]);
}

/// A shape, with the names of run-time sizes.
static std::string joinShape(const Entry &entry,
                             const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") +
            (shape[i] < 0 ? entry.sizes[size_t(decodeSize(shape[i]))].name
                          : std::to_string(shape[i]));
  return text;
}

static std::string join(const Entry &entry, const SizeProduct &product) {
  std::string text = std::to_string(product.constant);
  for (auto [size, per] : product.factors) {
    const std::string &name = entry.sizes[size_t(size)].name;
    text += "*" + (per == 1 ? name
                            : "ceil(" + name + "/" + std::to_string(per) + ")");
  }
  return product.per == 1
             ? text
             : "ceil(" + text + "/" + std::to_string(product.per) + ")";
}

static std::string joinGrid(const Entry &entry, const Launch &launch) {
  std::string text;
  for (size_t i = 0; i < 3; ++i)
    text += (i ? "x" : "") + (launch.gridOfSizes[i]
                                  ? join(entry, *launch.gridOfSizes[i])
                                  : std::to_string(launch.grid[i]));
  return text;
}

static void printLong(const Entry &entry) {
  auto line = [](const char *name, const std::string &text) {
    std::printf("    %-10s %s\n", name, text.c_str());
  };
  line("problem", entry.problem);
  line("schedule", entry.schedule + " (" + entry.chosenBy + ")");
  for (const RunTimeSize &size : entry.sizes)
    line("size", size.name + ": " + std::to_string(size.least) + " to " +
                     std::to_string(size.most));
  for (const Argument &argument : entry.arguments)
    line(argument.access.c_str(), argument.name + ": " + argument.dtype + " " +
                                      argument.layout + " " +
                                      joinShape(entry, argument.shape));
  for (const Launch &launch : entry.launches) {
    const Resources &used = launch.resources;
    line("kernel",
         launch.kernel + ": grid " + joinGrid(entry, launch) + ", block " +
             join(launch.block) + ", " + std::to_string(used.vgpr) +
             " registers, " +
             std::to_string(used.sharedBytes + launch.dynamicSharedBytes) +
             " bytes of shared memory, " + std::to_string(used.spills) +
             " spills");
    line("code", launch.code);
  }
}

/// The size in bytes of the code that an entry names.
static int64_t codeBytes(const Artifact &artifact, const Entry &entry) {
  return sumOf(getCode(artifact, {entry}));
}

static void printText(const PackFlags &flags, const NamedArtifact &named) {
  const Manifest &manifest = named.artifact.manifest;
  std::map<std::string, int64_t> code =
      getCode(named.artifact, manifest.entries);
  std::printf("%s: %zu entries, %zu code files of %lld bytes, compiler %s, "
              "LLVM %s\n",
              named.path.c_str(), manifest.entries.size(), code.size(),
              (long long)sumOf(code), manifest.compiler.version.c_str(),
              manifest.compiler.llvm.c_str());
  int width = 0;
  for (const Entry &entry : manifest.entries)
    width = std::max(width, int(std::min<size_t>(entry.function.size(), 64)));
  for (const Entry &entry : manifest.entries) {
    std::printf("  %-*s  %-11s  %-13s  %2zu launches  %8lld bytes of workspace"
                "  %8lld of code\n",
                width, entry.function.c_str(), entry.target.c_str(),
                entry.algorithm.c_str(), entry.launches.size(),
                (long long)entry.workspaceBytes,
                (long long)codeBytes(named.artifact, entry));
    if (flags.isLong)
      printLong(entry);
  }
}

static Result<nlohmann::ordered_json> toJson(const NamedArtifact &named) {
  Result<std::string> manifest = writeManifest(named.artifact.manifest);
  if (!manifest)
    return manifest.error();
  nlohmann::ordered_json code = nlohmann::ordered_json::object();
  for (const auto &[path, bytes] :
       getCode(named.artifact, named.artifact.manifest.entries))
    code[path] = bytes;
  nlohmann::ordered_json json;
  json["file"] = named.path;
  json["manifest"] = nlohmann::ordered_json::parse(*manifest);
  json["code_bytes"] = code;
  return json;
}

Result<void> tools::list(const PackFlags &flags,
                         const std::vector<NamedArtifact> &artifacts) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const NamedArtifact &named : artifacts) {
    if (!flags.json) {
      printText(flags, named);
      continue;
    }
    Result<nlohmann::ordered_json> json = toJson(named);
    if (!json)
      return json.error();
    all.push_back(*json);
  }
  if (flags.json) // Names of files need not be UTF-8.
    std::printf("%s\n",
                nlohmann::ordered_json({{"artifacts", all}})
                    .dump(2, ' ', false,
                          nlohmann::ordered_json::error_handler_t::replace)
                    .c_str());
  return {};
}

/// The bytes in code that define a kernel: a symbol table ends its names with a
/// zero byte, and PTX has the parameters after them.
static std::string getDefinition(const Launch &launch) {
  bool isText = std::string_view(launch.code).ends_with(".ptx");
  return isText ? ".entry " + launch.kernel + "(" : launch.kernel + '\0';
}

Result<void> tools::verifyKernels(const NamedArtifact &named) {
  for (const Entry &entry : named.artifact.manifest.entries)
    for (const Launch &launch : entry.launches) {
      const std::string &code = *named.artifact.code(launch.code);
      if (code.find(getDefinition(launch)) == std::string::npos)
        return Error{ErrorKind::BadInput, "expects the kernel '" +
                                              launch.kernel + "' in '" +
                                              launch.code + "' of '" +
                                              named.path + "', but got none"};
    }
  return {};
}
