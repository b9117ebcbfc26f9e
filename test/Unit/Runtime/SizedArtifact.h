//===- SizedArtifact.h - a function with run-time sizes ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_RUNTIME_SIZEDARTIFACT_H
#define CONV_TEST_UNIT_RUNTIME_SIZEDARTIFACT_H

#include "HostArtifact.h"

namespace conv::test {

/// "grow" on the host: output[b, t] = -2 * T * input[b, t] of B x T floats, in
/// two launches through a workspace of as many. B is 1 to 8, T is 2 to 2^31
/// - 1.
inline artifact::Artifact makeSizedArtifact() {
  using namespace artifact;
  Artifact result = makeHostArtifact();
  Entry &entry = result.manifest.entries[0];
  std::string path = entry.launches[0].code;
  entry.function = "grow";
  entry.sizes = {{"B", 1, 8}, {"T", 2, kMaxGrid}};
  for (Argument &argument : entry.arguments) {
    argument.shape = {encodeSize(0), encodeSize(1)};
    argument.strides = {kNoGap, 1};
  }
  entry.workspaceBytes = 0;
  entry.workspaceOfSizes = SizeProduct{4, {{0}, {1}}};
  entry.launches = {makeLaunch(path, "scale", {1, 1, 1},
                               {ArgumentParameter{0}, WorkspaceParameter{0},
                                I32Parameter{-2}}),
                    makeLaunch(path, "scale", {1, 1, 1},
                               {WorkspaceParameter{0}, ArgumentParameter{1},
                                SizeParameter{1}})};
  for (Launch &launch : entry.launches)
    launch.gridOfSizes[0] = SizeProduct{1, {{0}, {1}}};
  return result;
}

} // namespace conv::test

#endif // CONV_TEST_UNIT_RUNTIME_SIZEDARTIFACT_H
