//===- CheckTarget.cpp - compile, run and compare ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a device for every check, so that checks are independent.
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"

#include "PackedArguments.h"
#include "PackedSequences.h"

#include "conv/Chip/Chip.h"
#include "conv/Runtime/Devices.h"
#include "conv/Runtime/SimDevice.h"

#include <algorithm>

using namespace conv;
using namespace conv::tools;

Result<void> ExpectedResults::update(const artifact::Artifact &artifact,
                                     const artifact::Entry &entry,
                                     const CheckOptions &options) {
  std::string wanted = std::to_string(int(options.kind)) + " " +
                       std::to_string(options.seed) + " " + entry.function +
                       " " + entry.reference;
  for (const artifact::Constant &constant : entry.constants)
    wanted += " " + constant.sha256;
  for (const auto &[name, data] : options.inputs)
    wanted += " " + name + "=" + data;
  if (wanted == key)
    return {};
  Result<reference::Program> program = reference::parseProgram(entry);
  if (!program)
    return program.error();
  bytes.assign(entry.arguments.size(), "");
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!entry.arguments[i].isRead())
      continue;
    auto given = options.inputs.find(entry.arguments[i].name);
    if (given != options.inputs.end()) {
      bytes[i] = given->second;
      continue;
    }
    Result<std::string> data =
        randomInput(entry, i, options.kind, options.seed);
    if (!data)
      return data.error();
    bytes[i] = std::move(*data);
  }
  expected = reference::evaluate(*program, entry, bytes,
                                 reference::findConstants(artifact, entry));
  known = std::move(*program);
  key = std::move(wanted);
  return {};
}

const std::vector<std::string> &tools::listHostTargets() {
  static const std::vector<std::string> targets = [] {
    auto device = runtime::openDevice("host");
    return device ? (*device)->targets() : std::vector<std::string>{"host"};
  }();
  return targets;
}

static const std::string kSimPrefix = "sim:";

static Result<std::unique_ptr<runtime::Device>>
openDevice(const std::string &target, const runtime::SimOptions &options) {
  if (!target.starts_with(kSimPrefix)) {
    const ChipInfo *chip = lookupChip(target);
    bool isProcessor = chip && chip->isProcessor();
    return runtime::openDevice(isProcessor ? "host" : target);
  }
  auto device =
      runtime::createSimDevice(target.substr(kSimPrefix.size()), options);
  if (!device)
    return device.error();
  return std::unique_ptr<runtime::Device>(std::move(*device));
}

/// Compares every result; the first wrong element is the error.
static Result<CheckSummary> compareAll(const artifact::Entry &entry,
                                       const ExpectedResults &expected,
                                       const ArgumentBytes &bytes) {
  CheckSummary summary;
  for (size_t i = 0; i < expected.results().size(); ++i) {
    size_t index = expected.program().outputs[i].argument;
    reference::Comparison comparison =
        reference::compare(expected.results()[i], bytes[index]);
    summary.elements += comparison.elements;
    summary.exact += comparison.exact;
    summary.worstRatio = std::max(summary.worstRatio, comparison.worstRatio);
    if (comparison.wrong)
      return Error{ErrorKind::WrongResult,
                   entry.function + " on " + entry.target + ": " +
                       reference::describeFirstWrong(comparison,
                                                     entry.arguments[index]) +
                       " (" + std::to_string(comparison.wrong) + " of " +
                       std::to_string(comparison.elements) + " wrong)"};
  }
  return summary;
}

/// The code of an artifact for one target, if it has any: a device would take
/// the best code that its processor runs.
static artifact::Artifact keepTarget(artifact::Artifact artifact,
                                     const std::string &target) {
  auto isOther = [&](const artifact::Entry &entry) {
    return entry.target != target;
  };
  std::vector<artifact::Entry> &entries = artifact.manifest.entries;
  if (!std::ranges::all_of(entries, isOther))
    std::erase_if(entries, isOther);
  return artifact;
}

Result<CheckSummary> tools::checkTarget(const artifact::Artifact &all,
                                        const std::string &function,
                                        const std::string &target,
                                        const CheckOptions &options,
                                        ExpectedResults &expected) {
  artifact::Artifact artifact = keepTarget(all, target);
  auto device = openDevice(target, options.sim);
  if (!device)
    return device.error();
  Result<Session> session =
      Session::create(**device, artifact, function, {options.sizes, {}});
  if (!session)
    return session.error();
  Result<artifact::Entry> plain = describePlain(artifact, session->entry());
  if (!plain)
    return plain.error();
  Result<void> done = expected.update(artifact, *plain, options);
  ArgumentBytes bytes = expected.inputs();
  for (size_t i = 0; i < bytes.size(); ++i)
    if (auto other = options.ofDevice.find(plain->arguments[i].name);
        other != options.ofDevice.end())
      bytes[i] = other->second;
  if (done)
    done = packArguments(**device, artifact, session->entry(), bytes);
  if (done)
    done = session->upload(bytes);
  if (!done)
    return done.error();
  Result<double> time = session->run();
  if (!time)
    return Error{time.error().kind,
                 function + " on " + target + ": " + time.error().message};
  if (done = session->download(bytes); !done)
    return done.error();
  return compareAll(session->entry(), expected, bytes);
}
