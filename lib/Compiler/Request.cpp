//===- Request.cpp - what is to be compiled, from C -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request.h"
#include "Structure.h"

#include "conv/Support/Sha256.h"
#include "conv/Support/Split.h"
#include "conv/Support/Threads.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace conv;
using namespace conv::compiler;

static std::string toString(const char *text) { return text ? text : ""; }

Result<Request> Request::read(const void *module, size_t size,
                              const conv_compile_options *options,
                              const char *targets) {
  if (!module)
    return badInput("expects a module, but got null");
  Result<conv_compile_options> read = readStructure(
      options, CONV_BYTES_THROUGH(conv_compile_options, targets), "options");
  if (!read)
    return read.error();
  conv_compile_options given = *read;
  if (targets)
    given.targets = targets;
  if (!given.targets)
    return badInput("expects targets, but got none");
  Request request;
  request.source = {given.source ? given.source : "source",
                    std::string(static_cast<const char *>(module), size)};
  request.options.targets = splitAtCommas(given.targets);
  request.options.algorithm = toString(given.algorithm);
  request.options.schedule = toString(given.schedule);
  request.options.database = toString(given.database);
  request.options.usesStaleSchedules = given.uses_stale_schedules != 0;
  request.options.computeUnits = given.compute_units;
  if (given.compute_units)
    request.readHostFacts();
  if (!std::isfinite(given.max_error) || given.max_error < 0)
    return badInput("expects max_error to be finite and 0 or more, but got " +
                    std::to_string(given.max_error));
  request.options.maxError = given.max_error;
  request.options.maxWorkspaceBytes = given.max_workspace > 0
                                          ? given.max_workspace
                                      : given.max_workspace < 0 ? 0
                                                                : -1;
  request.options.threads = std::max(1u, given.threads);
  request.options.externalizeConstants = given.externalizes_constants != 0;
  request.options.prepacksFilters = given.prepacks_filters != 0;
  request.explanation = given.explains_as_text != 0
                            ? mlir::conv::ExplanationForm::Text
                            : mlir::conv::ExplanationForm::Json;
  if (given.progress)
    request.options.progress = [given](size_t finished, size_t all) {
      given.progress(given.context, finished, all);
    };
  if (given.warning)
    request.warn = [given](const std::string &message) {
      given.warning(given.context, message.c_str());
    };
  return request;
}

/// The states of the databases in effect, one for each target or one for all.
Result<std::string> Request::readStates() const {
  if (options.database == mlir::conv::kNoDatabase)
    return std::string();
  std::string states = options.usesStaleSchedules ? "stale " : "";
  if (!options.database.empty()) {
    Result<std::string> state = mlir::conv::readDatabaseState(options.database);
    return state ? states + *state : state;
  }
  for (const std::string &target : options.targets) {
    std::string path = mlir::conv::findShippedDatabase(target);
    if (path.empty())
      continue;
    // An unreadable database is a warning when it is used.
    Result<std::string> state = mlir::conv::readDatabaseState(path);
    states += " " + (state ? *state : "unreadable");
  }
  return states;
}

void Request::readHostFacts() {
  if (mlir::conv::includesHost(options.targets))
    options.secondCacheBytes = readSecondCacheBytes();
}

Result<std::string> Request::computeKey() const {
  Result<std::string> database = readStates();
  if (!database)
    return database.error();
  std::string all = mlir::conv::getCompilerVersion().fingerprint;
  auto add = [&](const std::string &part) {
    all += '\0' + std::to_string(part.size()) + '\0' + part;
  };
  for (const std::string &target : options.targets)
    add(target);
  for (const std::string &part :
       {options.algorithm, options.schedule, *database,
        std::to_string(options.computeUnits),
        std::to_string(options.secondCacheBytes), mlir::conv::findAssembler(),
        std::string(options.externalizeConstants ? "1" : "0"),
        std::string(options.prepacksFilters ? "1" : "0"),
        std::to_string(std::bit_cast<uint64_t>(options.maxError)),
        std::to_string(options.maxWorkspaceBytes), source.text})
    add(part);
  return sha256Hex(all);
}

Result<std::string> Request::explain() const {
  mlir::conv::CompileOptions explaining = options;
  explaining.explain = explanation;
  return mlir::conv::explain(source, explaining);
}

Result<std::string> Request::compile() const {
  mlir::conv::CompileReport report;
  Result<artifact::Artifact> artifact =
      mlir::conv::compile(source, options, &report);
  if (!artifact)
    return artifact.error();
  if (warn)
    for (const std::string &warning : report.warnings)
      warn(warning);
  return artifact->bytes();
}
