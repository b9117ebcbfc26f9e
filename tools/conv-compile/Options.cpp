//===- Options.cpp - flags of conv-compile ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the flags and refuses combinations that contradict each other.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"
#include "ErrorLine.h"
#include "OutputFiles.h"

#include "conv/Pipeline/Compile.h"
#include "conv/Support/Split.h"

using namespace conv;
using namespace conv::tools;

static const char *const kDescription =
    "Compiles the convolutions of an MLIR file for one or more targets into an "
    "artifact (.convpack) that conv-run and the runtime library execute.";

static const char *const kFooter = R"(Examples:
  conv-gen convfp16 -F 1 --layout nhwc -n 1 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -o conv.mlir
  conv-compile conv.mlir --target=gfx942,sim:gfx942,host -o conv.convpack
  conv-compile conv.mlir --target=gfx942 --explain
  conv-compile conv.mlir --target=gfx942 --report --timeline=loop.svg
  conv-compile conv.mlir --target=gfx942 --stop-after=gpu
  conv-compile conv.mlir --target=gfx1201 --emit=asm -o conv.s

Exit codes: 0 fine, 2 bad input or usage, 3 not supported, 4 system error.)";

/// What is compiled, for which targets, and what is written.
static void addFileFlags(CLI::App &app, CompileFlags &flags) {
  app.add_option("IN.mlir", flags.input,
                 "MLIR text or bytecode; - is standard input")
      ->required();
  app.add_option_function<std::string>(
         "-t,--target",
         [&](const std::string &list) { flags.targets = splitAtCommas(list); },
         "Chips, by commas: " + mlir::conv::getChipNames() +
             "; sim:gfx942 is gfx942 on the CPU")
      ->required();
  app.add_option("-o,--output", flags.output,
                 "Where to write; - is standard output (default for text)");
  app.add_option(
         "--emit", flags.emit,
         "pack: the artifact (default); asm: assembly; ptx: the same, of "
         "NVIDIA chips; llvm: LLVM IR; mlir: the module after --stop-after; "
         "schedules: all of "
         "each convolution, those of the best algorithm first, a JSON object "
         "in each line with the seconds that the cost model predicts")
      ->check(isOneOf({"pack", "asm", "ptx", "llvm", "mlir", "schedules"}));
  app.add_option("--stop-after", flags.stopAfter,
                 "Print the module after this stage: conv, linalg, tiled, gpu, "
                 "llvm or binary")
      ->check(isOneOf({"conv", "linalg", "tiled", "gpu", "llvm", "binary"}));
}

/// Which schedules are considered.
static void addScheduleFlags(CLI::App &app, CompileFlags &flags) {
  app.add_option("--algorithm", flags.algorithm,
                 "Consider only this algorithm: implicit_gemm, direct or "
                 "winograd (default: the first two, and the third within "
                 "--max-error)");
  app.add_option("--max-error", flags.maxError,
                 "Consider Winograd's algorithm where the bound on its error, "
                 "for operands of one magnitude, is at most this many times "
                 "that of a sum of products (default: only if --algorithm asks "
                 "for it; docs/numerics.md)")
      ->check(isPositive());
  app.add_option("--max-workspace", flags.maxWorkspaceBytes,
                 "The most bytes of workspace that the schedule of a "
                 "convolution may take (default: any number)")
      ->check(isAtLeast(0));
  app.add_option("--schedule", flags.schedule,
                 "#conv.schedule<...> for every convolution, instead of the "
                 "chosen one (--explain prints those)");
  app.add_option("--database", flags.database,
                 "A tuning database, which conv-tune writes: its schedules are "
                 "taken before those of the cost model (default: the one that "
                 "ships for the target; none: none)");
  app.add_option(
         "--compute-units", flags.computeUnits,
         "Of the device: what the database has of a device with as many "
         "comes first, and schedules of the host are ranked for so many "
         "threads (default: those of the chip; host: 8)")
      ->check(isAtLeast(1));
  app.add_flag("--stale-schedules", flags.usesStaleSchedules,
               "Take schedules of the database that were measured with another "
               "compiler, whose code differs, where there are no others");
}

/// Which functions the artifact has, and their arguments.
static void addFunctionFlags(CLI::App &app, CompileFlags &flags) {
  app.add_option("--outline", flags.outline,
                 "Make each convolution of a larger program, with what fuses "
                 "into it, a function of its own, and write the rest of the "
                 "program, which calls them, to this file")
      ->type_name("REST.mlir");
  app.add_flag("--externalize-constants", flags.externalizeConstants,
               "Make constants that convolutions read arguments, after the "
               "others (default: the artifact stores them)");
  app.add_flag("--prepack-filter", flags.prepacksFilters,
               "Make filters arguments in the form in which the plan reads "
               "them, and NAME.prepack a function that brings the filters of "
               "NAME into that form; refused where no step of the plan reads "
               "only the filter");
}

/// What is printed about kernels, and how long compiling takes.
static void addReportFlags(CLI::App &app, CompileFlags &flags,
                           std::vector<std::string> &sizes) {
  app.add_flag("--explain{text}", flags.explain,
               "Print what was chosen, what was rejected and why, and the "
               "predicted limits; without -o nothing is written. "
               "--explain=json: an object in a line for each kernel, and for "
               "each function whose kernels may overlap one of their launches, "
               "or one with the reason why it is refused");
  app.add_flag("--report{text}", flags.report,
               "Print how long the kernels for AMD chips take by the model of "
               "docs/amd-kernels.md, and what bounds them; without -o nothing "
               "is written. --report=json: one object");
  app.add_option("--timeline", flags.clock.timeline,
                 "Draw one iteration of the main loop of the kernel that takes "
                 "longest, of one function for one AMD chip")
      ->type_name("FILE.svg");
  app.add_option("--size", sizes,
                 "NAME=NUMBER: a size that functions leave open, for --report "
                 "and --timeline")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("--timing", flags.timing,
               "Print the milliseconds of each stage on standard error");
  app.add_option("-j,--threads", flags.threads,
                 "Threads (default: one per processor)")
      ->check(isWithin(1, 1024));
}

static void addFlags(CLI::App &app, CompileFlags &flags,
                     std::vector<std::string> &sizes) {
  addFileFlags(app, flags);
  addScheduleFlags(app, flags);
  addFunctionFlags(app, flags);
  addReportFlags(app, flags, sizes);
}

/// Whether kernels are clocked.
static bool isClocked(const CompileFlags &flags) {
  return !flags.report.empty() || !flags.clock.timeline.empty();
}

static std::optional<Error> checkCombination(CompileFlags &flags) {
  auto error = [](const std::string &message) {
    return Error{ErrorKind::BadInput, message};
  };
  if (!flags.stopAfter.empty()) {
    if (!flags.emit.empty() && flags.emit != "mlir")
      return error("expects --stop-after alone or with --emit=mlir");
    flags.emit = "mlir";
  } else if (flags.emit == "mlir") {
    flags.stopAfter = "llvm";
  } else if (flags.emit.empty()) {
    flags.emit = "pack";
  }
  bool isText = flags.emit != "pack";
  if (isText && !flags.outline.empty())
    return error("expects --outline without --emit and --stop-after");
  if (flags.prepacksFilters && !flags.outline.empty())
    return error("expects --prepack-filter without --outline, whose callers "
                 "pass filters as they are");
  if (!flags.explain.empty() && flags.explain != "text" &&
      flags.explain != "json")
    return error("expects --explain or --explain=json, but got --explain=" +
                 flags.explain);
  if (isText && !flags.explain.empty())
    return error("expects --explain without --emit and --stop-after");
  if (!flags.report.empty() && flags.report != "text" && flags.report != "json")
    return error("expects --report or --report=json, but got --report=" +
                 flags.report);
  if (isText && isClocked(flags))
    return error("expects --report and --timeline without --emit and "
                 "--stop-after");
  flags.clock.json = flags.report == "json";
  if (!isText && flags.explain.empty() && !isClocked(flags) &&
      flags.output.empty())
    return error("expects -o OUT.convpack");
  if (!isText && flags.output == "-")
    return error("expects a file for the artifact, but got - (standard output "
                 "is for text)");
  if (isText && flags.output.empty())
    flags.output = "-";
  Result<void> checked =
      checkOutputs({{"the input", flags.input}, {"--database", flags.database}},
                   {{"--output", flags.output},
                    {"--outline", flags.outline},
                    {"--timeline", flags.clock.timeline}});
  return checked ? std::nullopt : std::optional(checked.error());
}

std::optional<int> tools::parseCompileFlags(int argc, char **argv,
                                            const std::string &version,
                                            CompileFlags &flags) {
  CLI::App app(kDescription, "conv-compile");
  setUp(app, version);
  app.footer(kFooter);
  std::vector<std::string> sizes;
  addFlags(app, flags, sizes);
  if (std::optional<int> code = parse(app, argc, argv))
    return code;
  if (std::optional<Error> error = checkCombination(flags))
    return printError(app.get_name(), *error);
  Result<std::map<std::string, int64_t>> parsed = parseSizes(sizes);
  if (!parsed)
    return printError(app.get_name(), parsed.error());
  if (!parsed->empty() && !isClocked(flags))
    return printError(
        app.get_name(),
        {ErrorKind::BadInput, "expects --size with --report or --timeline"});
  flags.clock.sizes.sizes = std::move(*parsed);
  return std::nullopt;
}
