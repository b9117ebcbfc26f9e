//===- Options.h - the command line of conv-predict -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVPREDICT_OPTIONS_H
#define CONV_TOOLS_CONVPREDICT_OPTIONS_H

#include <optional>
#include <string>

namespace conv::tools {

struct PredictFlags {
  std::string constantsOf; ///< A target; empty: answers requests.
};

/// Parses the command line into `flags`; an exit code if the tool must end now.
std::optional<int> parsePredictFlags(int argc, char **argv,
                                     PredictFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVPREDICT_OPTIONS_H
