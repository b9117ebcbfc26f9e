//===- ManifestJson.h - the manifest as JSON text ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_MANIFESTJSON_H
#define CONV_ARTIFACT_MANIFESTJSON_H

#include "conv/Artifact/Manifest.h"
#include "conv/Support/Result.h"

#include <span>
#include <string>
#include <string_view>

namespace conv::artifact {

/// The JSON text of a manifest, in the order of docs/artifact.md. Fails if an
/// entry's `reference` or a tensor map is not JSON.
Result<std::string> writeManifest(const Manifest &manifest);

/// Reads JSON text and verifies it, M14 included. A message names the wrong
/// field, as in "entries[0].launches[1].grid[2]: expects ..., but got ...".
/// Fields this version does not know are ignored.
Result<Manifest> parseManifest(std::string_view text);

/// The JSON text with each object {"size": i} replaced by the i-th of `sizes`.
std::string replaceSizes(const std::string &text,
                         std::span<const int64_t> sizes);

/// The JSON object of a bound, as entries and the steps of their references
/// store it. Zero and false are omitted where they are the default.
std::string writeErrorBound(const ErrorBound &bound);

/// Reads the JSON object of a bound and checks rule M11.
Result<ErrorBound> parseErrorBound(std::string_view text);

} // namespace conv::artifact

#endif // CONV_ARTIFACT_MANIFESTJSON_H
