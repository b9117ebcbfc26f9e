//===- Commands.h - what conv-pack does with artifacts ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONVPACK_COMMANDS_H
#define CONV_TOOLS_CONVPACK_COMMANDS_H

#include "Options.h"

#include "conv/Artifact/Artifact.h"
#include "conv/Support/Result.h"

namespace conv::tools {

/// An artifact and the name of its file.
struct NamedArtifact {
  std::string path;
  artifact::Artifact artifact;
};

/// Drops the entries that the flags do not select. If nothing is left, the
/// error lists the entries.
Result<void> select(const PackFlags &flags, NamedArtifact &named);

/// Prints the contents of artifacts, as text or as JSON.
Result<void> list(const PackFlags &flags,
                  const std::vector<NamedArtifact> &artifacts);

/// Whether the code of every launch defines its kernel; reading an artifact
/// checks everything else.
Result<void> verifyKernels(const NamedArtifact &named);

/// Merges all entries into one artifact.
Result<artifact::Artifact> merge(const PackFlags &flags,
                                 const std::vector<NamedArtifact> &artifacts);

/// Writes the selected entries as an artifact, or their code into a folder.
Result<void> extract(const PackFlags &flags, const NamedArtifact &named);

} // namespace conv::tools

#endif // CONV_TOOLS_CONVPACK_COMMANDS_H
