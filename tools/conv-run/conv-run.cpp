//===- conv-run.cpp - runs and verifies artifacts ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads inputs, runs once, writes results; then the requested verification,
// benchmark or counters.
//
//===----------------------------------------------------------------------===//

#include "ChooseSizes.h"
#include "ClockReport.h"
#include "ErrorLine.h"
#include "Output.h"
#include "PackedArguments.h"
#include "PackedSequences.h"
#include "Progress.h"
#include "Report.h"
#include "Source.h"

#include "conv/Pipeline/Compile.h"
#include "conv/Support/Npy.h"

#include <algorithm>
#include <chrono>
#include <new>

using namespace conv;
using namespace conv::tools;

/// Refuses the simulator's flags for another device.
static Result<void> checkSimulated(const RunFlags &flags,
                                   const Source &source) {
  bool isInOrder = flags.sim.waveOrder == runtime::WaveOrder::InOrder;
  for (auto [isGiven, flag] : {std::pair(flags.counters, "--counters"),
                               {flags.clock, "--clock"},
                               {!flags.sim.checks, "--sim-checks"},
                               {!isInOrder, "--sim-order"}})
    if (isGiven && !source.simulator)
      return badInput(std::string(flag) +
                      " expects a simulated device, but got " +
                      source.device->name());
  return {};
}

/// Checks that each --input and --output names an argument of its kind.
static Result<void> checkNames(const artifact::Entry &entry,
                               const std::map<std::string, std::string> &files,
                               bool areInputs) {
  for (const auto &[name, file] : files) {
    std::string known;
    bool found = false;
    for (const artifact::Argument &argument : entry.arguments)
      if (areInputs ? argument.isRead() : argument.isWritten()) {
        known += (known.empty() ? "" : ", ") + argument.name;
        found |= argument.name == name;
      }
    if (!found)
      return badInput((areInputs ? "--input" : "--output") +
                      (" expects a name of " + known) + ", but got " + name);
  }
  return {};
}

/// The arrays of --input by the name of their argument.
using InputArrays = std::map<std::string, NpyArray>;

/// Reads each file once: it may be a pipe.
static Result<InputArrays> readInputs(const RunFlags &flags) {
  InputArrays arrays;
  for (const auto &[name, file] : flags.inputs) {
    Result<NpyArray> array = readNpy(file);
    if (!array)
      return array.error();
    arrays.emplace(name, std::move(*array));
  }
  return arrays;
}

/// The bytes of an array that fits the argument.
static Result<std::string> takeInput(const artifact::Argument &argument,
                                     const std::string &file, NpyArray array) {
  ElementType type = npyStorage(*lookupElementType(argument.dtype));
  if (array.type != type || array.shape != argument.shape) {
    auto describe = [](ElementType type, const std::vector<int64_t> &shape) {
      std::string text(elementTypeName(type));
      for (size_t i = 0; i < shape.size(); ++i)
        text += (i ? " x " : " ") + std::to_string(shape[i]);
      return text;
    };
    return badInput(file + ": expects " + describe(type, argument.shape) +
                    " for " + argument.name + ", but got " +
                    describe(array.type, array.shape));
  }
  return std::move(array.bytes);
}

/// The run-time sizes on the command line, and the shapes of given inputs.
static GivenSizes getSizes(const RunFlags &flags, const InputArrays &arrays) {
  GivenSizes given{flags.sizes, {}};
  for (const auto &[name, array] : arrays)
    given.shapes[name] = array.shape;
  return given;
}

static std::string describeOrigin(const artifact::Argument &argument,
                                  const RunFlags &flags) {
  const char *what = argument.role == "cu_seqlens"  ? "lengths"
                     : argument.role == "indices"   ? "places"
                     : argument.role == "positions" ? "positions"
                     : flags.integers               ? "integers"
                                                    : "normal";
  return std::string("random ") + what + ", seed " + std::to_string(flags.seed);
}

/// The data of every argument that the function reads.
static Result<ArgumentBytes> prepareInputs(const artifact::Entry &entry,
                                           const RunFlags &flags,
                                           InputArrays arrays, Report &report) {
  RandomKind kind = flags.integers ? RandomKind::Integers : RandomKind::Normal;
  ArgumentBytes bytes(entry.arguments.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const artifact::Argument &argument = entry.arguments[i];
    if (!argument.isRead())
      continue;
    auto file = flags.inputs.find(argument.name);
    if (file == flags.inputs.end()) {
      Result<std::string> data = randomInput(entry, i, kind, flags.seed);
      if (!data)
        return data.error();
      bytes[i] = std::move(*data);
      report.origins[argument.name] = describeOrigin(argument, flags);
      continue;
    }
    Result<std::string> data =
        takeInput(argument, file->second, std::move(arrays.at(argument.name)));
    if (!data)
      return data.error();
    if (Result<void> valid = checkInput(entry, i, *data); !valid)
      return Error{valid.error().kind,
                   file->second + ": " + valid.error().message};
    bytes[i] = std::move(*data);
    report.origins[argument.name] = file->second;
  }
  return bytes;
}

static Result<void> writeOutputs(const artifact::Entry &entry,
                                 const RunFlags &flags,
                                 const ArgumentBytes &bytes, Report &report) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const artifact::Argument &argument = entry.arguments[i];
    auto file = flags.outputs.find(argument.name);
    if (!argument.isWritten() || file == flags.outputs.end())
      continue;
    Result<void> written =
        writeNpy(file->second, {*lookupElementType(argument.dtype),
                                argument.shape, bytes[i]});
    if (!written)
      return written;
    report.outputs[argument.name] = file->second;
  }
  return {};
}

/// Fills in comparisons; an error if a result is wrong. `before` has the former
/// contents of arguments that are updated in place.
static Result<void> verify(const artifact::Artifact &artifact,
                           const artifact::Entry &entry, ArgumentBytes &bytes,
                           ArgumentBytes &before, Report &report) {
  Result<reference::Program> program = reference::parseProgram(entry);
  if (!program)
    return program.error();
  // Doubles for value, error and bound of every element.
  if (Result<void> fits = checkMemoryOfElements(entry, 32); !fits)
    return fits;
  Progress progress("verifying " + entry.function);
  auto exchange = [&] {
    for (size_t i = 0; i < bytes.size(); ++i)
      if (!before[i].empty())
        std::swap(bytes[i], before[i]);
  };
  exchange();
  std::vector<reference::Expected> expected = reference::evaluate(
      *program, entry, bytes, reference::findConstants(artifact, entry),
      [&](double part) { progress.update(part); });
  exchange();
  std::string wrong;
  for (size_t i = 0; i < expected.size(); ++i) {
    size_t index = program->outputs[i].argument;
    const artifact::Argument &argument = entry.arguments[index];
    reference::Comparison comparison =
        reference::compare(expected[i], bytes[index]);
    report.comparisons.emplace_back(argument.name, comparison);
    if (comparison.wrong && wrong.empty())
      wrong = reference::describeFirstWrong(comparison, argument);
  }
  if (!wrong.empty())
    return Error{ErrorKind::WrongResult,
                 entry.function + " on " + entry.target + ": " + wrong};
  return {};
}

/// Runs for at least 0.3 s and five times; the earlier run was the warm-up.
static Result<void> bench(Session &session, Report &report) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTime(300);
  constexpr size_t kRuns = 5;
  std::vector<double> times;
  Progress progress("measuring");
  for (auto start = Clock::now();
       times.size() < kRuns || Clock::now() - start < kTime;) {
    Result<double> time = session.run();
    if (!time)
      return time.error();
    times.push_back(*time);
    progress.update(double(times.size()) / kRuns);
  }
  std::sort(times.begin(), times.end());
  report.bench = {int64_t(times.size()), times[times.size() / 2], times[0]};
  return {};
}

/// Clocks the code for the simulated chip of the same function.
static Result<void> clockChip(const Source &source, const std::string &function,
                              const GivenSizes &sizes, const std::string &name,
                              Report &report) {
  ClockRequest request;
  request.functions = {function};
  request.targets = {getChip(*source.simulator)};
  request.sizes = sizes;
  auto clocks = clockEntries(source.artifact, name, request);
  if (!clocks)
    return clocks.error();
  report.clocks = std::move(*clocks);
  return {};
}

namespace {
/// A function that is loaded on a device. The session's buffers end before the
/// source's device.
struct LoadedFunction {
  Source source;
  Session session;
  GivenSizes sizes;
  InputArrays arrays;
};
} // namespace

/// Loads the function that the flags name, and reports what it is.
static Result<LoadedFunction> loadFunction(const RunFlags &flags,
                                           Report &report) {
  Result<Source> source = openSource(flags);
  if (!source)
    return source.error();
  if (Result<void> fits = checkSimulated(flags, *source); !fits)
    return fits.error();
  Result<InputArrays> arrays = readInputs(flags);
  if (!arrays)
    return arrays.error();
  GivenSizes sizes = getSizes(flags, *arrays);
  Result<Session> session =
      Session::create(*source->device, source->artifact, flags.function, sizes);
  if (!session)
    return session.error();
  Result<artifact::Entry> plain =
      describePlain(source->artifact, session->entry());
  if (!plain)
    return plain.error();
  report.entry = std::move(*plain);
  report.device = source->device->name();
  Result<void> known =
      checkNames(report.entry, flags.inputs, /*areInputs=*/true);
  if (known)
    known = checkNames(report.entry, flags.outputs, /*areInputs=*/false);
  if (!known)
    return known.error();
  return LoadedFunction{std::move(*source), std::move(*session),
                        std::move(sizes), std::move(*arrays)};
}

/// Runs the function once, on `bytes`, which then have the results.
static Result<void> execute(const RunFlags &flags, LoadedFunction &function,
                            ArgumentBytes &bytes, Report &report) {
  auto &[source, session, sizes, arrays] = function;
  ArgumentBytes packed = bytes;
  Result<void> done =
      packArguments(*source.device, source.artifact, session.entry(), packed);
  if (done)
    done = session.upload(packed);
  if (!done)
    return done;
  Result<double> time = session.run();
  if (!time)
    return time.error();
  report.milliseconds = *time;
  if (source.simulator && flags.counters)
    report.counters = source.simulator->counters();
  return session.download(bytes);
}

static Result<void> run(const RunFlags &flags, Report &report) {
  Result<LoadedFunction> function = loadFunction(flags, report);
  if (!function)
    return function.error();
  const artifact::Entry &entry = report.entry;
  Result<ArgumentBytes> bytes =
      prepareInputs(entry, flags, std::move(function->arrays), report);
  if (!bytes)
    return bytes.error();
  ArgumentBytes before; // Arguments updated in place change.
  for (size_t i = 0; i < bytes->size(); ++i)
    before.push_back(entry.arguments[i].isRead() &&
                             entry.arguments[i].isWritten()
                         ? (*bytes)[i]
                         : "");
  Result<void> done = execute(flags, *function, *bytes, report);
  if (done)
    done = writeOutputs(entry, flags, *bytes, report);
  if (done && flags.bench)
    done = bench(function->session, report);
  if (done && flags.clock)
    done = clockChip(function->source, entry.function, function->sizes,
                     flags.input, report);
  if (done && flags.verify)
    done = verify(function->source.artifact, entry, *bytes, before, report);
  return done;
}

static int runAndPrint(const RunFlags &flags) {
  Report report;
  Result<void> done = run(flags, report);
  bool hasReport = done || done.error().kind == ErrorKind::WrongResult;
  if (hasReport) {
    if (Result<reference::Program> program =
            reference::parseProgram(report.entry))
      report.flops = reference::computeFlops(*program);
    (flags.json ? printJson : printText)(report);
  }
  return done ? 0 : printError("conv-run", done.error());
}

static int parseAndRun(int argc, char **argv) {
  RunFlags flags;
  std::string version = mlir::conv::getVersionLine();
  if (std::optional<int> code = parseRunFlags(argc, argv, version, flags))
    return *code;
  try {
    return runAndPrint(flags);
  } catch (const std::bad_alloc &) {
    return printError("conv-run", {ErrorKind::System, "out of memory"});
  }
}

int main(int argc, char **argv) {
  mlir::conv::tryTextInChild();
  return finish("conv-run", parseAndRun(argc, argv));
}
