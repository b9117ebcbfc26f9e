//===- SizedExecutableTest.cpp - runs that choose their sizes -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizedArtifact.h"

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"

#include <numeric>

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;
using conv::test::makeSizedArtifact;

namespace {
class SizedExecutableTest : public testing::Test {
protected:
  void SetUp() override {
    device = std::move(*createHostDevice(2));
    auto loaded = Executable::load(*device, makeSizedArtifact());
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable.emplace(std::move(*loaded));
    std::iota(std::begin(input), std::end(input), 1.0F);
  }

  Result<void> run(std::vector<int64_t> sizes, void *scratch) {
    std::vector<void *> arguments = {input, output};
    return executable->run(arguments, scratch, nullptr, sizes);
  }
  /// The error of a run; nothing was launched.
  std::string errorOf(std::vector<int64_t> sizes, void *scratch) {
    std::fill(std::begin(output), std::end(output), 7.0F);
    Result<void> result = run(std::move(sizes), scratch);
    EXPECT_FALSE(result);
    EXPECT_EQ(output[0], 7.0F);
    if (result)
      return "";
    EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
    return result.error().message;
  }

  std::unique_ptr<Device> device;
  std::optional<Executable> executable;
  alignas(256) float input[64] = {}, output[64] = {}, workspace[64] = {};
};
} // namespace

TEST_F(SizedExecutableTest, RunsWithTheSizesOfEachCall) {
  for (auto [b, t] : {std::pair(1, 2), std::pair(3, 5), std::pair(8, 7)}) {
    std::fill(std::begin(output), std::end(output), 7.0F);
    Result<void> done = run({b, t}, workspace);
    ASSERT_TRUE(done) << done.error().message;
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(output[i], i < b * t ? -2.0F * float(t) * input[i] : 7.0F);
  }
}

TEST_F(SizedExecutableTest, SaysWhatWorkspaceSizesNeed) {
  EXPECT_EQ(executable->workspaceBytes(std::vector<int64_t>{3, 5}), 60);
  EXPECT_EQ(executable->workspaceBytes(std::vector<int64_t>{9, 5}), -1);
}

TEST_F(SizedExecutableTest, RefusesSizesOutOfRange) {
  EXPECT_EQ(errorOf({3}, workspace), "expects 2 run-time sizes, but got 1");
  EXPECT_EQ(errorOf({}, workspace), "expects 2 run-time sizes, but got 0");
  EXPECT_EQ(errorOf({0, 5}, workspace), "size 'B': expects 1 to 8, but got 0");
  EXPECT_EQ(errorOf({9, 5}, workspace), "size 'B': expects 1 to 8, but got 9");
  EXPECT_EQ(errorOf({8, 1}, workspace),
            "size 'T': expects 2 to 2147483647, but got 1");
  EXPECT_EQ(errorOf({8, int64_t(1) << 31}, workspace),
            "size 'T': expects 2 to 2147483647, but got 2147483648");
  EXPECT_EQ(errorOf({8, INT64_MIN}, workspace),
            "size 'T': expects 2 to 2147483647, but got "
            "-9223372036854775808");
}

TEST_F(SizedExecutableTest, RefusesGridsThatAreTooLarge) {
  EXPECT_EQ(errorOf({2, kMaxGrid}, workspace),
            "expects sizes that need 1 to 2147483647 workgroups, but got B = "
            "2, T = 2147483647, which need 4294967294");
}

TEST_F(SizedExecutableTest, ChecksBuffersOfTheSizesOfTheCall) {
  EXPECT_EQ(errorOf({3, 5}, nullptr),
            "expects a workspace of 60 bytes at a multiple of 256, but got "
            "null");
  std::vector<void *> arguments = {input, input + 16};
  std::vector<int64_t> fits = {2, 8}, overlaps = {2, 9};
  EXPECT_TRUE(executable->run(arguments, workspace, nullptr, fits));
  Result<void> refused =
      executable->run(arguments, workspace, nullptr, overlaps);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("but they overlap"),
            std::string::npos);
}
