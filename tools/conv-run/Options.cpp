//===- Options.cpp - flags of conv-run --------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the flags and parses structured flags: NAME=FILE pairs and wave
// orders.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "ChooseSizes.h"
#include "CommandLine.h"
#include "ErrorLine.h"
#include "OutputFiles.h"

#include <charconv>
#include <vector>

using namespace conv;
using namespace conv::tools;

static const char *const kDescription =
    "Runs one function of an artifact (.convpack), or of an MLIR file that is "
    "compiled for the device first. Inputs that are not given are random.";

static const char *const kFooter = R"(Examples:
  conv-run conv.mlir --verify
  conv-run conv.convpack --device sim --target gfx942 --verify --counters
  conv-run conv.convpack --input input=x.npy --output output=y.npy
  conv-run conv.convpack --device hip --bench --json
  conv-run tokens.mlir --size B=2 --size T=100 --verify

bf16 is stored in .npy files as uint16, 8-bit floats as uint8.
Exit codes: 0 fine, 1 wrong result, 2 bad input or usage, 3 not supported,
4 device or system error.)";

/// Structured flags in their form on the command line.
namespace {
struct RawFlags {
  std::vector<std::string> inputs, outputs, sizes;
  std::string checks = "on", order = "in-order";
};
} // namespace

static void addDataFlags(CLI::App &app, RunFlags &flags, RawFlags &raw) {
  app.add_option("--input", raw.inputs,
                 "NAME=FILE.npy: data of an argument; may be given for each")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option(
         "--output", raw.outputs,
         "NAME=FILE.npy: where to write a result; may be given for each")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option("--size", raw.sizes,
                 "NAME=NUMBER: a size that the function leaves open; those of "
                 "inputs that are given need not be")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option("--seed", flags.seed, "Of random inputs (default: 0)")
      ->check(isUnsigned());
  app.add_flag("--integers", flags.integers,
               "Random inputs are integers from -3 to 3, for which results "
               "match the reference bit by bit where arithmetic is exact");
}

static void addFlags(CLI::App &app, RunFlags &flags, RawFlags &raw) {
  app.add_option("FILE", flags.input,
                 "Artifact (.convpack) or MLIR file; - is standard input")
      ->required();
  app.add_option("-f,--function", flags.function,
                 "Which function (default: the only one)");
  app.add_option("-d,--device", flags.device,
                 "sim, host, hip or cuda (default: what --target needs, else "
                 "host, else what the artifact has)")
      ->check(isOneOf({"sim", "host", "hip", "cuda"}));
  app.add_option("-t,--target", flags.target,
                 "Which chip to simulate, or which target of the artifact to "
                 "run: gfx942, sim:gfx942, host");
  addDataFlags(app, flags, raw);
  app.add_flag("--verify", flags.verify,
               "Compare with a float64 reference under the numeric rule of "
               "docs/numerics.md");
  app.add_flag("--bench", flags.bench,
               "Run repeatedly and print the median time");
  app.add_flag("--counters", flags.counters,
               "Print what the simulator counted: memory traffic, bank "
               "conflicts, matrix instructions");
  app.add_flag("--clock", flags.clock,
               "Print how long the simulated chip's own code takes by the "
               "model of docs/amd-kernels.md; an artifact needs an entry for "
               "the chip, such as gfx942 beside sim:gfx942");
  app.add_flag("--json", flags.json, "Print one JSON object instead of text");
  app.add_option("--sim-checks", raw.checks,
                 "on (default) or off: out of bounds, uninitialised shared "
                 "memory, races, misalignment, buffer offsets that wrap")
      ->check(isOneOf({"on", "off"}));
  app.add_option("--sim-order", raw.order,
                 "How waves take turns: in-order (default), random or "
                 "random:SEED");
}

/// Splits NAME=FILE.
static std::optional<Error>
addPairs(const std::vector<std::string> &pairs, const char *flag,
         std::map<std::string, std::string> &files) {
  for (const std::string &pair : pairs) {
    size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == pair.size())
      return Error{ErrorKind::BadInput, std::string(flag) +
                                            " expects NAME=FILE.npy, but got " +
                                            pair};
    std::string file = pair.substr(equals + 1);
    if (std::string wrong = isFileName()(file); !wrong.empty())
      return Error{ErrorKind::BadInput, std::string(flag) + " " + wrong};
    if (!files.emplace(pair.substr(0, equals), file).second)
      return Error{ErrorKind::BadInput,
                   std::string(flag) + " expects each name once, but got " +
                       pair.substr(0, equals) + " again"};
  }
  return std::nullopt;
}

/// Inputs may be one file; outputs may replace no file that is read or written.
static Result<void> checkFiles(const RunFlags &flags) {
  std::vector<NamedFile> inputs = {{"FILE", flags.input}}, outputs;
  for (const auto &[name, file] : flags.inputs)
    inputs.push_back({"--input " + name, file});
  for (const auto &[name, file] : flags.outputs)
    outputs.push_back({"--output " + name, file});
  return checkOutputs(inputs, outputs);
}

static std::optional<Error> setWaveOrder(const std::string &text,
                                         runtime::SimOptions &sim) {
  if (text == "in-order")
    return std::nullopt;
  const std::string prefix = "random:";
  bool hasSeed = text.starts_with(prefix);
  const char *begin = text.data() + prefix.size();
  const char *end = text.data() + text.size();
  std::from_chars_result seed{end, std::errc()};
  if (hasSeed)
    seed = std::from_chars(begin, end, sim.seed);
  if ((text != "random" && !hasSeed) || (hasSeed && begin == end) ||
      seed.ptr != end || seed.ec != std::errc())
    return Error{
        ErrorKind::BadInput,
        "--sim-order expects in-order, random or random:SEED, but got " + text};
  sim.waveOrder = runtime::WaveOrder::Random;
  return std::nullopt;
}

std::optional<int> tools::parseRunFlags(int argc, char **argv,
                                        const std::string &version,
                                        RunFlags &flags) {
  CLI::App app(kDescription, "conv-run");
  RawFlags raw;
  setUp(app, version);
  app.footer(kFooter);
  addFlags(app, flags, raw);
  if (std::optional<int> code = parse(app, argc, argv))
    return code;
  flags.sim.checks = raw.checks == "on";
  flags.sim.counters = flags.counters;
  std::optional<Error> error = addPairs(raw.inputs, "--input", flags.inputs);
  if (!error)
    error = addPairs(raw.outputs, "--output", flags.outputs);
  if (Result<void> checked = checkFiles(flags); !error && !checked)
    error = checked.error();
  if (!error)
    error = setWaveOrder(raw.order, flags.sim);
  Result<std::map<std::string, int64_t>> sizes = parseSizes(raw.sizes);
  if (sizes)
    flags.sizes = *sizes;
  else if (!error)
    error = sizes.error();
  if (error)
    return printError(app.get_name(), *error);
  return std::nullopt;
}
