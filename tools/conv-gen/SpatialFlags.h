//===- SpatialFlags.h - flags of one dimension ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVGEN_SPATIALFLAGS_H
#define CONV_TOOLS_CONVGEN_SPATIALFLAGS_H

#include "FlagGroup.h"

#include "conv/Generate/Options.h"

#include <vector>

namespace conv::tools {

/// A flag of one spatial dimension, and its least value.
struct SpatialFlag {
  const char *names;
  const char *help;
  PerDimension GenOptions::*value;
  size_t dimension;
  int64_t minimum;

  std::string longName() const { return getLongName(names); }
  /// Whether the problem has the flag's dimension.
  bool isUsed(const GenOptions &options) const;
};

/// All spatial flags, in the order of the help.
const std::vector<SpatialFlag> &listSpatialFlags();

} // namespace conv::tools

#endif // CONV_TOOLS_CONVGEN_SPATIALFLAGS_H
