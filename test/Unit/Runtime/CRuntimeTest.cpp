//===- CRuntimeTest.cpp - libconv_runtime.so as an application sees it ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the shared library, which exports only the symbols of conv_runtime.h;
// artifacts are made with the static library. The C program in examples/ runs
// as well.
//
//===----------------------------------------------------------------------===//

#include "../TemporaryDirectory.h"
#include "SizedArtifact.h"

#include "conv/Runtime/conv_runtime.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <string_view>
#include <sys/wait.h>
#include <thread>

using conv::test::makeHostArtifact;
using conv::test::TemporaryDirectory;

/// While this is set, the library gets no memory in this thread.
static thread_local bool outOfMemory = false;

void *operator new(size_t bytes) {
  void *memory = outOfMemory ? nullptr : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

class CRuntimeTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(makeHostArtifact().write(directory.path("a.convpack")));
    ASSERT_EQ(
        conv_artifact_open(directory.path("a.convpack").c_str(), &artifact),
        CONV_OK)
        << conv_last_error();
    ASSERT_EQ(conv_device_open("host", &device), CONV_OK);
  }
  void TearDown() override {
    conv_device_close(device);
    conv_artifact_close(artifact);
  }

  TemporaryDirectory directory;
  conv_artifact *artifact = nullptr;
  conv_device *device = nullptr;
};

} // namespace

TEST_F(CRuntimeTest, RunsAFunction) {
  EXPECT_EQ(conv_artifact_entry_count(artifact), 1u);
  EXPECT_STREQ(conv_artifact_function(artifact, 0), "twice");
  EXPECT_STREQ(conv_artifact_target(artifact, 0), "host");
  EXPECT_EQ(conv_artifact_target(artifact, 1), nullptr);
  EXPECT_NE(std::strstr(conv_artifact_manifest(artifact), "\"twice\""),
            nullptr);
  // Processors with AVX-512 prefer code for it.
  size_t last = 0;
  while (conv_device_target(device, last + 1))
    ++last;
  EXPECT_STREQ(conv_device_target(device, last), "host");
  EXPECT_GE(conv_device_compute_units(device), 1u); // Threads.

  conv_executable *executable = nullptr;
  ASSERT_EQ(conv_executable_load(device, artifact, "twice", &executable),
            CONV_OK)
      << conv_last_error();
  EXPECT_STREQ(conv_executable_target(executable), "host");
  ASSERT_EQ(conv_executable_argument_count(executable), 2u);
  conv_argument argument;
  ASSERT_EQ(conv_executable_argument(executable, 1, &argument), CONV_OK);
  EXPECT_STREQ(argument.name, "output");
  EXPECT_STREQ(argument.dtype, "f32");
  EXPECT_EQ(argument.rank, 1u);
  EXPECT_EQ(argument.shape[0], 100);
  EXPECT_EQ(argument.bytes, 400);
  EXPECT_EQ(argument.is_written, 1);
  EXPECT_EQ(conv_executable_workspace_bytes(executable), 1024);

  std::vector<float> values(100, 2.0f), results(100);
  void *arguments[2], *workspace;
  ASSERT_EQ(conv_device_allocate(device, 400, &arguments[0]), CONV_OK);
  ASSERT_EQ(conv_device_allocate(device, 400, &arguments[1]), CONV_OK);
  ASSERT_EQ(conv_device_allocate(device, 1024, &workspace), CONV_OK);
  ASSERT_EQ(conv_device_copy_to(device, arguments[0], values.data(), 400),
            CONV_OK);
  ASSERT_EQ(conv_executable_run(executable, arguments, 2, workspace, nullptr),
            CONV_OK);
  ASSERT_EQ(conv_device_synchronize(device, nullptr), CONV_OK);
  ASSERT_EQ(conv_device_copy_from(device, results.data(), arguments[1], 400),
            CONV_OK);
  EXPECT_EQ(results, std::vector<float>(100, 12.0f));
  EXPECT_EQ(conv_device_free(device, workspace), CONV_OK);
  conv_executable_close(executable);
}

TEST_F(CRuntimeTest, FailuresHaveAStatusAndAText) {
  conv_artifact *none = nullptr;
  EXPECT_EQ(conv_artifact_open("/no/such", &none), CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(),
               "cannot read '/no/such': No such file or directory");
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(conv_artifact_open_memory("PK", 2, &none), CONV_BAD_INPUT);
  conv_executable *executable = nullptr;
  EXPECT_EQ(conv_executable_load(device, artifact, "thrice", &executable),
            CONV_BAD_INPUT);
  EXPECT_TRUE(std::string_view(conv_last_error())
                  .starts_with("expects function 'thrice' for host"));
  EXPECT_TRUE(std::string_view(conv_last_error())
                  .ends_with("host, but the artifact has twice (host)"));
  void *address = nullptr;
  EXPECT_EQ(conv_device_allocate(device, INT64_MAX, &address), CONV_SYSTEM);
  EXPECT_EQ(conv_device_allocate(device, -1, &address), CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(), "expects 1 or more bytes, but got -1");
  EXPECT_EQ(conv_device_copy_to(device, &address, &address, -1),
            CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(), "expects 0 or more bytes, but got -1");
  EXPECT_EQ(conv_device_free(device, &address), CONV_BAD_INPUT);
  conv_argument argument;
  ASSERT_EQ(conv_executable_load(device, artifact, nullptr, &executable),
            CONV_OK);
  EXPECT_EQ(conv_executable_argument(executable, 2, &argument), CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(),
               "expects the index of one of 2 arguments, but got 2");
  conv_executable_close(executable);
}

TEST_F(CRuntimeTest, NullIsAnswered) {
  EXPECT_EQ(conv_artifact_open(nullptr, &artifact), CONV_BAD_INPUT);
  EXPECT_EQ(conv_artifact_open("x", nullptr), CONV_BAD_INPUT);
  EXPECT_EQ(conv_device_open(nullptr, nullptr), CONV_BAD_INPUT);
  EXPECT_EQ(conv_device_allocate(nullptr, 1, nullptr), CONV_BAD_INPUT);
  EXPECT_EQ(conv_executable_load(nullptr, nullptr, nullptr, nullptr),
            CONV_BAD_INPUT);
  EXPECT_EQ(conv_executable_argument(nullptr, 0, nullptr), CONV_BAD_INPUT);
  EXPECT_EQ(conv_executable_run(nullptr, nullptr, 0, nullptr, nullptr),
            CONV_BAD_INPUT);
  EXPECT_EQ(conv_executable_workspace_bytes(nullptr), 0);
  EXPECT_EQ(conv_artifact_manifest(nullptr), nullptr);
  EXPECT_EQ(conv_device_target(nullptr, 0), nullptr);
  EXPECT_EQ(conv_device_compute_units(nullptr), 0u);
  EXPECT_EQ(conv_executable_target(nullptr), nullptr);
  conv_executable_close(nullptr);
  conv_device_close(nullptr);
  conv_artifact_close(nullptr);
}

TEST_F(CRuntimeTest, RunsAFunctionWithTheSizesOfShapes) {
  std::string path = directory.path("sized.convpack");
  ASSERT_TRUE(conv::test::makeSizedArtifact().write(path));
  conv_artifact *sized = nullptr;
  conv_executable *executable = nullptr;
  ASSERT_EQ(conv_artifact_open(path.c_str(), &sized), CONV_OK)
      << conv_last_error();
  ASSERT_EQ(conv_executable_load(device, sized, "grow", &executable), CONV_OK);
  ASSERT_EQ(conv_executable_size_count(executable), 2u);
  conv_size size;
  ASSERT_EQ(conv_executable_size(executable, 1, &size), CONV_OK);
  EXPECT_STREQ(size.name, "T");
  EXPECT_EQ(size.least, 2);
  EXPECT_EQ(size.most, 2147483647);
  EXPECT_EQ(conv_executable_size(executable, 2, &size), CONV_BAD_INPUT);
  conv_argument argument;
  ASSERT_EQ(conv_executable_argument(executable, 0, &argument), CONV_OK);
  EXPECT_EQ(argument.shape[1], -2);
  EXPECT_EQ(argument.strides[0], -1);
  EXPECT_EQ(argument.bytes, -1);

  const int64_t shape[] = {2, 3}, other[] = {2, 4};
  const int64_t *shapes[] = {shape, shape}, *wrong[] = {shape, other};
  int64_t sizes[2] = {}, bytes = 0;
  ASSERT_EQ(conv_executable_find_sizes(executable, shapes, 2, sizes, &bytes),
            CONV_OK)
      << conv_last_error();
  EXPECT_EQ(sizes[0], 2);
  EXPECT_EQ(sizes[1], 3);
  EXPECT_EQ(bytes, 24);
  EXPECT_EQ(conv_executable_find_sizes(executable, wrong, 2, sizes, nullptr),
            CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(),
               "argument 'output': expects shape (B, T), with sizes that "
               "arguments share, but got (2, 4)");
  EXPECT_EQ(conv_executable_find_sizes(executable, shapes, 1, sizes, nullptr),
            CONV_BAD_INPUT);

  alignas(256) float input[8] = {1, 2, 3, 4, 5, 6}, output[8] = {},
                     workspace[64] = {};
  void *arguments[] = {input, output};
  EXPECT_EQ(conv_executable_run_sizes(executable, sizes, 2, arguments, 2,
                                      workspace, nullptr),
            CONV_OK)
      << conv_last_error();
  EXPECT_EQ(output[5], -36.0F);
  EXPECT_EQ(output[6], 0.0F);
  EXPECT_EQ(conv_executable_run(executable, arguments, 2, workspace, nullptr),
            CONV_BAD_INPUT);
  EXPECT_STREQ(conv_last_error(), "expects 2 run-time sizes, but got 0");
  conv_executable_close(executable);
  conv_artifact_close(sized);
}

TEST_F(CRuntimeTest, TheExampleInC) {
  auto exitCode = [&](const std::string &arguments) {
    std::string command = std::string(CONV_TEST_EXAMPLE) + " " + arguments +
                          " > " + directory.path("out") + " 2>&1";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  EXPECT_EQ(exitCode(directory.path("a.convpack") + " host twice"), 0);
  EXPECT_EQ(directory.read("out"), "read  input: f32  100\n"
                                   "write output: f32  100\n"
                                   "output: from 6 to 6\n"
                                   "ran on host\n");
  EXPECT_EQ(exitCode(directory.path("none") + " host"), 2);
}

TEST_F(CRuntimeTest, OutOfMemoryIsAStatus) {
  conv_artifact *none = nullptr;
  std::string path = directory.path("a.convpack"), message;
  conv_status open = CONV_OK, null = CONV_OK;
  // A thread without memory for a message so far.
  std::thread([&] {
    outOfMemory = true;
    open = conv_artifact_open(path.c_str(), &none);
    null = conv_artifact_open(path.c_str(), nullptr);
    outOfMemory = false;
    message = conv_last_error();
  }).join();
  EXPECT_EQ(open, CONV_SYSTEM);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(null, CONV_BAD_INPUT);
  EXPECT_EQ(message, "out of memory");
}
