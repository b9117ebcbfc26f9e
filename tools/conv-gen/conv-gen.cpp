//===- conv-gen.cpp - lines of MIOpenDriver and rocMLIR to .mlir ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, generates, writes. Lines with equal problems share one
// function.
//
//===----------------------------------------------------------------------===//

#include "FieldFlags.h"
#include "Request.h"
#include "conv/Generate/Generate.h"

#include "ErrorLine.h"
#include "Output.h"
#include "OutputFiles.h"

#include <filesystem>
#include <map>

using namespace conv;
using namespace conv::tools;

namespace {
/// Writes functions: all into one module, or each into a file of a folder.
class Writer {
public:
  explicit Writer(const Request &request)
      : path(request.output), isFolder(tools::isFolder(path)) {}

  /// Adds the functions of a line; none of them if one is refused.
  Result<void> add(const std::vector<GenProblem> &problems);
  /// Writes the added functions.
  Result<void> write();

  /// The number of problems that repeat an earlier line's.
  int64_t getRepeated() const { return repeated; }
  bool isEmpty() const { return seen.empty(); }

private:
  std::string path;
  bool isFolder;
  GeneratedModule module;
  std::map<GenProblem, std::string> seen; ///< The name of each function.
  int64_t repeated = 0;
};
} // namespace

Result<void> Writer::add(const std::vector<GenProblem> &problems) {
  std::map<GenProblem, std::string> added;
  for (const GenProblem &problem : problems) {
    if (seen.contains(problem)) {
      ++repeated;
      continue;
    }
    Result<std::string> name = module.add(problem);
    if (!name) {
      for (const auto &[other, otherName] : added)
        module.remove(otherName);
      return name.error();
    }
    added.emplace(problem, *name);
  }
  seen.merge(added);
  return {};
}

Result<void> Writer::write() {
  if (!isFolder)
    return writeOutput(path, module.print());
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code)
    return Error{ErrorKind::System,
                 "cannot make folder '" + path + "': " + code.message()};
  for (const auto &[problem, name] : seen) {
    auto file = std::filesystem::path(path) / (name + ".mlir");
    if (auto written = writeOutput(file.string(), module.print(name)); !written)
      return written.error();
  }
  return {};
}

/// Says why a line is refused.
static int report(const Request &request, const RequestLine &line,
                  const Error &error) {
  if (!request.isList)
    return printError("conv-gen", error);
  const char *kind =
      request.skipRefused ? ": warning: left out: " : ": error: ";
  std::fprintf(stderr, "%s%s%s\n", line.place.c_str(), kind,
               error.message.c_str());
  return int(error.kind);
}

static int run(int argc, char **argv) {
  Request request;
  if (std::optional<int> code = parseRequest(argc, argv, request))
    return *code;
  Writer writer(request);
  Notes notes;
  int code = 0;
  for (const RequestLine &line : request.lines) {
    std::optional<Error> error = line.error;
    if (!error)
      if (Result<void> added = writer.add(line.problems); !added)
        error = nameFlag(added.error());
    if (!error)
      notes.add(line.notes);
    else if (int refused = report(request, line, *error); code == 0)
      code = refused;
  }
  if (code != 0 && (!request.skipRefused || writer.isEmpty()))
    return code;
  notes.print(request.isList);
  if (int64_t repeated = writer.getRepeated())
    std::fprintf(stderr, "conv-gen: note: repeated problems written once: %s\n",
                 std::to_string(repeated).c_str());
  Result<void> written = writer.write();
  return written ? 0 : printError("conv-gen", written.error());
}

int main(int argc, char **argv) { return finish("conv-gen", run(argc, argv)); }
