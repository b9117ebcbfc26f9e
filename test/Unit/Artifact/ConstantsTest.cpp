//===- ConstantsTest.cpp - stored data of artifacts -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants that are shared, mapped, damaged or described wrongly.
//
//===----------------------------------------------------------------------===//

#include "ExampleManifest.h"

#include "../TemporaryDirectory.h"
#include "conv/Artifact/ManifestJson.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::artifact;
using conv::test::makeArgument;
using conv::test::makeArtifact;
using conv::test::TemporaryDirectory;

/// Elements of the 16 x 1 x 1 x 8 f16 tensor below.
static std::string makeData() {
  std::string data;
  for (int i = 0; i < 256; ++i)
    data.push_back(char(i));
  return data;
}

/// A constant of `artifact` with the bytes `data`.
static Constant makeConstant(Artifact &artifact, const std::string &name,
                             const std::string &data = makeData()) {
  std::string path = artifact.addData(Blob::fromString(data));
  return {makeArgument(name, "read", {16, 1, 1, 8}), path, path.substr(5, 64)};
}

/// The example with its filter stored, and a second entry for another target.
static Artifact makeStored() {
  Artifact artifact = makeArtifact();
  Entry &entry = artifact.manifest.entries[0];
  entry.arguments.erase(entry.arguments.begin() + 1);
  entry.constants = {makeConstant(artifact, "filter")};
  entry.launches[0].parameters = {ArgumentParameter{0}, ConstantParameter{0},
                                  ArgumentParameter{1}};
  Entry other = entry;
  other.target = "gfx950";
  artifact.manifest.entries.push_back(other);
  return artifact;
}

static std::string errorOf(const std::string &file) {
  Result<Artifact> artifact = Artifact::parse(file, "x");
  EXPECT_FALSE(artifact);
  if (artifact)
    return "";
  EXPECT_EQ(artifact.error().kind, ErrorKind::BadInput);
  return artifact.error().message;
}

/// The error of the example after `change` of its first entry.
template <typename Change> static std::string errorAfter(Change change) {
  Artifact artifact = makeStored();
  change(artifact.manifest.entries[0]);
  Result<void> result = verifyManifest(artifact.manifest);
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

TEST(Constants, AreStoredOnceAndMapped) {
  TemporaryDirectory directory;
  std::string path = directory.path("a.convpack");
  ASSERT_TRUE(makeStored().write(path));
  Result<Artifact> artifact = Artifact::read(path);
  ASSERT_TRUE(artifact) << artifact.error().message;
  const Constant &constant = artifact->manifest.entries[0].constants.at(0);
  EXPECT_EQ(constant.tensor.name, "filter");
  EXPECT_EQ(constant.data, artifact->manifest.entries[1].constants.at(0).data);
  const Blob *data = artifact->data(constant.data);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bytes, makeData());
  EXPECT_TRUE(data->isAligned(64));

  std::string file = *makeStored().bytes();
  size_t at = file.find(makeData());
  ASSERT_NE(at, std::string::npos); // Uncompressed, and
  EXPECT_EQ(at % 64, 0u);
  EXPECT_EQ(file.find(makeData(), at + 1), std::string::npos); // once.
}

TEST(Constants, SameArtifactSameBytes) {
  std::string file = *makeStored().bytes();
  EXPECT_EQ(*makeStored().bytes(), file);
  Result<Artifact> artifact = Artifact::parse(file, "x");
  ASSERT_TRUE(artifact) << artifact.error().message;
  EXPECT_EQ(*artifact->bytes(), file);
}

TEST(Constants, OutliveTheFileInMemory) {
  std::string file = *makeStored().bytes();
  Result<Artifact> artifact = Artifact::parse(file, "x");
  ASSERT_TRUE(artifact);
  file.assign(file.size(), '\0');
  const Constant &constant = artifact->manifest.entries[0].constants.at(0);
  EXPECT_EQ(artifact->data(constant.data)->bytes, makeData());
}

TEST(Constants, DamagedAndTruncatedFilesAreRefused) {
  std::string file = *makeStored().bytes();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(Artifact::parse(file.substr(0, size), "x")) << size;
  size_t at = file.find(makeData());
  for (size_t i = 0; i < makeData().size(); ++i) {
    std::string changed = file;
    changed[at + i] ^= 1;
    EXPECT_NE(errorOf(changed).find("the digest of 'data/"), std::string::npos);
  }
}

TEST(Constants, HaveAsManyBytesAsTheirTensor) {
  Artifact artifact = makeStored();
  Entry &entry = artifact.manifest.entries[0];
  entry.constants = {makeConstant(artifact, "filter", "short")};
  EXPECT_EQ(errorOf(*artifact.bytes()),
            "cannot read 'x': expects constant 'filter' to have 256 bytes, but "
            "got 5");
}

TEST(Constants, WhatWasNotAddedIsNotWritten) {
  Artifact artifact = makeStored();
  Artifact empty;
  std::string code = "code bytes";
  empty.addCode(code, "hsaco");
  empty.manifest = artifact.manifest;
  Result<std::string> bytes = empty.bytes();
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("the manifest names 'data/"),
            std::string::npos);
}

TEST(Constants, M16) {
  EXPECT_EQ(errorAfter(
                [](Entry &entry) { entry.constants[0].tensor.name = "input"; }),
            "entries[0].constants[0].name: expects a name of its own, but got "
            "'input' again");
  EXPECT_EQ(errorAfter([](Entry &entry) {
              entry.constants[0].tensor.access = "write";
            }),
            "entries[0].constants[0].access: expects \"read\", but got "
            "\"write\"");
  EXPECT_EQ(errorAfter([](Entry &entry) {
              entry.constants[0].tensor.strides = {9, 8, 8, 1};
            }),
            "entries[0].constants[0].strides[0]: expects 8, but got 9");
  EXPECT_NE(errorAfter([](Entry &entry) {
              entry.constants[0].data = "data/../../x.bin";
            })
                .find("entries[0].constants[0].data: expects "
                      "\"data/<sha256>.bin\""),
            std::string::npos);
  EXPECT_EQ(errorAfter([](Entry &entry) {
              entry.launches[0].parameters[1] = ConstantParameter{1};
            }),
            "entries[0].launches[0].parameters[1].constant: expects 0 to 0, "
            "but got 1");
}

TEST(Constants, M14CoversThem) {
  std::string text = *writeManifest(makeStored().manifest);
  size_t at = text.find("\"role\": \"filter\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 16, "\"role\": \"values\"");
  Result<Manifest> manifest = parseManifest(text);
  ASSERT_FALSE(manifest);
  EXPECT_NE(manifest.error().message.find("contract"), std::string::npos);
}
