//===- PackedArgumentsTest.cpp - arguments that another entry packs -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExampleManifest.h"

#include "conv/Artifact/ManifestJson.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::artifact;
using conv::test::makeArtifact;

/// f, and g, which packs its filter.
static Manifest makePacked() {
  Manifest manifest = makeArtifact().manifest;
  manifest.entries[0].packed = {{1, "g", 0, 2}};
  manifest.entries.push_back(manifest.entries[0]);
  Entry &packing = manifest.entries[1];
  packing.function = "g";
  packing.packed.clear();
  packing.arguments[2] = packing.arguments[1];
  packing.arguments[2].name = "packed";
  packing.arguments[2].access = "write";
  return manifest;
}

TEST(Manifest, M19PackedArguments) {
  Manifest good = makePacked();
  Result<std::string> text = writeManifest(good);
  ASSERT_TRUE(text);
  Result<Manifest> read = parseManifest(*text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*writeManifest(*read), *text);
  const std::string path = "entries[0].packed[0].";
  auto errorOfPacked = [](auto change) {
    Manifest manifest = makePacked();
    change(manifest, manifest.entries[0].packed[0]);
    Result<void> result = verifyManifest(manifest);
    return result ? "" : result.error().message;
  };
  using Packed = PackedArgument;
  EXPECT_EQ(errorOfPacked([](Manifest &, Packed &p) { p.argument = 3; }),
            path + "argument: expects 0 to 2, but got 3");
  EXPECT_EQ(errorOfPacked([](Manifest &, Packed &p) { p.argument = 2; }),
            path + "argument: expects an argument that is read, but got "
                   "'output'");
  EXPECT_EQ(errorOfPacked([](Manifest &, Packed &p) { p.function = ""; }),
            path + "function: expects 1 to 4096 characters, but got 0");
  EXPECT_EQ(errorOfPacked([](Manifest &, Packed &p) { p.source = 2; }),
            path + "source: expects an argument that is read, but got "
                   "'packed'");
  EXPECT_EQ(errorOfPacked([](Manifest &, Packed &p) { p.result = 3; }),
            path + "result: expects 0 to 2, but got 3");
  EXPECT_EQ(errorOfPacked([](Manifest &m, Packed &) {
              m.entries[1].arguments[2].dtype = "bf16";
            }),
            path + "result: expects a result of the type, shape and strides "
                   "of 'filter', but got 'packed'");
  // The other function may be elsewhere.
  EXPECT_EQ(errorOfPacked([](Manifest &m, Packed &p) {
              m.entries.pop_back();
              p.result = 60;
            }),
            "");
}
