//===- Source.h - what conv-run runs, and where -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVRUN_SOURCE_H
#define CONV_TOOLS_CONVRUN_SOURCE_H

#include "Options.h"

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/SimDevice.h"

#include <memory>

namespace conv::tools {

/// An artifact and a device that runs it.
struct Source {
  artifact::Artifact artifact;
  std::unique_ptr<runtime::Device> device;
  runtime::SimDevice *simulator = nullptr; ///< `device` if it is simulated.
};

/// The simulated chip: gfx942 of sim:gfx942.
std::string getChip(const runtime::SimDevice &simulator);

/// Reads or compiles the named file and opens the requested device. A clock
/// needs code for the simulated chip too.
Result<Source> openSource(const RunFlags &flags);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVRUN_SOURCE_H
