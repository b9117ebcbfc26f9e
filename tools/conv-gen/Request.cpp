//===- Request.cpp - the command line of conv-gen ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything from the name of another tool on is that tool's line, so its -o
// (MIOpenDriver dumps buffers) differs from conv-gen's. Options before the
// name, or beside --lines, are the defaults of each line.
//
//===----------------------------------------------------------------------===//

#include "Request.h"

#include "CommandLine.h"
#include "DynamicFlags.h"
#include "ErrorLine.h"
#include "GeneratorLine.h"
#include "OutputFiles.h"
#include "ProblemFlags.h"

#include "conv/Support/File.h"

#include <algorithm>
#include <sstream>

using namespace conv;
using namespace conv::tools;

static const char *const kDescription =
    "Writes the MLIR of convolutions that are described by lines of "
    "MIOpenDriver or of rocMLIR's generator, as those tools read them.";

static const char *const kFooter = R"(Examples:
  conv-gen convfp16 -F 1 -n 1 -c 64 -H 56 -W 56 -k 64 -p 1 -q 1 --layout nhwc
           --bias --activation relu -o conv.mlir
  conv-gen ./bin/MIOpenDriver conv -n 64 -c 3 -H 224 -W 224 -k 64 -y 7 -x 7 -u 2 -v 2
  conv-gen rocmlir-gen --operation conv -t f16 --in_layout nhwgc ... -batchsize 1 ...
  conv-gen --lines layers.txt -o layers.mlir
  conv-gen convfp16 -F 1 --layout nhwc --lines layers.txt -o folder/
  conv-gen dynamic_forward bf16 -b 8 -t 2048 -d 4096 -w 4 --order BTWG -o mix.mlir

A dynamic convolution and an op on states have a line like that of a manifest, and flags
of their own:
conv-gen dynamic_forward --help, conv-gen causal_update --help. Of a convolution, a line
without layouts is NCHW, and one without -F is of all three directions, one function for
each. With --lines, the other arguments are where each line starts from.

A function has the arguments input and filter; that of the data gradient grad_output
and filter, that of the weight gradient input and grad_output; and with their flags bias
(one element per channel of the result; f32 for 8-bit types) and residual (like the
result). It returns output, grad_input or grad_filter:
  activation(scale * conv(...) + bias + residual)
computed in f32 and rounded once.

Exit codes: 0 fine, 2 bad input or usage, 3 not supported, 4 system error.)";

/// The most bytes of a list, far above any real list.
constexpr int64_t kMaxListBytes = int64_t(1) << 28;

static bool isDriver(const std::string &word) {
  std::string name = baseName(word);
  return name == "MIOpenDriver" || name == "MIOpenDriver.exe";
}

static bool isGenerator(const std::string &word) {
  return baseName(word) == "rocmlir-gen";
}

static bool isProgram(const std::string &word) {
  return isDriver(word) || isGenerator(word);
}

/// MIOpenDriver's -o dumps buffers; a file name after it is a mistake.
static std::optional<Error> renameDump(Words &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "-o")
      continue;
    words[i] = "--dump_output";
    if (i + 1 < words.size() && words[i + 1] != "0" && words[i + 1] != "1")
      return Error{ErrorKind::BadInput,
                   "-o expects 0 or 1 in a line of MIOpenDriver, but got '" +
                       words[i + 1] + "'; conv-gen's own -o goes before it"};
  }
  return std::nullopt;
}

/// Adds the flags of a line that starts with this word.
static void addFlags(CLI::App &app, const std::string &,
                     DynamicGenOptions &options) {
  addDynamicFlags(app, options);
}
static void addFlags(CLI::App &app, const std::string &word,
                     StateGenOptions &options) {
  addStateFlags(app, word, options);
}

/// Parses the words of a dynamic convolution or an op on states, which have no
/// defaults.
template <typename Options>
static Result<std::vector<GenProblem>> parseDynamicLine(Words words) {
  Options options;
  CLI::App app("", "conv-gen");
  app.set_help_flag();
  addFlags(app, words.front(), options);
  std::reverse(words.begin(), words.end()); // In CLI11's order.
  try {
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    return Error{ErrorKind::BadInput, describe(app, error)};
  }
  return std::vector<GenProblem>{options};
}

/// The problems of a line, one for each direction.
static Result<std::vector<GenProblem>>
toProblems(Result<std::vector<GenOptions>> options) {
  if (!options)
    return options.error();
  return std::vector<GenProblem>(options->begin(), options->end());
}

/// Parses the words of one line, on top of the values given for all lines.
static Result<std::vector<GenProblem>>
parseLine(const ProblemFlags &common, const Words &words, Notes &notes) {
  if (isState(words.front()))
    return parseDynamicLine<StateGenOptions>(words);
  if (isDynamic(words.front()))
    return parseDynamicLine<DynamicGenOptions>(words);
  auto program = std::find_if(words.begin(), words.end(), isProgram);
  Words arguments(program == words.end() ? words.begin() : program + 1,
                  words.end());
  if (program != words.end() && isGenerator(*program)) {
    Result<Words> translated = translateGeneratorLine(arguments, notes);
    if (!translated)
      return translated.error();
    arguments = *translated;
  }
  ProblemFlags flags = common;
  CLI::App app("", "conv-gen");
  app.set_help_flag();
  flags.addTo(app);
  arguments = normalise(app, arguments);
  if (std::optional<Error> error = renameDump(arguments))
    return *error;
  std::reverse(arguments.begin(), arguments.end()); // In CLI11's order.
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError &error) {
    return Error{ErrorKind::BadInput, describe(app, error)};
  }
  if (flags.command().empty() && program != words.end())
    return Error{ErrorKind::BadInput, "COMMAND is required"};
  if (flags.command().empty()) {
    notes.add("no command, taken as conv (f32)");
    flags.command() = "conv";
  }
  return toProblems(flags.finish(app, notes));
}

static RequestLine makeLine(const ProblemFlags &common, const Words &words,
                            const std::string &place) {
  RequestLine line;
  line.place = place;
  Result<std::vector<GenProblem>> problems =
      parseLine(common, words, line.notes);
  if (problems)
    line.problems = *problems;
  else
    line.error = problems.error();
  return line;
}

static Result<std::string> readList(const std::string &path) {
  return readFile(path == "-" ? "/dev/stdin" : path, kMaxListBytes);
}

/// The lines of a list that are neither empty nor comments.
static Result<void> readLines(const std::string &path,
                              const ProblemFlags &common, Request &request) {
  if (Result<void> checked =
          checkOutputs({{"--lines", path}}, {{"--output", request.output}});
      !checked)
    return checked;
  Result<std::string> text = readList(path);
  if (!text)
    return text.error();
  std::istringstream stream(*text);
  std::string line, name = path == "-" ? "<stdin>" : path;
  for (int64_t number = 1; std::getline(stream, line); ++number) {
    std::string place = name + ":" + std::to_string(number);
    Result<Words> words = splitWords(line);
    if (!words)
      request.lines.push_back({place, {}, words.error(), {}});
    else if (!words->empty())
      request.lines.push_back(makeLine(common, *words, place));
  }
  if (request.lines.empty())
    return Error{ErrorKind::BadInput, "expects lines in " + name};
  return {};
}

static bool isIdentifier(const std::string &name) {
  return !name.empty() && name.size() <= 200 &&
         !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return std::isalnum(letter) || letter == '_';
         });
}

/// Checks a given name; a function without one gets a derived name.
static std::optional<Error> checkName(const std::string &name) {
  if (name.empty() || isIdentifier(name))
    return std::nullopt;
  return Error{ErrorKind::BadInput,
               "--name expects letters, digits and _, but got '" + name + "'"};
}

/// Whether the arguments are consistent.
static std::optional<Error> check(const std::string &list, bool hasProgram,
                                  ProblemFlags &flags) {
  auto error = [](const std::string &message) {
    return Error{ErrorKind::BadInput, message};
  };
  if (!list.empty() && hasProgram)
    return error("expects --lines or the line of another tool, but got both");
  if (!list.empty() && !flags.name().empty())
    return error("expects --name without --lines");
  if (list.empty() && !hasProgram && flags.command().empty())
    return error("COMMAND is required");
  return checkName(flags.name());
}

static void addOwn(CLI::App &app, Request &request, std::string &list,
                   std::string &name) {
  app.add_option("--lines", list,
                 "Take problems from the lines of this file, - for standard "
                 "input, instead of one from the arguments");
  app.add_flag("--skip-refused", request.skipRefused,
               "Leave out the lines of --lines that are refused");
  app.add_option("--name", name,
                 "Name of the function (default: made from the problem)");
  app.add_option(
         "-o,--output", request.output,
         "Where to write: a file with all functions, a folder (one that "
         "exists, or a name that ends in /) with a file for each, or - "
         "for standard output")
      ->capture_default_str();
}

/// Handles the command line of one dynamic convolution or op on states.
template <typename Options>
static std::optional<int> parseDynamicRequest(const Words &words,
                                              const std::string &what,
                                              Request &request) {
  CLI::App app("Writes the MLIR of " + what + ".", "conv-gen");
  setUp(app, "conv " CONV_VERSION);
  Options options;
  std::string list;
  addFlags(app, words.front(), options);
  addOwn(app, request, list, options.name);
  if (std::optional<int> code = parse(app, words))
    return code;
  if (!list.empty())
    return printError(
        "conv-gen",
        {ErrorKind::BadInput, "expects --lines or " + what + ", but got both"});
  if (std::optional<Error> error = checkName(options.name))
    return printError("conv-gen", *error);
  request.lines.push_back({"", {options}, {}, {}});
  return std::nullopt;
}

/// Moves the command of a dynamic convolution or an op on states to the front,
/// where options may be. Returns whether there is one.
static bool moveDynamicCommand(Words &words) {
  auto takesText = [](const std::string &word) {
    return word == "-o" || word == "--output" || word == "--name" ||
           word == "--lines";
  };
  for (auto word = words.begin(); word != words.end(); ++word) {
    bool isValue = word != words.begin() && takesText(*std::prev(word));
    if (isProgram(*word) && !isValue)
      return false;
    if (isValue || !(isState(*word) || isDynamic(*word)))
      continue;
    std::rotate(words.begin(), word, std::next(word));
    return true;
  }
  return false;
}

std::optional<int> tools::parseRequest(int argc, char **argv,
                                       Request &request) {
  Words all(argv + 1, argv + argc);
  if (moveDynamicCommand(all))
    return isState(all.front()) ? parseDynamicRequest<StateGenOptions>(
                                      all, "an op on states", request)
                                : parseDynamicRequest<DynamicGenOptions>(
                                      all, "a dynamic convolution", request);
  CLI::App app(kDescription, "conv-gen");
  setUp(app, "conv " CONV_VERSION);
  app.footer(kFooter);
  ProblemFlags flags;
  std::string list;
  flags.addTo(app);
  addOwn(app, request, list, flags.name());

  Words words(argv + 1, argv + argc);
  auto program = std::find_if(words.begin(), words.end(), isProgram);
  Words own = normalise(app, Words(words.begin(), program));
  if (std::optional<int> code = parse(app, own))
    return code;
  auto fail = [&](const Error &error) { return printError("conv-gen", error); };
  if (auto error = check(list, program != words.end(), flags))
    return fail(*error);

  request.isList = !list.empty();
  if (request.isList) {
    Result<void> read = readLines(list, flags, request);
    return read ? std::nullopt : std::optional(fail(read.error()));
  }
  if (program != words.end()) {
    request.lines.push_back(makeLine(flags, Words(program, words.end()), ""));
    return std::nullopt;
  }
  RequestLine line;
  auto problems = toProblems(flags.finish(app, line.notes));
  if (!problems)
    return fail(problems.error());
  line.problems = *problems;
  request.lines.push_back(line);
  return std::nullopt;
}
