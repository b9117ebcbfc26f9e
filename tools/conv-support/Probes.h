//===- Probes.h - one problem for each kind of convolution ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVSUPPORT_PROBES_H
#define CONV_TOOLS_CONVSUPPORT_PROBES_H

#include "conv/Generate/Generate.h"

#include <string>
#include <vector>

namespace conv::tools {

/// A kind of convolution, as a small problem that is usual in all else.
struct Probe {
  std::string axis, value;
  GenOptions problem;
};

/// All kinds except for directions and element types.
std::vector<Probe> makeProbes();

/// A kind of dynamic convolution, as a small problem.
struct DynamicProbe {
  std::string axis, value;
  DynamicGenOptions problem;
};

std::vector<DynamicProbe> makeDynamicProbes();

/// A type of operands, which may be multiplied in tf32.
struct ElementProbe {
  ElementType type;
  bool tf32 = false;

  /// The column of the table.
  std::string name() const {
    return std::string(elementTypeName(type)) + (tf32 ? " in tf32" : "");
  }
};

std::vector<ElementProbe> makeElementProbes();

} // namespace conv::tools

#endif // CONV_TOOLS_CONVSUPPORT_PROBES_H
