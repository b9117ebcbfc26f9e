//===- ManifestFields.h - what writer and reader agree on -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_ARTIFACT_MANIFESTFIELDS_H
#define CONV_LIB_ARTIFACT_MANIFESTFIELDS_H

#include "conv/Artifact/Manifest.h"

#include <nlohmann/json.hpp>

namespace conv::artifact {

/// Keeps fields in the order in which they are written.
using Json = nlohmann::ordered_json;

/// The key of a run-time size in shapes, products and parameters.
inline constexpr const char *kSize = "size";

/// The digest of M14: binds the code, by its own digest, to the buffers for
/// which it was compiled.
std::string digestContract(const Entry &entry);

} // namespace conv::artifact

#endif // CONV_LIB_ARTIFACT_MANIFESTFIELDS_H
