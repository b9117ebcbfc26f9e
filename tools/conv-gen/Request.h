//===- Request.h - the command line of conv-gen -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One problem in the arguments, or a list with one problem per line.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_REQUEST_H
#define CONV_TOOLS_CONVGEN_REQUEST_H

#include "Notes.h"
#include "conv/Generate/Options.h"

#include "conv/Support/Result.h"

#include <optional>
#include <vector>

namespace conv::tools {

/// The problems of one line, or why it is refused.
struct RequestLine {
  std::string place;                ///< `FILE:12`; empty for arguments.
  std::vector<GenProblem> problems; ///< A function for each direction.
  std::optional<Error> error;
  Notes notes;
};

struct Request {
  std::string output = "-"; ///< A file, a folder or standard output.
  bool isList = false;
  bool skipRefused = false; ///< Write the accepted lines of a list.
  std::vector<RequestLine> lines;
};

/// Parses the command line into `request`; an exit code if the tool must end.
std::optional<int> parseRequest(int argc, char **argv, Request &request);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_REQUEST_H
