//===- Trial.cpp - what a tool does with an input ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of file, which calls what the tools call for it.
// Kernels are loaded but not run: a manifest states the grid, and simulating a
// large grid takes too long.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "Bytecode.h"
#include "Reference.h"
#include "Request.h"
#include "Session.h"
#include "conv/Generate/Generate.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Pipeline/Compile.h"
#include "conv/Runtime/Sim.h"
#include "conv/Runtime/SimDevice.h"
#include "conv/Support/File.h"
#include "conv/Support/Npy.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

using namespace conv;
using namespace conv::tools;

/// Files longer than this take too long to be changed often.
static constexpr int64_t kMaxSeedBytes = 16384;

/// A target for each kind of kernels, chosen by the input. NVIDIA's target
/// needs another program.
static std::string chooseTarget(const std::string &input) {
  static const std::string targets[] = {"host", "gfx942", "sim:gfx1201",
                                        "gfx90a"};
  return targets[std::hash<std::string>()(input) % std::size(targets)];
}

//===----------------------------------------------------------------------===//
// Running an input
//===----------------------------------------------------------------------===//

/// The last stage of an accepted input. Machine code takes LLVM a hundred times
/// as long as everything before it, so most inputs stop earlier.
static std::optional<mlir::conv::Stage> chooseLastStage(size_t hash) {
  switch (hash % 16) {
  case 0:
    return std::nullopt; // To an artifact.
  case 1:
  case 2:
  case 3:
    return mlir::conv::Stage::Gpu;
  default:
    return mlir::conv::Stage::Conv;
  }
}

/// Runs conv-compile, and for some inputs conv-opt, which does the same up to
/// the conv stage.
static Result<void> compileSource(const std::string &input) {
  size_t hash = std::hash<std::string>()(input) / 64;
  if (hash % 8 == 4)
    optimize(input);
  mlir::conv::CompileOptions options;
  options.targets = {chooseTarget(input)};
  mlir::conv::SourceFile source = {"fuzz.mlir", input};
  if (std::optional<mlir::conv::Stage> stage = chooseLastStage(hash)) {
    auto text = mlir::conv::compileToStage(source, options, *stage);
    return text ? Result<void>() : text.error();
  }
  auto artifact = mlir::conv::compile(source, options);
  return artifact ? Result<void>() : artifact.error();
}

static const char *const kSmallLine =
    "convfp16 -F 1 --layout nhwc -n 1 -c 8 -H 4 -W 4 -k 8 -y 3 -x 3 -p 1 -q 1 "
    "--bias";

/// The functions of a driver line, or why there are none.
static Result<std::vector<GenProblem>> parseLine(const std::string &line) {
  std::vector<std::string> words = {"conv-gen"};
  std::istringstream stream(line);
  for (std::string word; stream >> word;)
    words.push_back(word);
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  Request request;
  std::vector<GenProblem> problems;
  if (parseRequest(int(pointers.size()), pointers.data(), request))
    return Error{ErrorKind::BadInput, "usage"};
  for (const RequestLine &one : request.lines) {
    if (one.error)
      return *one.error;
    problems.insert(problems.end(), one.problems.begin(), one.problems.end());
  }
  return problems;
}

/// Runs conv-gen without writing its output.
static Result<void> generateLine(const std::string &line) {
  Result<std::vector<GenProblem>> problems = parseLine(line);
  if (!problems)
    return problems.error();
  for (const GenProblem &problem : *problems)
    if (Result<std::string> text = generate(problem); !text)
      return text.error();
  return {};
}

/// Runs conv-compile with --schedule.
static Result<void> compileWithSchedule(const std::string &schedule,
                                        const std::string &source) {
  mlir::conv::CompileOptions options;
  options.targets = {"gfx942"};
  options.schedule = schedule;
  auto text = mlir::conv::compileToStage({"fuzz.mlir", source}, options,
                                         mlir::conv::Stage::Gpu);
  return text ? Result<void>() : text.error();
}

/// Runs conv-run up to the point where kernels would start.
static Result<void> loadArtifact(const artifact::Artifact &artifact) {
  for (const artifact::Entry &entry : artifact.manifest.entries) {
    Result<reference::Program> program = reference::parseProgram(entry);
    if (!program)
      return program.error();
    if (!entry.target.starts_with("sim:"))
      continue;
    auto device = runtime::createSimDevice(entry.target.substr(4), {});
    if (!device)
      return device.error();
    Result<Session> session =
        Session::create(**device, artifact, entry.function);
    if (!session)
      return session.error();
  }
  return {};
}

static Result<void> readArtifact(const std::string &bytes) {
  auto artifact = artifact::Artifact::parse(bytes, "fuzz.convpack");
  return artifact ? loadArtifact(*artifact) : artifact.error();
}

/// Reads a manifest in an otherwise valid artifact.
static Result<void> readManifest(const std::string &text,
                                 const artifact::Artifact &around) {
  Result<artifact::Manifest> manifest = artifact::parseManifest(text);
  if (!manifest)
    return manifest.error();
  artifact::Artifact artifact = around;
  artifact.manifest = *manifest;
  Result<std::string> bytes = artifact.bytes();
  return bytes ? readArtifact(*bytes) : bytes.error();
}

static Result<void> readArray(const std::string &bytes) {
  Result<NpyArray> array = parseNpy(bytes, "fuzz.npy");
  return array ? Result<void>() : array.error();
}

//===----------------------------------------------------------------------===//
// Sources of inputs
//===----------------------------------------------------------------------===//

/// Adds the modules of a file: tests separate several by lines of dashes.
static void addModules(const std::string &text,
                       std::vector<std::string> &modules) {
  const std::string separator = "// -----";
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    std::string module = text.substr(begin, end - begin);
    if (module.find("func") != std::string::npos)
      modules.push_back(module);
    begin = end + separator.size();
  }
}

static Result<std::vector<std::string>>
readModules(const std::vector<std::string> &folders) {
  std::vector<std::string> paths, modules;
  for (const std::string &folder : folders) {
    std::error_code code;
    for (auto &file :
         std::filesystem::recursive_directory_iterator(folder, code))
      if (file.path().extension() == ".mlir")
        paths.push_back(file.path());
    if (code)
      return Error{ErrorKind::BadInput,
                   "cannot read '" + folder + "': " + code.message()};
  }
  std::sort(paths.begin(), paths.end()); // Independent of the file system.
  for (const std::string &path : paths)
    if (Result<std::string> text = readFile(path, kMaxSeedBytes))
      addModules(*text, modules);
  if (modules.empty())
    return Error{ErrorKind::BadInput, "expects folders with .mlir files of at "
                                      "most 16384 bytes, but got none"};
  return modules;
}

static std::vector<std::string>
convertAll(const std::vector<std::string> &modules) {
  std::vector<std::string> converted;
  for (const std::string &module : modules)
    if (std::string bytecode = convertToBytecode(module); !bytecode.empty())
      converted.push_back(std::move(bytecode));
  return converted;
}

static const std::vector<std::string> kLines = {
    kSmallLine,
    "convbfp16 -n 8 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 "
    "-j 1 -g 1 -F 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC",
    "conv --spatial_dim 3 -n 1 -c 4 --in_d 4 -H 4 -W 4 -k 4 --fil_d 3 -F 4",
    "convint8 -n 1 -c 16 -H 8 -W 8 -k 16 -g 2 --activation relu --out_dtype "
    "f32",
    "convfp16 -F 2 -n 1 -c 8 -H 8 -W 8 -k 8 -u 2 -v 2 --mode trans --residual",
    "dynamic_forward bf16 -b 1 -t 9 -d 8 -g 4 -w 3 --order BTWG "
    "--cu_seqlens 4 --name f",
};

static std::string createArray() {
  return formatNpy({ElementType::F32, {2, 3}, std::string(24, '\x3f')});
}

Result<std::vector<Trial>>
tools::createTrials(const std::vector<std::string> &folders) {
  Result<std::vector<std::string>> modules = readModules(folders);
  if (!modules)
    return modules.error();
  Result<std::vector<GenProblem>> problems = parseLine(kSmallLine);
  if (!problems)
    return problems.error();
  Result<std::string> small = generate(problems->front());
  if (!small)
    return small.error();
  mlir::conv::CompileOptions options;
  options.targets = {"sim:gfx942", "host"};
  auto artifact = mlir::conv::compile({"small.mlir", *small}, options);
  if (!artifact)
    return artifact.error();
  Result<std::string> bytes = artifact->bytes();
  Result<std::string> manifest = artifact::writeManifest(artifact->manifest);
  if (!bytes || !manifest)
    return bytes ? manifest.error() : bytes.error();

  return std::vector<Trial>{
      {"text", InputForm::Text, *modules, compileSource},
      {"bytecode", InputForm::Binary, convertAll(*modules), compileSource},
      {"artifact", InputForm::Binary, {*bytes}, readArtifact},
      {"manifest",
       InputForm::Text,
       {*manifest},
       [around = *artifact](const std::string &text) {
         return readManifest(text, around);
       }},
      {"schedule",
       InputForm::Text,
       {artifact->manifest.entries.front().schedule},
       [source = *small](const std::string &schedule) {
         return compileWithSchedule(schedule, source);
       }},
      {"line", InputForm::Text, kLines, generateLine},
      {"npy", InputForm::Binary, {createArray()}, readArray},
  };
}
