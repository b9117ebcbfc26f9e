//===- ResourceTests.cpp - registers of the model shapes --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No kernel of bench/shapes/models.json has scratch memory or spilled
// registers, as the code objects' own metadata says. Shapes that differ in
// batch get other schedules, so both lists of ResNet-50 are compiled.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "conv/Pipeline/Compile.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::test;

static void checkResources(const GenOptions &problem) {
  mlir::conv::CompileOptions options;
  options.targets = {"gfx942", "gfx1201"};
  Result<artifact::Artifact> artifact =
      mlir::conv::compile({"model.mlir", generateText(problem)}, options);
  ASSERT_TRUE(artifact) << artifact.error().message;
  ASSERT_EQ(artifact->manifest.entries.size(), 2u);
  for (const artifact::Entry &entry : artifact->manifest.entries)
    for (const artifact::Launch &launch : entry.launches) {
      EXPECT_GT(launch.resources.vgpr, 0) << entry.target;
      EXPECT_EQ(launch.resources.scratchBytes, 0)
          << entry.target << " " << entry.schedule;
      EXPECT_EQ(launch.resources.spills, 0)
          << entry.target << " " << entry.schedule;
    }
}

void test::addResourceTests() {
  for (const std::string list : {"resnet50", "resnet50_n64", "sd35_vae",
                                 "flux2_vae", "headline", "depthwise"}) {
    int64_t index = 0;
    for (GenOptions problem : readShapes(kModelShapes, list)) {
      problem.type = ElementType::F16;
      problem.bias = true;
      problem.activation = "relu";
      addTest("Resources_" + list,
              std::to_string(index++) + "_" + describe(problem),
              [problem] { checkResources(problem); });
    }
  }
}
