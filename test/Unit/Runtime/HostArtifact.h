//===- HostArtifact.h - artifacts of host objects ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_RUNTIME_HOSTARTIFACT_H
#define CONV_TEST_UNIT_RUNTIME_HOSTARTIFACT_H

#include "conv/Artifact/Artifact.h"
#include "conv/Support/File.h"

#include <gtest/gtest.h>

namespace conv::test {

/// A dense 1-D argument.
inline artifact::Argument vectorArgument(const std::string &name,
                                         const std::string &access,
                                         const std::string &dtype,
                                         int64_t size) {
  return {name, name, access, dtype, "", {size}, {1}, 16};
}

/// A shared object made from Objects/kernels.c; CMake says where they are.
inline std::string readObject(const std::string &name) {
  Result<std::string> code = readFile(
      std::string(CONV_TEST_OBJECTS) + "/" + name + ".so", int64_t(1) << 20);
  EXPECT_TRUE(code) << code.error().message;
  return code ? *code : "";
}

inline artifact::Launch
makeLaunch(const std::string &codePath, const std::string &kernel,
           std::array<int64_t, 3> grid,
           std::vector<artifact::Parameter> parameters) {
  artifact::Launch launch;
  launch.code = codePath;
  launch.sha256 = codePath.substr(5, 64);
  launch.kernel = kernel;
  launch.grid = grid;
  launch.parameters = std::move(parameters);
  return launch;
}

/// A function "twice" on `target`: output = 6 * input over 100 floats, in two
/// launches through the workspace, from the host kernels.
inline artifact::Entry makeTwice(const std::string &target,
                                 const std::string &codePath) {
  using namespace artifact;
  Entry entry;
  entry.function = "twice";
  entry.target = target;
  entry.chosenBy = "user";
  entry.arguments = {vectorArgument("input", "read", "f32", 100),
                     vectorArgument("output", "write", "f32", 100)};
  entry.workspaceBytes = 1024;
  entry.launches = {makeLaunch(codePath, "scale", {100, 1, 1},
                               {ArgumentParameter{0}, WorkspaceParameter{512},
                                I32Parameter{-2}}),
                    makeLaunch(codePath, "scale", {100, 1, 1},
                               {WorkspaceParameter{512}, ArgumentParameter{1},
                                I32Parameter{-3}})};
  return entry;
}

inline artifact::Artifact makeHostArtifact() {
  artifact::Artifact result;
  std::string path = result.addCode(readObject("kernels"), "so");
  result.manifest.entries = {makeTwice("host", path)};
  return result;
}

} // namespace conv::test

#endif // CONV_TEST_UNIT_RUNTIME_HOSTARTIFACT_H
