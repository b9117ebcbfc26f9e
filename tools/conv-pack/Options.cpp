//===- Options.cpp - the command line of conv-pack --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first word is the command; each one has its own flags and --help.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"
#include "ErrorLine.h"

#include "conv/Support/Nearest.h"

using namespace conv;
using namespace conv::tools;

static const char *const kHelp =
    R"(Looks into artifacts (.convpack), joins them and takes them apart.
Usage: conv-pack COMMAND ...

  list PACK...                    what is in them
  verify PACK...                  whether they are whole and obey the rules of docs/artifact.md
  merge PACK... -o OUT.convpack   one artifact of all their entries; equal code is stored once
  extract PACK -o OUT             some of its entries as an artifact, or their code as files

conv-pack COMMAND --help says more.
Examples:
  conv-pack list layer.convpack --long
  conv-pack merge gfx942.convpack gfx1201.convpack -o layer.convpack
  conv-pack extract layer.convpack --target gfx942 -o gfx942.convpack
  conv-pack extract layer.convpack --target gfx942 -o code/

Exit codes: 0 fine, 2 bad input or usage, 3 not supported, 4 system error.
)";

namespace {
struct Command {
  PackCommand command;
  const char *name, *description;
};
} // namespace

static const Command kCommands[] = {
    {PackCommand::List, "list", "Prints the entries of artifacts."},
    {PackCommand::Verify, "verify",
     "Checks that artifacts are whole: the zip file, every rule of the "
     "manifest, the digest of all code, and that it has the kernels."},
    {PackCommand::Merge, "merge",
     "Makes one artifact of the entries of several. An entry that two of them "
     "have is stored once if it is the same and refused if it differs."},
    {PackCommand::Extract, "extract",
     "Makes an artifact of some entries, or writes their code into a folder "
     "(one that exists, or a name that ends in /)."}};

static void addSelection(CLI::App &app, PackFlags &flags) {
  app.add_option("-f,--function", flags.functions,
                 "Only this function; may be given for each")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("-t,--target", flags.targets,
                 "Only this target; may be given for each")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

static void addFlags(CLI::App &app, PackFlags &flags) {
  bool isExtract = flags.command == PackCommand::Extract;
  app.add_option("PACK", flags.inputs, "Artifacts (.convpack)")
      ->required()
      ->expected(1, isExtract ? 1 : 1 << 20);
  if (isExtract || flags.command == PackCommand::List)
    addSelection(app, flags);
  if (isExtract || flags.command == PackCommand::Merge)
    app.add_option("-o,--output", flags.output, "Where to write")
        ->required()
        ->check(isFileName());
  else
    app.add_flag("--json", flags.json, "Print one JSON object instead of text");
  if (flags.command == PackCommand::List)
    app.add_flag("-l,--long", flags.isLong,
                 "Print arguments, schedules and kernels too");
  if (flags.command != PackCommand::Merge)
    return;
  app.add_option("--keep", flags.keep,
                 "Of entries of the same function and target that differ, keep "
                 "the first or the last")
      ->check(isOneOf({"first", "last"}));
  app.add_flag("--mixed-compilers", flags.mixedCompilers,
               "Merge what different compilers made; the result names the "
               "compiler of the first artifact");
}

static int failUsage(const std::string &message) {
  return printError("conv-pack", {ErrorKind::BadInput, message});
}

/// The command that a word names, or an exit code if there is none.
static std::optional<int> findCommand(const std::string &word,
                                      const Command *&found) {
  std::vector<std::string> names;
  for (const Command &command : kCommands) {
    if (word == command.name) {
      found = &command;
      return std::nullopt;
    }
    names.push_back(command.name);
  }
  std::string nearest = findNearest(word, names);
  return failUsage("expects list, verify, merge or extract, but got '" + word +
                   "'" +
                   (nearest.empty() ? "" : ", did you mean " + nearest + "?"));
}

std::optional<int> tools::parsePackFlags(int argc, char **argv,
                                         PackFlags &flags) {
  std::string word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (word == "--version") {
    std::puts("conv " CONV_VERSION);
    return 0;
  }
  if (word.empty())
    return failUsage("expects a command: list, verify, merge or extract");
  const Command *command = nullptr;
  if (std::optional<int> code = findCommand(word, command))
    return code;
  flags.command = command->command;
  CLI::App app(command->description, "conv-pack " + word);
  setUp(app, "conv " CONV_VERSION);
  addFlags(app, flags);
  return parse(app, std::vector<std::string>(argv + 2, argv + argc));
}
