//===- Source.cpp - what conv-run runs, and where ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses one device from --device, --target and the contents of the artifact.
// An MLIR file is compiled for that device's target here, in process.
//
//===----------------------------------------------------------------------===//

#include "Source.h"

#include "Progress.h"

#include "conv/Chip/Chip.h"
#include "conv/Chip/TargetName.h"
#include "conv/Pipeline/Compile.h"
#include "conv/Runtime/Devices.h"
#include "conv/Support/File.h"
#include "conv/Support/Memory.h"
#include "conv/Support/Threads.h"

#include <algorithm>
#include <set>

using namespace conv;
using namespace conv::tools;

static const std::string kSimPrefix = "sim:";

/// The names of a list, for messages.
static std::string join(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// The targets of all entries that `flags` select.
static std::set<std::string> getTargets(const artifact::Artifact &artifact,
                                        const RunFlags &flags) {
  std::set<std::string> targets;
  for (const artifact::Entry &entry : artifact.manifest.entries)
    if (flags.function.empty() || entry.function == flags.function)
      targets.insert(entry.target);
  return targets;
}

/// "sim:gfx942", "host", "hip" or "cuda": the device that runs a target.
static std::string deviceOfTarget(const std::string &target) {
  if (target.starts_with(kSimPrefix))
    return target;
  if (target.starts_with("host"))
    return "host";
  return target.starts_with("sm_") ? "cuda" : "hip";
}

/// The simulated chip that --target or the artifact names.
static Result<std::string> chooseSimulator(const RunFlags &flags,
                                           const std::set<std::string> &has) {
  if (!flags.target.empty())
    return flags.target.starts_with(kSimPrefix) ? flags.target
                                                : kSimPrefix + flags.target;
  std::set<std::string> simulated;
  for (const std::string &target : has)
    if (target.starts_with(kSimPrefix))
      simulated.insert(target);
  if (simulated.size() == 1)
    return *simulated.begin();
  return Error{
      ErrorKind::BadInput,
      "--device sim expects --target to name a simulated chip, but "
      "got none" +
          (has.empty() ? "" : " (the file has: " + join(simulated) + ")")};
}

/// The requested target as artifacts spell it: a target of the file, or a chip
/// that the compiler supports.
static Result<std::string> readTarget(const std::string &target,
                                      const std::set<std::string> &has) {
  if (target.empty() || has.contains(target))
    return target;
  Result<TargetName> known = parseTargetName(target);
  if (!known)
    return known.error();
  return known->name;
}

/// The name of the device to open.
static Result<std::string> chooseDevice(const RunFlags &flags,
                                        const std::set<std::string> &has) {
  if (flags.device == "sim")
    return chooseSimulator(flags, has);
  if (!flags.target.empty()) {
    std::string device = deviceOfTarget(flags.target);
    if (!flags.device.empty() && device != flags.device)
      return Error{ErrorKind::BadInput, "expects a --target for device " +
                                            flags.device + ", but got " +
                                            flags.target};
    return device;
  }
  if (!flags.device.empty())
    return flags.device;
  if (has.empty() || has.contains("host"))
    return std::string("host");
  if (has.size() == 1)
    return deviceOfTarget(*has.begin());
  return Error{ErrorKind::BadInput,
               "expects --device or --target, since the file has: " +
                   join(has)};
}

std::string tools::getChip(const runtime::SimDevice &simulator) {
  return simulator.name().substr(kSimPrefix.size());
}

static Result<void> openDevice(const std::string &name, const RunFlags &flags,
                               Source &source) {
  if (name.starts_with(kSimPrefix)) {
    auto simulator =
        runtime::createSimDevice(name.substr(kSimPrefix.size()), flags.sim);
    if (!simulator)
      return simulator.error();
    source.simulator = simulator->get();
    source.device = std::move(*simulator);
    return {};
  }
  auto device = runtime::openDevice(name);
  if (device) {
    source.device = std::move(*device);
    return {};
  }
  Error error = device.error();
  // The target alone means the GPU itself.
  if (flags.device.empty() && runtime::createSimDevice(flags.target, flags.sim))
    error.message +=
        " (--device sim --target " + flags.target + " simulates the chip)";
  return error;
}

/// The target to run: --target, or the best of the device's targets that the
/// compiler supports.
static Result<std::string> chooseTarget(const RunFlags &flags,
                                        const Source &source) {
  std::vector<std::string> targets = source.device->targets();
  if (source.simulator || flags.target.empty()) {
    for (const std::string &target : targets)
      if (lookupChip(target))
        return target;
    return targets.front();
  }
  if (std::ranges::find(targets, flags.target) != targets.end())
    return flags.target;
  return Error{ErrorKind::BadInput, "expects a --target of " +
                                        source.device->name() + " (" +
                                        join({targets.begin(), targets.end()}) +
                                        "), but got " + flags.target};
}

static Result<void> compileSource(const RunFlags &flags,
                                  const std::string &target, std::string text,
                                  Source &source) {
  mlir::conv::CompileOptions options;
  options.targets = {target};
  if (flags.clock && source.simulator)
    options.targets.push_back(getChip(*source.simulator));
  options.computeUnits = source.device->computeUnits();
  options.secondCacheBytes = readSecondCacheBytes();
  options.threads = countProcessors();
  Progress progress("compiling " + flags.input);
  options.progress = [&](size_t done, size_t all) {
    progress.update(double(done) / double(all));
  };
  auto artifact = mlir::conv::compile({flags.input, std::move(text)}, options);
  if (!artifact)
    return artifact.error();
  source.artifact = std::move(*artifact);
  return {};
}

Result<Source> tools::openSource(const RunFlags &given) {
  RunFlags flags = given;
  Source source;
  bool isStandardInput = flags.input == "-";
  Result<Blob> file =
      mapFile(isStandardInput ? "/dev/stdin" : flags.input, getMachineMemory());
  if (!file)
    return file.error();
  if (isStandardInput)
    flags.input = "<stdin>";
  // Zip files begin with "PK"; MLIR, as text or bytecode, never does. A file
  // with an artifact's suffix is read as one, so that messages fit.
  bool isArtifact =
      file->bytes.starts_with("PK") || flags.input.ends_with(".convpack");
  if (isArtifact) {
    Result<artifact::Artifact> artifact =
        artifact::Artifact::parse(*file, flags.input);
    if (!artifact)
      return artifact.error();
    source.artifact = std::move(*artifact);
  }
  std::set<std::string> has = getTargets(source.artifact, flags);
  Result<std::string> target = readTarget(flags.target, has);
  if (!target)
    return target.error();
  flags.target = *target;
  Result<std::string> name = chooseDevice(flags, has);
  if (!name)
    return name.error();
  if (Result<void> opened = openDevice(*name, flags, source); !opened)
    return opened.error();
  Result<std::string> chosen = chooseTarget(flags, source);
  if (!chosen)
    return chosen.error();
  if (!isArtifact) {
    Result<void> compiled =
        compileSource(flags, *chosen, std::string(file->bytes), source);
    if (!compiled)
      return compiled.error();
  } else if (!flags.target.empty() && !source.simulator) {
    // The device might have better ones.
    std::erase_if(
        source.artifact.manifest.entries,
        [&](const artifact::Entry &entry) { return entry.target != *chosen; });
  }
  return source;
}
