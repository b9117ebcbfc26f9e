//===- ExampleManifest.h - a small manifest for tests -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_ARTIFACT_EXAMPLEMANIFEST_H
#define CONV_TEST_UNIT_ARTIFACT_EXAMPLEMANIFEST_H

#include "conv/Artifact/Artifact.h"

namespace conv::test {

inline artifact::Argument makeArgument(const std::string &name,
                                       const std::string &access,
                                       std::vector<int64_t> shape) {
  artifact::Argument argument{name, name, access, "f16", "", std::move(shape),
                              {},   16};
  argument.strides.resize(argument.shape.size());
  int64_t step = 1;
  for (size_t i = argument.shape.size(); i-- > 0;) {
    argument.strides[i] = step;
    step *= argument.shape[i];
  }
  return argument;
}

/// An im2col map of the 1 x 4 x 4 x 8 input of `makeArtifact`.
inline artifact::TensorMapParameter makeTensorMap() {
  return {.base = artifact::ArgumentParameter{0},
          .dtype = "f16",
          .sizes = {8, 4, 4, 1},
          .strides = {16, 64, 256},
          .box = {8, 16},
          .elementStrides = {1, 1, 1, 1},
          .lower = {-1, -1},
          .upper = {-1, -1},
          .swizzle = 128};
}

/// One entry, f on gfx942, with every kind of parameter, whose code is `code`.
inline artifact::Artifact makeArtifact(const std::string &code = "code bytes") {
  artifact::Artifact result;
  result.manifest.compiler = {"0.1.0", "22.1.8", "abc"};
  artifact::Entry entry;
  entry.function = "f";
  entry.target = "gfx942";
  entry.problem = "convfp16 -n 1";
  entry.algorithm = "implicit_gemm";
  entry.schedule = "#conv.schedule<workgroup = [64, 64]>";
  entry.chosenBy = "heuristic";
  entry.arguments = {makeArgument("input", "read", {1, 4, 4, 8}),
                     makeArgument("filter", "read", {16, 1, 1, 8}),
                     makeArgument("output", "write", {1, 4, 4, 16})};
  entry.arguments[0].layout = "NHWC";
  entry.workspaceBytes = 1024;
  entry.errorBound = {576, 0.5};
  entry.reference = R"({"nodes":[{"op":"conv","z":1,"a":[2.5]}]})";
  artifact::Launch launch;
  launch.code = result.addCode(code, "hsaco");
  launch.sha256 = launch.code.substr(5, 64);
  launch.kernel = "f_0";
  launch.grid = {7, 2, 1};
  launch.block = {256, 1, 1};
  launch.dynamicSharedBytes = 512;
  launch.parameters = {
      artifact::ArgumentParameter{0}, artifact::ArgumentParameter{1},
      artifact::ArgumentParameter{2}, artifact::WorkspaceParameter{256},
      artifact::I32Parameter{-7},     makeTensorMap()};
  launch.resources = {64, 32, 48, 32768, 0, 0};
  entry.launches = {launch};
  result.manifest.entries = {entry};
  return result;
}

} // namespace conv::test

#endif // CONV_TEST_UNIT_ARTIFACT_EXAMPLEMANIFEST_H
