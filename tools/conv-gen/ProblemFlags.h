//===- ProblemFlags.h - a problem in MIOpenDriver's grammar -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MIOpenDriver's options and defaults, and options of conv-gen alone. Includes
// CLI11, so files that include this must not include MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_PROBLEMFLAGS_H
#define CONV_TOOLS_CONVGEN_PROBLEMFLAGS_H

#include "Notes.h"
#include "Words.h"
#include "conv/Generate/Options.h"

#include "conv/Support/Result.h"

#include <CLI/CLI.hpp>

namespace conv::tools {

/// The values of one line. Another line starts from a copy: values that it does
/// not give stay.
class ProblemFlags {
public:
  /// Adds the flags to `app`, which writes into this object.
  void addTo(CLI::App &app);

  /// The functions that the line of `app` describes, one for each direction;
  /// adds notes about the line.
  Result<std::vector<GenOptions>> finish(const CLI::App &app,
                                         Notes &notes) const;

  /// conv, convfp16, ...; empty if the line has none.
  std::string &command() { return typeCommand; }
  /// The name of the function.
  std::string &name() { return options.name; }

private:
  std::vector<GenOptions> expandDirections(Notes &notes) const;
  /// Sets the types that the command and the flags name.
  std::optional<Error> setTypes();
  std::optional<Error> checkSpatial() const;
  std::optional<Error> checkRefused() const;
  void noteUnused(const CLI::App &app, Notes &notes) const;

  GenOptions options;
  std::string typeCommand, outputType; ///< Empty if the line has none.
  bool fnuz = false;
  int64_t directions = 0; ///< A sum of directions; 0 is all.
  std::string layout;     ///< For all three operands; empty: channels first.
  std::string bias;       ///< "true" for a flag without value.
  std::string tensorVector = "0", vectorLength = "1";
  std::array<std::string, 3> casts = {"-1", "-1", "-1"};
};

/// Respells words for CLI11: `-!` becomes `--in_d`, `-in_h=3` becomes
/// `--in_h=3`, `-b 1` becomes `--bias=1`.
Words normalise(const CLI::App &app, Words words);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_PROBLEMFLAGS_H
