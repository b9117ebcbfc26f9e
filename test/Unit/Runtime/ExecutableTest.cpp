//===- ExecutableTest.cpp - entries chosen, checked and run -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the host device. Global operator new counts, to show that a run
// allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "HostArtifact.h"

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;
using conv::test::makeHostArtifact;

static std::atomic<int64_t> allocations{0};

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

/// The "twice" function loaded on the host, and buffers for it.
class ExecutableTest : public testing::Test {
protected:
  void SetUp() override {
    device = std::move(*createHostDevice(2));
    auto loaded = Executable::load(*device, makeHostArtifact());
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable.emplace(std::move(*loaded));
    for (int i = 0; i < 100; ++i)
      input[i] = float(i);
  }

  std::string errorOf(std::vector<void *> arguments, void *scratch) {
    Result<void> result = executable->run(arguments, scratch);
    EXPECT_FALSE(result);
    if (result)
      return "";
    EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
    return result.error().message;
  }

  std::unique_ptr<Device> device;
  std::optional<Executable> executable;
  alignas(256) float input[128] = {}, output[256] = {}, workspace[256] = {};
};

} // namespace

TEST_F(ExecutableTest, ReadsConstantsWhereTheyAre) {
  Artifact artifact = makeHostArtifact();
  Entry &entry = artifact.manifest.entries[0];
  // The test keeps the bytes.
  auto owner = std::make_shared<int>();
  std::string path = artifact.addData(
      {owner, {reinterpret_cast<const char *>(input), 100 * sizeof(float)}});
  entry.constants = {{entry.arguments[0], path, path.substr(5, 64)}};
  entry.arguments.erase(entry.arguments.begin());
  entry.launches[0].parameters[0] = ConstantParameter{0};
  entry.launches[1].parameters[1] = ArgumentParameter{0};
  auto loaded = Executable::load(*device, artifact);
  ASSERT_TRUE(loaded) << loaded.error().message;
  artifact = {};
  EXPECT_EQ(owner.use_count(), 2); // Kept, not copied.
  input[3] = 70;
  Executable moved = std::move(*loaded);
  void *arguments[] = {output};
  ASSERT_TRUE(moved.run(arguments, workspace));
  EXPECT_EQ(output[2], 12);
  EXPECT_EQ(output[3], 420);
}

TEST_F(ExecutableTest, RunsLaunchesInOrder) {
  void *arguments[] = {input, output};
  ASSERT_TRUE(executable->run(arguments, workspace));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(output[i], 6 * input[i]);
  EXPECT_EQ(output[100], 0);
  EXPECT_EQ(executable->workspaceBytes(), 1024);
}

TEST_F(ExecutableTest, RunAllocatesNothing) {
  void *arguments[] = {input, output};
  ASSERT_TRUE(executable->run(arguments, workspace)); // Starts the threads.
  int64_t before = allocations;
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(executable->run(arguments, workspace));
  EXPECT_EQ(allocations, before);
}

TEST_F(ExecutableTest, RunsFromSeveralThreads) {
  auto runMany = [&](float factor) {
    alignas(256) float mine[100], result[100], scratch[256];
    for (int i = 0; i < 100; ++i)
      mine[i] = factor * float(i);
    void *arguments[] = {mine, result};
    for (int repeat = 0; repeat < 100; ++repeat) {
      ASSERT_TRUE(executable->run(arguments, scratch));
      ASSERT_EQ(result[99], 6 * factor * 99);
    }
  };
  std::thread other(runMany, 2.0f);
  runMany(3.0f);
  other.join();
}

TEST_F(ExecutableTest, RefusesWrongAddresses) {
  EXPECT_EQ(errorOf({input}, workspace), "expects 2 arguments, but got 1");
  EXPECT_EQ(errorOf({input, nullptr}, workspace),
            "argument 'output': expects a buffer, but got null");
  EXPECT_NE(errorOf({input + 1, output}, workspace)
                .find("argument 'input': expects an address that is a "
                      "multiple of 16, but got "),
            std::string::npos);
  EXPECT_EQ(errorOf({input, output}, nullptr),
            "expects a workspace of 1024 bytes at a multiple of 256, but got "
            "null");
  EXPECT_EQ(errorOf({input, output}, workspace + 4),
            "expects a workspace of 1024 bytes at a multiple of 256, but got "
            "another address");
}

TEST_F(ExecutableTest, RefusesBuffersThatOverlap) {
  EXPECT_EQ(errorOf({input, input}, workspace),
            "argument 'output': expects a buffer apart from 'input', but "
            "they overlap and one is written");
  EXPECT_NE(errorOf({input, input + 96}, workspace).find("they overlap"),
            std::string::npos);
  EXPECT_NE(errorOf({output + 96, output}, workspace).find("they overlap"),
            std::string::npos);
  EXPECT_EQ(errorOf({input, workspace + 64}, workspace),
            "argument 'output': expects a buffer apart from the workspace, "
            "but they overlap");
  // The byte after a buffer of 400 belongs to another one.
  void *adjacent[] = {output + 100, output};
  EXPECT_TRUE(executable->run(adjacent, workspace));
}

TEST_F(ExecutableTest, RefusesToShareWhatIsUpdatedInPlace) {
  Artifact artifact = makeHostArtifact();
  artifact.manifest.entries[0].arguments[0].access = "readwrite";
  artifact.manifest.entries[0].arguments[1].access = "read";
  auto loaded = Executable::load(*device, artifact);
  ASSERT_TRUE(loaded) << loaded.error().message;
  void *arguments[] = {input, input};
  Result<void> result = loaded->run(arguments, workspace);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "argument 'output': expects a buffer apart from 'input', but they "
            "overlap and one is written");
}

TEST(SelectEntry, PrefersEarlierTargetsAndOnlyFunctions) {
  Manifest manifest;
  for (auto [function, target] : {std::pair("f", "host"), {"f", "gfx942"}}) {
    Entry entry;
    entry.function = function;
    entry.target = target;
    manifest.entries.push_back(entry);
  }
  EXPECT_EQ((*selectEntry(manifest, "", {"gfx942", "host"}))->target, "gfx942");
  EXPECT_EQ((*selectEntry(manifest, "f", {"host"}))->target, "host");

  auto none = selectEntry(manifest, "f", {"gfx90a"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(none.error().message, "expects function 'f' for gfx90a, but the "
                                  "artifact has f (host, gfx942)");
  manifest.entries[1].function = "g";
  auto unnamed = selectEntry(manifest, "", {"host"});
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().message,
            "expects the name of a function, but got none; the artifact has f "
            "(host), g (gfx942)");
  for (int i = 0; i < 100; ++i) {
    manifest.entries.push_back(manifest.entries[0]);
    manifest.entries.back().function = "z" + std::to_string(100 + i);
  }
  std::string message = selectEntry(manifest, "y", {"host"}).error().message;
  EXPECT_TRUE(message.ends_with(", z104 (host), z105 (host) and 94 more"))
      << message;
  EXPECT_EQ(selectEntry({}, "f", {"host"}).error().message,
            "expects function 'f' for host, but the artifact has nothing");
}

TEST(Executable, RefusesWhatNoDeviceLaunches) {
  auto device = std::move(*createHostDevice(1));
  Artifact artifact = makeHostArtifact();
  artifact.manifest.entries[0].launches[0].parameters[0] = TensorMapParameter{};
  auto loaded = Executable::load(*device, artifact);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Unsupported);
  artifact = makeHostArtifact();
  artifact.manifest.entries[0].launches[0].cluster = {2, 1, 1};
  loaded = Executable::load(*device, artifact);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Unsupported);
  artifact = makeHostArtifact();
  artifact.manifest.entries[0].launches[1].kernel = "none";
  loaded = Executable::load(*device, artifact);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("has no kernel 'none'"),
            std::string::npos);
}

TEST(OpenDevice, ChecksTheName) {
  auto device = openDevice("host");
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->name(), "host");
  EXPECT_EQ((*device)->targets().back(), "host");
  for (const char *name :
       {"", "hosts", "hip:", "hip:x", "hip:-1", "cuda:", "cudas", "cuda:0x"}) {
    auto bad = openDevice(name);
    ASSERT_FALSE(bad) << name;
    EXPECT_EQ(bad.error().kind, ErrorKind::BadInput) << name;
  }
}
