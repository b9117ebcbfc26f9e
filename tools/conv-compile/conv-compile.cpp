//===- conv-compile.cpp - .mlir to artifact ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a file, calls the compiler (conv/Pipeline/Compile.h), writes the
// requested output.
//
//===----------------------------------------------------------------------===//

#include "ErrorLine.h"
#include "Options.h"
#include "Output.h"
#include "Progress.h"

#include "conv/Chip/Chip.h"
#include "conv/Pipeline/Compile.h"
#include "conv/Support/File.h"
#include "conv/Support/Memory.h"
#include "conv/Support/Threads.h"

#include <cstdio>
#include <optional>

using namespace conv;
using namespace conv::tools;
using mlir::conv::CompileOptions;
using mlir::conv::CompileReport;
using mlir::conv::SourceFile;

static Result<SourceFile> readSource(const std::string &path) {
  bool isStandardInput = path == "-";
  Result<std::string> text =
      readFile(isStandardInput ? "/dev/stdin" : path, getMachineMemory());
  if (!text)
    return text.error();
  return SourceFile{isStandardInput ? "<stdin>" : path, std::move(*text)};
}

static void printTimes(const std::vector<mlir::conv::StageTime> &times) {
  double total = 0;
  std::fprintf(stderr, "%10s  %-10s %-14s %s\n", "ms", "stage", "target",
               "function");
  for (const mlir::conv::StageTime &time : times) {
    std::fprintf(stderr, "%10.2f  %-10s %-14s %s\n", time.milliseconds,
                 time.stage.c_str(), time.target.c_str(),
                 time.function.c_str());
    total += time.milliseconds;
  }
  std::fprintf(stderr, "%10.2f  total\n", total);
}

/// Writes the program that calls the functions of `artifact`, and their list.
static Result<void> writeRest(const CompileFlags &flags,
                              const artifact::Artifact &artifact,
                              const CompileReport &report) {
  for (const mlir::conv::OutlinedFunction &outlined : report.outlined)
    for (const artifact::Entry &entry : artifact.manifest.entries)
      if (entry.function == outlined.function) {
        std::printf("@%s  %s  %s\n", outlined.function.c_str(),
                    outlined.location.c_str(), entry.problem.c_str());
        break; // All targets have the same problem.
      }
  return writeOutput(flags.outline, report.rest);
}

/// Clocks the kernels for AMD chips: prints a report, draws a timeline.
static Result<void> reportClocks(const CompileFlags &flags,
                                 const artifact::Artifact &artifact) {
  auto clocks = clockEntries(artifact, flags.input, flags.clock);
  if (!clocks)
    return clocks.error();
  if (!flags.clock.timeline.empty())
    if (Result<void> drawn = drawClock(*clocks, flags.clock.timeline); !drawn)
      return drawn;
  return flags.report.empty() ? Result<void>()
                              : printClocks(*clocks, flags.clock.json);
}

/// Prints what is known of a module that cannot be compiled: the schedules of
/// its other functions, for the targets that have any.
static void printExplanations(const SourceFile &source,
                              const CompileOptions &options) {
  CompileOptions explaining = options;
  for (const std::string &target : options.targets) {
    explaining.targets = {target};
    if (Result<std::string> text = mlir::conv::explain(source, explaining))
      std::fputs(text->c_str(), stdout);
  }
}

static Result<void> compileArtifact(const CompileFlags &flags,
                                    const SourceFile &source,
                                    CompileOptions &options) {
  std::optional<Progress> progress("compiling " + source.name);
  options.progress = [&](size_t done, size_t all) {
    progress->update(double(done) / double(all));
  };
  CompileReport report;
  Result<artifact::Artifact> artifact =
      mlir::conv::compile(source, options, &report);
  progress.reset();
  if (!artifact) {
    if (!flags.explain.empty())
      printExplanations(source, options);
    return artifact.error();
  }
  for (const std::string &warning : report.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  if (!flags.explain.empty())
    std::fputs(report.explanation.c_str(), stdout);
  if (flags.timing)
    printTimes(report.times);
  if (!flags.report.empty() || !flags.clock.timeline.empty())
    if (Result<void> done = reportClocks(flags, *artifact); !done)
      return done;
  if (!flags.output.empty())
    if (Result<void> written = artifact->write(flags.output); !written)
      return written;
  return flags.outline.empty() ? Result<void>()
                               : writeRest(flags, *artifact, report);
}

static Result<std::string> compileToString(const CompileFlags &flags,
                                           const SourceFile &source,
                                           const CompileOptions &options) {
  using mlir::conv::CodeForm;
  Progress progress("compiling " + source.name);
  if (flags.emit == "schedules")
    return mlir::conv::listSchedules(source, options);
  if (flags.emit == "ptx")
    for (const std::string &target : flags.targets)
      if (const ChipInfo *chip = lookupChip(target);
          chip && chip->backend != Backend::NVPTX)
        return Error{ErrorKind::BadInput,
                     "--emit=ptx expects NVIDIA chips, but got " + target};
  if (flags.emit == "mlir")
    return mlir::conv::compileToStage(source, options,
                                      *mlir::conv::parseStage(flags.stopAfter));
  return mlir::conv::compileToText(source, options,
                                   flags.emit == "llvm" ? CodeForm::LLVM
                                                        : CodeForm::Assembly);
}

static Result<void> compileText(const CompileFlags &flags,
                                const SourceFile &source,
                                const CompileOptions &options) {
  Result<std::string> text = compileToString(flags, source, options);
  if (!text)
    return text.error();
  return writeOutput(flags.output, *text);
}

static Result<void> run(const CompileFlags &flags) {
  Result<SourceFile> source = readSource(flags.input);
  if (!source)
    return source.error();
  CompileOptions options;
  options.targets = flags.targets;
  options.algorithm = flags.algorithm;
  options.maxError = flags.maxError;
  options.maxWorkspaceBytes = flags.maxWorkspaceBytes;
  options.schedule = flags.schedule;
  options.database = flags.database;
  options.usesStaleSchedules = flags.usesStaleSchedules;
  options.computeUnits = flags.computeUnits;
  options.externalizeConstants = flags.externalizeConstants;
  options.prepacksFilters = flags.prepacksFilters;
  options.outline = !flags.outline.empty();
  using mlir::conv::ExplanationForm;
  options.explain = flags.explain.empty()     ? ExplanationForm::None
                    : flags.explain == "json" ? ExplanationForm::Json
                                              : ExplanationForm::Text;
  options.threads = flags.threads ? flags.threads : countProcessors();
  return flags.emit == "pack" ? compileArtifact(flags, *source, options)
                              : compileText(flags, *source, options);
}

static int parseAndRun(int argc, char **argv) {
  std::string version = mlir::conv::getVersionLine();
  CompileFlags flags;
  if (std::optional<int> code = parseCompileFlags(argc, argv, version, flags))
    return *code;
  Result<void> result = run(flags);
  return result ? 0 : printError("conv-compile", result.error());
}

int main(int argc, char **argv) {
  mlir::conv::endWhereMemoryEnds();
  mlir::conv::tryTextInChild();
  return finish("conv-compile", parseAndRun(argc, argv));
}
