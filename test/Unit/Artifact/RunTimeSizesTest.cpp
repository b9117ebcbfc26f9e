//===- RunTimeSizesTest.cpp - shapes, grids and bytes from sizes ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExampleManifest.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Artifact/RunTimeSizes.h"

#include <gtest/gtest.h>

using namespace conv;
using namespace conv::artifact;
using conv::test::makeArtifact;

using Sizes = std::vector<int64_t>;

/// The example with an input of [B, T, 8], which has gaps between rows, and an
/// output of [B, 2, T].
static Manifest makeManifest() {
  Manifest manifest = makeArtifact().manifest;
  Entry &entry = manifest.entries[0];
  entry.sizes = {{"B", 1, 100}, {"T", 2, kMaxGrid}};
  Argument input = entry.arguments.front(), output = entry.arguments.back();
  input.layout = output.layout = "";
  input.dtype = output.dtype = "f32";
  input.shape = {encodeSize(0), encodeSize(1), 8};
  input.strides = {kNoGap, 12, 1};
  output.shape = {encodeSize(0), 2, encodeSize(1)};
  output.strides = {kNoGap, kNoGap, 1};
  entry.arguments = {input, output};
  entry.constants.clear();
  entry.workspaceBytes = 0;
  entry.workspaceOfSizes = SizeProduct{16, {{0}, {1, 8}}, 3};
  entry.launches.resize(1);
  Launch &launch = entry.launches[0];
  launch.grid = {1, 3, 1};
  launch.block = {128, 1, 1};
  launch.cluster = {1, 1, 1};
  launch.gridOfSizes[0] = SizeProduct{5, {{0}, {1, 4}}, 128};
  launch.parameters = {ArgumentParameter{0}, ArgumentParameter{1},
                       WorkspaceParameter{0}, SizeParameter{1}};
  entry.reference = R"({"steps":[{"shape":[{"size":0},{"size":1},8]}]})";
  return manifest;
}

static Entry makeEntry() { return makeManifest().entries[0]; }

template <typename Change> static std::string errorAfter(Change change) {
  Manifest manifest = makeManifest();
  change(manifest.entries[0]);
  Result<void> result = verifyManifest(manifest);
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

TEST(RunTimeSizes, RoundsProductsUp) {
  SizeProduct product{5, {{0}, {1, 4}}, 128};
  EXPECT_EQ(evaluate(product, Sizes{1, 1}), 1);
  EXPECT_EQ(evaluate(product, Sizes{3, 9}), 1);
  EXPECT_EQ(evaluate(product, Sizes{9, 9}), 2);
  EXPECT_EQ(evaluate(SizeProduct{7, {}}, Sizes{}), 7);
  EXPECT_EQ(
      evaluate(SizeProduct{int64_t(1) << 32, {{0}}}, Sizes{int64_t(1) << 31}),
      -1);
}

TEST(RunTimeSizes, CountsBytesOfBuffers) {
  Entry entry = makeEntry();
  // Rows of 12 elements, except the last one of 8.
  EXPECT_EQ(bufferBytes(entry.arguments[0], Sizes{2, 3}), 4 * (6 * 12 - 4));
  EXPECT_EQ(bufferBytes(entry.arguments[1], Sizes{2, 3}), 4 * 12);
  EXPECT_EQ(bufferBytes(entry.arguments[0], Sizes{kMaxGrid, kMaxGrid}), -1);
}

TEST(RunTimeSizes, MakesAnEntryOfNumbers) {
  Result<Entry> known = instantiate(makeEntry(), Sizes{2, 9});
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_TRUE(known->sizes.empty());
  EXPECT_EQ(known->arguments[0].shape, (Sizes{2, 9, 8}));
  EXPECT_EQ(known->arguments[0].strides, (Sizes{108, 12, 1}));
  EXPECT_EQ(known->arguments[1].strides, (Sizes{18, 9, 1}));
  EXPECT_EQ(known->workspaceBytes, 22); // 16 * 2 * 2 / 3
  EXPECT_FALSE(known->workspaceOfSizes);
  EXPECT_EQ(known->launches[0].grid, (std::array<int64_t, 3>{1, 3, 1}));
  EXPECT_EQ(std::get<I32Parameter>(known->launches[0].parameters[3]).value, 9);
  EXPECT_EQ(known->reference, R"({"steps":[{"shape":[2,9,8]}]})");
}

TEST(RunTimeSizes, FindsSizesInShapes) {
  Entry entry = makeEntry();
  auto find = [&](const Sizes &input, const Sizes &output) {
    std::span<const int64_t> shapes[] = {input, output};
    return findSizes(entry, shapes);
  };
  EXPECT_EQ(*find({3, 5, 8}, {3, 2, 5}), (Sizes{3, 5}));
  EXPECT_EQ(find({3, 5, 9}, {3, 2, 5}).error().message,
            "argument '" + entry.arguments[0].name +
                "': expects shape (B, T, 8), with sizes that arguments share, "
                "but got (3, 5, 9)");
  EXPECT_EQ(find({3, 5, 8}, {3, 2, 6}).error().message,
            "argument '" + entry.arguments[1].name +
                "': expects shape (B, 2, T), with sizes that arguments share, "
                "but got (3, 2, 6)");
  EXPECT_FALSE(find({3, 5}, {3, 2, 5}));
  EXPECT_FALSE(find({-1, 5, 8}, {-1, 2, 5}));
  EXPECT_EQ(find({3, 1, 8}, {3, 2, 1}).error().message,
            "size 'T': expects 2 to 2147483647, but got 1");
  EXPECT_EQ(find({0, 5, 8}, {0, 2, 5}).error().message,
            "size 'B': expects 1 to 100, but got 0");
}

TEST(RunTimeSizes, RoundTripKeepsEveryField) {
  Result<std::string> text = writeManifest(makeManifest());
  ASSERT_TRUE(text);
  Result<Manifest> manifest = parseManifest(*text);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(*writeManifest(*manifest), *text);
  const Entry &entry = manifest->entries[0];
  EXPECT_EQ(entry.sizes[1].name, "T");
  EXPECT_EQ(entry.sizes[1].least, 2);
  EXPECT_EQ(entry.arguments[1].shape, makeEntry().arguments[1].shape);
  EXPECT_EQ(entry.arguments[1].strides, makeEntry().arguments[1].strides);
  EXPECT_EQ(entry.workspaceOfSizes->per, 3);
  EXPECT_EQ(entry.launches[0].gridOfSizes[0]->factors[1].per, 4);
  EXPECT_FALSE(entry.launches[0].gridOfSizes[1]);
}

TEST(RunTimeSizes, M17SizesHaveNamesAndRanges) {
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes[0].least = 0; }),
            "entries[0].sizes[0].least: expects 1 to 2147483647, but got 0");
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes[0].most = 0; }),
            "entries[0].sizes[0].most: expects 1 to 2147483647, but got 0");
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes[1].name = "B"; }),
            "entries[0].sizes[1].name: expects a name of its own, but got 'B' "
            "again");
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes.push_back({"U", 1, 2}); }),
            "entries[0].sizes[2]: expects a size in an argument's shape, but "
            "got one in none");
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes.resize(1); }),
            "entries[0].arguments[0].shape[1]: expects a number of one of 1 "
            "sizes, but got another one");
  EXPECT_EQ(errorAfter([](Entry &e) { e.arguments[0].strides[1] = -2; }),
            "entries[0].arguments[0].strides[1]: expects a number of at least "
            "0, but got a negative one or none");
  EXPECT_EQ(errorAfter([](Entry &e) { e.sizes.resize(17, e.sizes[0]); }),
            "entries[0].sizes: expects at most 16, but got 17");
}

TEST(RunTimeSizes, M17TheLeastSizesObeyAllOtherRules) {
  EXPECT_NE(errorAfter([](Entry &e) { e.arguments[0].strides[1] = 7; })
                .find("entries[0].arguments[0].strides: expects elements that "
                      "do not overlap"),
            std::string::npos);
  EXPECT_EQ(errorAfter([](Entry &e) {
              e.launches[0].gridOfSizes[0]->constant = int64_t(1) << 40;
            })
                .rfind("entries[0].sizes: expects sizes that fit at their "
                       "least, but got 'expects sizes that need 1 to 33554431 "
                       "workgroups",
                       0),
            0U);
}

TEST(RunTimeSizes, M9OfABlockIsCheckedToo) {
  EXPECT_EQ(errorAfter([](Entry &e) { e.launches[0].block[0] = 0; }),
            "entries[0].launches[0].block[0]: expects 1 to 1024, but got 0");
}

TEST(RunTimeSizes, M18ProductsHaveSizesAndPositiveNumbers) {
  EXPECT_EQ(
      errorAfter([](Entry &e) { e.launches[0].gridOfSizes[0]->constant = 0; }),
      "entries[0].launches[0].grid[0].product[0]: expects 1 to "
      "9223372036854775807, but got 0");
  EXPECT_EQ(errorAfter([](Entry &e) {
              e.launches[0].gridOfSizes[0]->factors[1].size = 2;
            }),
            "entries[0].launches[0].grid[0].product[2].size: expects 0 to 1, "
            "but got 2");
  EXPECT_EQ(errorAfter([](Entry &e) { e.workspaceOfSizes->per = 0; }),
            "entries[0].workspace_bytes.per: expects 1 to "
            "9223372036854775807, but got 0");
  EXPECT_EQ(errorAfter([](Entry &e) {
              e.launches[0].parameters[3] = SizeParameter{2};
            }),
            "entries[0].launches[0].parameters[3].size: expects 0 to 1, but "
            "got 2");
}
