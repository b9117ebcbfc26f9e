//===- ManifestTest.cpp - the manifest's JSON and its rules -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule of docs/artifact.md has cases named after it that break it in the
// JSON text. The message is compared from its path on.
//
//===----------------------------------------------------------------------===//

#include "ExampleManifest.h"

#include "conv/Artifact/ManifestJson.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace conv;
using namespace conv::artifact;
using conv::test::makeArtifact;

static std::string goodText() {
  Result<std::string> text = writeManifest(makeArtifact().manifest);
  EXPECT_TRUE(text);
  return *text;
}

/// The good text with the first `from` replaced; fails without one.
static std::string replaced(const std::string &from, const std::string &to) {
  std::string text = goodText();
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text
                                    : text.replace(place, from.size(), to);
}

static std::string errorOf(const std::string &text,
                           ErrorKind kind = ErrorKind::BadInput) {
  Result<Manifest> manifest = parseManifest(text);
  EXPECT_FALSE(manifest) << text;
  if (manifest)
    return "";
  EXPECT_EQ(manifest.error().kind, kind);
  return manifest.error().message;
}

/// The error after `change` was made to the one entry.
template <typename Change> static std::string errorAfter(Change change) {
  Manifest manifest = makeArtifact().manifest;
  change(manifest.entries[0]);
  Result<void> result = verifyManifest(manifest);
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

TEST(Manifest, RoundTripKeepsEveryField) {
  std::string text = goodText();
  Result<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(manifest) << manifest.error().message;
  const Entry &entry = manifest->entries.at(0);
  EXPECT_EQ(manifest->compiler.llvm, "22.1.8");
  EXPECT_EQ(entry.function, "f");
  EXPECT_EQ(entry.chosenBy, "heuristic");
  EXPECT_EQ(entry.arguments.at(0).layout, "NHWC");
  EXPECT_EQ(entry.arguments.at(1).strides, (std::vector<int64_t>{8, 8, 8, 1}));
  EXPECT_EQ(entry.errorBound.accumulation, 576);
  EXPECT_EQ(entry.reference, makeArtifact().manifest.entries[0].reference);
  const Launch &launch = entry.launches.at(0);
  EXPECT_EQ(launch.grid, (std::array<int64_t, 3>{7, 2, 1}));
  EXPECT_EQ(launch.resources.sharedBytes, 32768);
  EXPECT_EQ(std::get<WorkspaceParameter>(launch.parameters.at(3)).offset, 256);
  EXPECT_EQ(std::get<I32Parameter>(launch.parameters.at(4)).value, -7);
  const auto &map = std::get<TensorMapParameter>(launch.parameters.at(5));
  EXPECT_EQ(std::get<ArgumentParameter>(map.base).index, 0);
  EXPECT_EQ(map.strides, (std::vector<int64_t>{16, 64, 256}));
  EXPECT_EQ(map.lower, (std::vector<int64_t>{-1, -1}));
  // The structs hold everything: writing again gives the same text.
  EXPECT_EQ(*writeManifest(*manifest), text);
}

TEST(Manifest, UnknownFieldsAreIgnored) {
  EXPECT_TRUE(parseManifest(
      replaced("\"format\"", "\"later\": {\"x\": [1]}, \"format\"")));
}

TEST(Manifest, OnlyLaunchesThatStartEarlySaySo) {
  Manifest manifest = makeArtifact().manifest;
  EXPECT_EQ(goodText().find("starts_early"), std::string::npos);
  manifest.entries[0].launches[0].startsEarly = true;
  Result<std::string> text = writeManifest(manifest);
  ASSERT_TRUE(text);
  Result<Manifest> read = parseManifest(*text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->entries[0].launches[0].startsEarly);
}

TEST(Manifest, EveryTruncationIsAnError) {
  std::string text = goodText();
  for (size_t size = 0; size + 2 < text.size(); size += 7)
    EXPECT_FALSE(parseManifest(text.substr(0, size))) << size;
}

TEST(Manifest, MissingAndMistypedFieldsAreNamed) {
  EXPECT_EQ(errorOf("[]"), "expects an object, but got an array");
  EXPECT_EQ(errorOf("{}"), "format: expects this field, but it is missing");
  EXPECT_EQ(errorOf(replaced("\"kernel\"", "\"colonel\"")),
            "entries[0].launches[0].kernel: expects this field, but it is "
            "missing");
  EXPECT_EQ(errorOf(replaced("\"workspace_bytes\": 1024",
                             "\"workspace_bytes\": \"1024\"")),
            "entries[0].workspace_bytes: expects an integer of 64 bits, but "
            "got \"1024\"");
  EXPECT_EQ(errorOf(replaced("\"workspace_bytes\": 1024",
                             "\"workspace_bytes\": 1e3")),
            "entries[0].workspace_bytes: expects an integer of 64 bits, but "
            "got 1000.0");
  EXPECT_EQ(errorOf(replaced("\"workspace_bytes\": 1024",
                             "\"workspace_bytes\": 9223372036854775808")),
            "entries[0].workspace_bytes: expects an integer of 64 bits, but "
            "got 9223372036854775808");
  EXPECT_EQ(
      errorOf(replaced("\"deterministic\": true", "\"deterministic\": 1")),
      "entries[0].deterministic: expects true or false, but got 1");
  EXPECT_EQ(errorOf(replaced("\"i32\": -7", "\"i32\": 2147483648")),
            "entries[0].launches[0].parameters[4].i32: expects an integer of "
            "32 bits, but got 2147483648");
  EXPECT_EQ(errorOf(replaced("\"i32\"", "\"i31\"")),
            "entries[0].launches[0].parameters[4]: expects one of argument, "
            "constant, workspace, i32, size and tensor_map, but got an object");
}

TEST(Manifest, TextThatReadersCouldDisagreeOn) {
  EXPECT_EQ(errorOf(replaced("\"format\": 1", "\"format\": 1, \"format\": 1")),
            "expects every key once, but got \"format\" twice");
  std::string deep(100000, '[');
  deep += std::string(100000, ']');
  EXPECT_EQ(errorOf("{\"format\": " + deep + "}"),
            "expects at most 64 levels of nesting");
  EXPECT_NE(errorOf("{\"format\": 1} x").find("a JSON document"),
            std::string::npos);
}

TEST(Manifest, MessagesHoldNoControlCharacters) {
  std::string message =
      errorOf(replaced("\"workspace_bytes\": 1024",
                       "\"workspace_bytes\": \"\\u001b[31m\\u0000\""));
  for (unsigned char c : message)
    EXPECT_GE(c, 0x20);
}

TEST(Manifest, M1Format) {
  EXPECT_EQ(errorOf(replaced("\"format\": 1", "\"format\": 2"),
                    ErrorKind::Unsupported),
            "format: expects 1, but got 2");
}

TEST(Manifest, M2Names) {
  EXPECT_EQ(errorOf(replaced("\"function\": \"f\"", "\"function\": \"\"")),
            "entries[0].function: expects 1 to 4096 characters, but got 0");
  EXPECT_EQ(
      errorOf(replaced("\"kernel\": \"f_0\"", "\"kernel\": \"a\\u001bb\"")),
      "entries[0].launches[0].kernel: expects no control characters, but got "
      "one");
  EXPECT_EQ(
      errorOf(replaced("\"dtype\": \"f16\"", "\"dtype\": \"\\u001b[31m\"")),
      "entries[0].arguments[0].dtype: expects no control characters, but got "
      "one");
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.problem = "conv\n-n 1"; }),
            "entries[0].problem: expects no control characters, but got one");
  EXPECT_EQ(errorOf(replaced("heuristic", "oracle")),
            "entries[0].chosen_by: expects \"user\" or \"database\" or "
            "\"heuristic\", but got \"oracle\"");
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.arguments[1].name = "input"; }),
            "entries[0].arguments[1].name: expects a name of its own, but got "
            "'input' again");
}

TEST(Manifest, M3OneEntryPerFunctionAndTarget) {
  Manifest manifest = makeArtifact().manifest;
  manifest.entries.push_back(manifest.entries[0]);
  EXPECT_EQ(verifyManifest(manifest).error().message,
            "entries[1]: expects one entry for each function and target, but "
            "got a second for 'f' on gfx942");
  manifest.entries[1].target = "host";
  EXPECT_TRUE(verifyManifest(manifest));
}

TEST(Manifest, M4ElementTypes) {
  EXPECT_EQ(errorOf(replaced("\"dtype\": \"f16\"", "\"dtype\": \"f15\"")),
            "entries[0].arguments[0].dtype: expects an element type such as "
            "\"f16\", but got \"f15\"");
  EXPECT_EQ(errorOf(replaced("\"access\": \"read\"", "\"access\": \"rw\"")),
            "entries[0].arguments[0].access: expects \"read\" or \"write\" or "
            "\"readwrite\", but got \"rw\"");
  Manifest manifest = makeArtifact().manifest;
  manifest.entries[0].arguments[0].access = "readwrite";
  manifest.entries[0].arguments[0].dtype = "i64";
  EXPECT_TRUE(verifyManifest(manifest));
  EXPECT_TRUE(manifest.entries[0].arguments[0].isRead());
  EXPECT_TRUE(manifest.entries[0].arguments[0].isWritten());
}

TEST(Manifest, M5ShapesAndStrides) {
  auto withShape = [](std::vector<int64_t> shape,
                      std::vector<int64_t> strides) {
    return errorAfter([&](Entry &entry) {
      entry.arguments[2].shape = shape;
      entry.arguments[2].strides = strides;
    });
  };
  const std::string path = "entries[0].arguments[2]";
  EXPECT_EQ(withShape({2, 0}, {1, 1}),
            path + ".shape[1]: expects 1 to 9223372036854775807, but got 0");
  EXPECT_EQ(withShape({2, -1}, {1, 1}),
            path + ".shape[1]: expects 1 to 9223372036854775807, but got -1");
  EXPECT_EQ(withShape({2, 2}, {1}),
            path + ".strides: expects 2 as in shape, but got 1");
  EXPECT_EQ(withShape({2, 2}, {-2, 1}),
            path + ".strides[0]: expects 0 to 9223372036854775807, but got -2");
  // 2^62 elements of two bytes; a product that wraps to a small number.
  EXPECT_EQ(withShape({int64_t(1) << 62}, {1}),
            path + ".shape: expects a buffer of fewer than 2^63 bytes, but got "
                   "more");
  EXPECT_EQ(withShape({int64_t(1) << 33, 1 << 5}, {int64_t(1) << 31, 1}),
            path + ".shape: expects a buffer of fewer than 2^63 bytes, but got "
                   "more");
  EXPECT_EQ(withShape({4, 4}, {3, 1}),
            path + ".strides: expects elements that do not overlap, but got a "
                   "stride of 3 over 4 elements");
  EXPECT_EQ(withShape({4}, {0}),
            path + ".strides: expects elements that do not overlap, but got a "
                   "stride of 0 over 1 elements");
  EXPECT_EQ(withShape(std::vector<int64_t>(17, 1), std::vector<int64_t>(17, 1)),
            path + ".shape (its rank): expects 0 to 16, but got 17");
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.arguments[0].layout = "NHW"; }),
            "entries[0].arguments[0].layout: expects 4 letters, but got "
            "\"NHW\"");
}

TEST(Manifest, M5AcceptsStridesThatLeaveGaps) {
  Manifest manifest = makeArtifact().manifest;
  manifest.entries[0].arguments[2].shape = {2, 3, 1};
  manifest.entries[0].arguments[2].strides = {1, 10, 0};
  EXPECT_TRUE(verifyManifest(manifest));
  EXPECT_EQ(bufferBytes(manifest.entries[0].arguments[2]), 2 * 22);
  // Tensors that are only read must not repeat elements: kernels read them all.
  manifest.entries[0].arguments[0].strides = {0, 0, 0, 1};
  EXPECT_FALSE(verifyManifest(manifest));
}

TEST(Manifest, M6Alignment) {
  for (int64_t alignment :
       {int64_t(0), int64_t(-16), int64_t(24), int64_t(1) << 21, INT64_MIN})
    EXPECT_EQ(errorAfter([&](Entry &entry) {
                entry.arguments[0].alignment = alignment;
              }),
              "entries[0].arguments[0].alignment: expects a power of two up to "
              "1048576, but got " +
                  std::to_string(alignment));
}

TEST(Manifest, M7Workspace) {
  EXPECT_NE(errorAfter([](Entry &entry) {
              entry.workspaceBytes = -1;
            }).find("entries[0].workspace_bytes: expects 0 to"),
            std::string::npos);
}

/// The error after `change` was made to the example's tensor map.
template <typename Change> static std::string errorOfMap(Change change) {
  return errorAfter([&](Entry &entry) {
    change(std::get<TensorMapParameter>(entry.launches[0].parameters[5]));
  });
}

TEST(Manifest, M15TensorMaps) {
  using Map = TensorMapParameter;
  std::string path = "entries[0].launches[0].parameters[5].tensor_map";
  EXPECT_EQ(errorOfMap([](Map &map) { map.base = ArgumentParameter{3}; }),
            path + ".argument: expects 0 to 2, but got 3");
  EXPECT_EQ(errorOfMap([](Map &map) { map.base = WorkspaceParameter{1024}; }),
            path + ".workspace: expects 0 to 1023, but got 1024");
  EXPECT_EQ(errorOfMap([](Map &map) { map.dtype = "f64"; }),
            path + ".dtype: expects \"i8\" or \"i32\" or \"f16\" or \"bf16\" "
                   "or \"f32\" or \"tf32\", but got \"f64\"");
  // A row then has twice the bytes.
  EXPECT_EQ(errorOfMap([](Map &map) {
              map.dtype = "tf32";
              map.swizzle = 32;
              map.box[0] = 16;
            }),
            path + ".box[0]: expects a multiple of 16 bytes up to the swizzle, "
                   "but got 64");
  EXPECT_EQ(errorOfMap([](Map &map) { map.sizes = {8, 4}; }),
            path + ".sizes (their number): expects 3 to 5, but got 2");
  EXPECT_EQ(errorOfMap([](Map &map) { map.sizes[1] = 0; }),
            path + ".sizes[1]: expects 1 to 4294967296, but got 0");
  EXPECT_EQ(errorOfMap([](Map &map) { map.strides = {16, 64}; }),
            path + ".strides (their number): expects 3 to 3, but got 2");
  EXPECT_EQ(errorOfMap([](Map &map) { map.strides[0] = 24; }),
            path + ".strides[0]: expects a multiple of 16, but got 24");
  EXPECT_EQ(errorOfMap([](Map &map) { map.box = {8, 1025}; }),
            path + ".box[1]: expects 1 to 1024, but got 1025");
  EXPECT_EQ(errorOfMap([](Map &map) { map.box = {4, 16}; }),
            path + ".box[0]: expects a multiple of 16 bytes up to the swizzle, "
                   "but got 8");
  EXPECT_EQ(errorOfMap([](Map &map) { map.elementStrides[2] = 9; }),
            path + ".element_strides[2]: expects 1 to 8, but got 9");
  EXPECT_EQ(errorOfMap([](Map &map) { map.upper[1] = 128; }),
            path + ".upper[1]: expects -128 to 127, but got 128");
  EXPECT_EQ(errorOfMap([](Map &map) { map.swizzle = 8; }),
            path + ".swizzle: expects 16, 32, 64 or 128, but got 8");
  EXPECT_EQ(errorOfMap([](Map &map) { map.sizes[3] = 2; }),
            path + ".sizes: expects at most the buffer's 256 bytes, but got "
                   "512");
  EXPECT_EQ(errorAfter([](Entry &entry) {
              Launch &launch = entry.launches[0];
              launch.parameters.assign(25, launch.parameters[5]);
            }),
            "entries[0].launches[0].parameters (tensor maps): expects 0 to 24, "
            "but got 25");
}

TEST(Manifest, M8CodePaths) {
  std::string good = makeArtifact().manifest.entries[0].launches[0].code;
  std::string digest = good.substr(5, 64);
  for (std::string path :
       {"../" + good, "/" + good, std::string("code/x.hsaco"), "code/" + digest,
        "code/" + digest + ".", "code/" + digest + ".so/x",
        "code/" + std::string(64, 'a') + ".so"})
    EXPECT_NE(errorAfter([&](Entry &entry) {
                entry.launches[0].code = path;
              }).find("entries[0].launches[0].code: expects "),
              std::string::npos)
        << path;
}

TEST(Manifest, M9LaunchShape) {
  auto withLaunch = [](auto change) {
    return errorAfter([&](Entry &entry) { change(entry.launches[0]); });
  };
  const std::string path = "entries[0].launches[0].";
  EXPECT_EQ(withLaunch([](Launch &l) { l.grid[1] = 0; }),
            path + "grid[1]: expects 1 to 2147483647, but got 0");
  EXPECT_EQ(withLaunch([](Launch &l) { l.grid[0] = int64_t(1) << 31; }),
            path + "grid[0]: expects 1 to 2147483647, but got 2147483648");
  EXPECT_EQ(withLaunch([](Launch &l) { l.grid[0] = 1 << 24; }),
            path + "grid[0]: expects fewer than 2^32 work-items, but got "
                   "16777216 times 256");
  EXPECT_EQ(withLaunch([](Launch &l) { l.block = {1025, 1, 1}; }),
            path + "block[0]: expects 1 to 1024, but got 1025");
  EXPECT_EQ(withLaunch([](Launch &l) { l.block = {64, 32, 1}; }),
            path + "block (its product): expects 1 to 1024, but got 2048");
  EXPECT_EQ(withLaunch([](Launch &l) { l.cluster = {2, 1, 1}; }),
            path + "grid[0]: expects a multiple of 2, the cluster, but got 7");
  EXPECT_EQ(withLaunch([](Launch &l) { l.dynamicSharedBytes = -4; }),
            path + "dynamic_shared_bytes: expects 0 to 1048576, but got -4");
  EXPECT_EQ(errorOf(replaced("\"block\": [", "\"block\": [1,")),
            path + "block: expects at most 3 elements, but got 4");
}

TEST(Manifest, M10Parameters) {
  auto withParameter = [](Parameter parameter) {
    return errorAfter(
        [&](Entry &entry) { entry.launches[0].parameters[1] = parameter; });
  };
  const std::string path = "entries[0].launches[0].parameters[1].";
  EXPECT_EQ(withParameter(ArgumentParameter{3}),
            path + "argument: expects 0 to 2, but got 3");
  EXPECT_EQ(withParameter(ArgumentParameter{-1}),
            path + "argument: expects 0 to 2, but got -1");
  EXPECT_EQ(withParameter(WorkspaceParameter{1024}),
            path + "workspace: expects 0 to 1023, but got 1024");
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.workspaceBytes = 0; }),
            "entries[0].launches[0].parameters[3].workspace: expects an entry "
            "with a workspace, but got none");
  EXPECT_EQ(errorAfter([](Entry &entry) {
              entry.launches[0].parameters.resize(129, I32Parameter{0});
            }),
            "entries[0].launches[0].parameters (their number): expects 0 to "
            "128, but got 129");
}

TEST(Manifest, M11ErrorBound) {
  EXPECT_NE(errorAfter([](Entry &entry) {
              entry.errorBound.accumulation = -1;
            }).find("entries[0].error_bound.accumulation: expects a finite"),
            std::string::npos);
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.errorBound.operands = NAN; }),
            "entries[0].error_bound.operands: expects a finite number of at "
            "least 0, but got nan");
  EXPECT_EQ(errorAfter([](Entry &entry) { entry.errorBound.constant = -2; }),
            "entries[0].error_bound.constant: expects a finite number of at "
            "least 0, but got -2.000000");
}

TEST(Manifest, M13FollowedOperationsNeedAReference) {
  EXPECT_EQ(errorAfter([](Entry &entry) {
              entry.errorBound.followOperations = true;
              entry.reference.clear();
            }),
            "entries[0].error_bound.follow_operations: expects a reference to "
            "follow them through, but got none");
}

TEST(Manifest, M14ContractBindsSizesToCode) {
  const char *message =
      "entries[0].contract: expects the digest of arguments, "
      "constants, workspace_bytes and launches, but got that of others";
  EXPECT_EQ(errorOf(replaced("\"workspace_bytes\": 1024",
                             "\"workspace_bytes\": 1025")),
            message);
  EXPECT_EQ(errorOf(replaced("\"alignment\": 16", "\"alignment\": 8")),
            message);
  EXPECT_EQ(errorOf(replaced("\"i32\": -7", "\"i32\": 7")), message);
  EXPECT_EQ(errorOf(replaced("\"contract\"", "\"contact\"")),
            "entries[0].contract: expects this field, but it is missing");
}

TEST(Manifest, ErrorBoundHasOnlyTheTermsItNeeds) {
  EXPECT_EQ(writeErrorBound({576, 0.5}),
            R"({"accumulation":576.0,"output_ulp":0.5})");
  ErrorBound cancelling{577, 0.5, 8, 1, 2.5, true};
  EXPECT_EQ(writeErrorBound(cancelling),
            R"({"accumulation":577.0,"output_ulp":0.5,"transforms":8.0,)"
            R"("operands":1.0,"constant":2.5,"follow_operations":true})");
  Result<ErrorBound> read = parseErrorBound(writeErrorBound(cancelling));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->transforms, 8);
  EXPECT_EQ(read->operands, 1);
  EXPECT_EQ(read->constant, 2.5);
  EXPECT_TRUE(read->followOperations);
  EXPECT_EQ(parseErrorBound(R"({"accumulation": 1})").error().message,
            "output_ulp: expects this field, but it is missing");
  EXPECT_EQ(
      parseErrorBound(R"({"accumulation": 1, "output_ulp": -1})")
          .error()
          .message,
      "output_ulp: expects a finite number of at least 0, but got -1.000000");
  EXPECT_FALSE(parseErrorBound(
      R"({"accumulation": 1, "output_ulp": 1, "transforms": -1})"));
}

TEST(Manifest, ErrorBoundHasTheOrderOfRoundings) {
  ErrorBound bound{12, 0.5, 4};
  bound.roundings = {1, 0.25, 8, 64};
  std::string text = writeErrorBound(bound);
  EXPECT_EQ(text,
            R"({"accumulation":12.0,"output_ulp":0.5,"transforms":4.0,)"
            R"("roundings":{"factor":1.0,"accumulation":0.25,"unordered":8,)"
            R"("slice":64}})");
  Result<ErrorBound> read = parseErrorBound(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->roundings->accumulation, 0.25);
  EXPECT_EQ(read->roundings->slice, 64);
  auto errorWith = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return parseErrorBound(changed).error().message;
  };
  EXPECT_EQ(errorWith(R"("slice":64)", R"("slice":0)"),
            "roundings: expects unordered of at least 0 and slice of at least "
            "1, but got 8 and 0");
  EXPECT_EQ(errorWith(R"("factor":1.0)", R"("factor":-1)"),
            "roundings.factor: expects a finite number of at least 0, but got "
            "-1.000000");
  EXPECT_EQ(errorWith(R"("transforms":4.0,)", ""),
            "roundings: expects transforms to be positive, but got 0");
}

TEST(Manifest, M12Resources) {
  EXPECT_EQ(
      errorAfter([](Entry &entry) { entry.launches[0].resources.vgpr = -1; }),
      "entries[0].launches[0].resources.vgpr: expects 0 to "
      "9223372036854775807, but got -1");
}

TEST(Manifest, ReferenceMustBeJson) {
  Manifest manifest = makeArtifact().manifest;
  manifest.entries[0].reference = "{\"open\":";
  Result<std::string> text = writeManifest(manifest);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "expects the reference of 'f' to be JSON");
}
