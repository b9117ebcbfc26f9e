//===- CudaTest.cpp - the CUDA device against a stand-in --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/CUDA/CudaLibrary.h"
#include "StandInTest.h"

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;

namespace {

class CudaTest : public conv::test::StandInTest {
protected:
  CudaTest() : StandInTest("libcuda.so.1", "sm_90a", EM_CUDA) {
    control.find(capture, "standin_capture");
    control.find(setContext, "cuCtxSetCurrent");
    control.find(getContext, "cuCtxGetCurrent");
    setContext(nullptr);
  }

  void (*capture)(void *stream);
  int (*setContext)(void *context);
  int (*getContext)(void **context);
};

} // namespace

TEST_F(CudaTest, RunsAFunctionWithTheExpectedCalls) {
  auto device = createCudaDevice();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "cuda");
  EXPECT_EQ((*device)->targets(),
            (std::vector<std::string>{"sm_90a", "sm_90"}));
  EXPECT_EQ(calls(), "cuInit\ncuDeviceGetCount\ncuDeviceGet(0)\n"
                     "cuDeviceGetAttribute\ncuDeviceGetAttribute\n"
                     "cuDeviceGetAttribute\ncuDevicePrimaryCtxRetain(0)\n");
  EXPECT_EQ((*device)->computeUnits(), 132u);

  auto executable = Executable::load(**device, artifact);
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_EQ(executable->entry().target, "sm_90a");
  EXPECT_EQ(calls(), "cuModuleLoadData\ncuModuleGetFunction(scale)\n");

  auto input = (*device)->allocate(400), output = (*device)->allocate(400),
       workspace = (*device)->allocate(1024);
  auto stream = (*device)->createStream();
  ASSERT_TRUE(stream);
  std::vector<float> values(100, 1.5f), results(100);
  ASSERT_TRUE((*device)->copyToDevice((*input)->address(), values.data(), 400));
  void *arguments[] = {(*input)->address(), (*output)->address()};
  ASSERT_TRUE(executable->run(arguments, (*workspace)->address(), *stream));
  ASSERT_TRUE((*device)->synchronize(*stream));
  ASSERT_TRUE((*device)->copyToHost(results.data(), (*output)->address(), 400));
  EXPECT_EQ(results, std::vector<float>(100, 9.0f));
  (*device)->destroyStream(*stream);
  EXPECT_EQ(calls(),
            "cuMemAlloc(400)\ncuMemAlloc(400)\ncuMemAlloc(1024)\n"
            "cuStreamCreate\ncuMemcpyHtoD(400)\ncuStreamSynchronize\n"
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), "
            "shared 0, stream own, parameters [buffer0, buffer2+512, -2])\n"
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), "
            "shared 0, stream own, parameters [buffer2+512, buffer1, -3])\n"
            "cuStreamSynchronize\ncuMemcpyDtoH(400)\ncuStreamDestroy\n");
}

TEST_F(CudaTest, ARunCanBeCaptured) {
  auto device = createCudaDevice();
  auto executable = Executable::load(**device, artifact);
  auto memory = (*device)->allocate(2048);
  auto stream = (*device)->createStream();
  ASSERT_TRUE(executable && memory && stream);
  auto *start = static_cast<char *>((*memory)->address());
  void *arguments[] = {start, start + 512};
  calls();
  capture(*stream);
  // The driver refuses operations that a graph cannot hold, so there are none.
  EXPECT_TRUE(executable->run(arguments, start + 1024, *stream));
  EXPECT_FALSE((*device)->synchronize(*stream));
  capture(nullptr);
  EXPECT_EQ(calls(),
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared "
            "0, stream own, parameters [buffer0, buffer0+1536, -2]) captured\n"
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared "
            "0, stream own, parameters [buffer0+1536, buffer0+512, -3]) "
            "captured\n"
            "cuStreamSynchronize -> 900\n");
}

// Launches kernels so unless the driver cannot capture it.
TEST_F(CudaTest, LaunchesKernelsThatStartEarly) {
  artifact.manifest.entries.back().launches[1].startsEarly = true;
  auto launch = [&] {
    auto device = createCudaDevice();
    auto executable = Executable::load(**device, artifact);
    auto memory = (*device)->allocate(2048);
    auto *start = static_cast<char *>((*memory)->address());
    void *arguments[] = {start, start + 512};
    calls();
    EXPECT_TRUE(executable->run(arguments, start + 1024, nullptr));
    return calls();
  };
  std::string first =
      "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, "
      "stream default, parameters [buffer0, buffer0+1536, -2])\n";
  std::string second =
      "(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, "
      "stream default, parameters [buffer0+1536, buffer0+512, -3])\n";
  EXPECT_EQ(launch(), first + "cuLaunchKernelEx" + second);
  setenv("CONV_STANDIN_VERSION", "12020", 1);
  EXPECT_EQ(launch(), first + "cuLaunchKernel" + second);
  unsetenv("CONV_STANDIN_VERSION");
}

TEST_F(CudaTest, LaunchesClusters) {
  artifact.manifest.entries.back().launches[0].cluster = {2, 1, 1};
  ASSERT_TRUE(artifact.write(directory.path("a.convpack")));
  auto device = createCudaDevice();
  auto executable = Executable::load(**device, artifact);
  auto memory = (*device)->allocate(2048);
  ASSERT_TRUE(executable && memory);
  auto *start = static_cast<char *>((*memory)->address());
  void *arguments[] = {start, start + 512};
  calls();
  EXPECT_TRUE(executable->run(arguments, start + 1024, nullptr));
  EXPECT_EQ(
      calls(),
      "cuLaunchKernelEx(scale, grid (100, 1, 1), block (1, 1, 1), "
      "cluster (2, 1, 1), shared 0, stream default, parameters [buffer0, "
      "buffer0+1536, -2])\n"
      "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, "
      "stream default, parameters [buffer0+1536, buffer0+512, -3])\n");
}

// The first launch reads boxes of 4 rows of 16 elements, the second one im2col
// boxes of the first one's result.
TEST_F(CudaTest, EncodesTensorMapsOfNewAddresses) {
  Entry &entry = artifact.manifest.entries.back();
  TensorMapParameter tiled{ArgumentParameter{0},
                           "bf16",
                           {16, 8},
                           {48}, // Inside sectors.
                           {16, 4},
                           {1, 1},
                           {},
                           {},
                           32};
  TensorMapParameter im2col{WorkspaceParameter{512},
                            "tf32",
                            {16, 3, 2, 1},
                            {80, 240, 480},
                            {16, 8},
                            {1, 2, 1, 1},
                            {-1, 0},
                            {-1, -2},
                            64};
  entry.launches[0].parameters[0] = tiled;
  entry.launches[1].parameters[0] = im2col;
  Result<void> written = artifact.write(directory.path("a.convpack"));
  ASSERT_TRUE(written) << written.error().message;
  auto device = createCudaDevice();
  auto executable = Executable::load(**device, artifact);
  ASSERT_TRUE(executable) << executable.error().message;
  auto input = (*device)->allocate(400), output = (*device)->allocate(400),
       workspace = (*device)->allocate(2048);
  std::vector<float> values(100, 1.5f), results(100);
  ASSERT_TRUE((*device)->copyToDevice((*input)->address(), values.data(), 400));
  calls();
  void *arguments[] = {(*input)->address(), (*output)->address()};
  ASSERT_TRUE(executable->run(arguments, (*workspace)->address(), nullptr));
  EXPECT_EQ(calls(),
            "cuTensorMapEncodeTiled(type 9, sizes [16, 8], strides [48], box "
            "[16, 4], steps [1, 1], interleave 0, swizzle 1, promotion 3, fill "
            "0)\n"
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared "
            "0, stream default, parameters [map of buffer0, buffer2+512, -2])\n"
            "cuTensorMapEncodeIm2col(type 11, sizes [16, 3, 2, 1], strides "
            "[80, 240, 480], corners [-1, 0] [-1, -2], channels 16, pixels 8, "
            "steps [1, 2, 1, 1], interleave 0, swizzle 2, promotion 2, fill "
            "0)\n"
            "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared "
            "0, stream default, parameters [map of buffer2+512, buffer1, "
            "-3])\n");
  ASSERT_TRUE((*device)->copyToHost(results.data(), (*output)->address(), 400));
  EXPECT_EQ(results, std::vector<float>(100, 9.0f));

  // A launch with the buffers of the last one encodes no map, and one with
  // another buffer encodes that buffer's.
  const std::string launches =
      "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, "
      "stream default, parameters [map of buffer0, buffer2+512, -2])\n"
      "cuLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), shared 0, "
      "stream default, parameters [map of buffer2+512, buffer1, -3])\n";
  calls();
  ASSERT_TRUE(executable->run(arguments, (*workspace)->address(), nullptr));
  EXPECT_EQ(calls(), launches);
  auto other = (*device)->allocate(400);
  calls();
  void *others[] = {(*other)->address(), (*output)->address()};
  for (auto &each : {others, arguments}) {
    ASSERT_TRUE(executable->run(std::span(each, 2), (*workspace)->address()));
    std::string log = calls();
    EXPECT_EQ(log.rfind("cuTensorMapEncodeTiled", 0), 0u) << log;
    EXPECT_EQ(log.find("cuTensorMapEncodeIm2col"), std::string::npos) << log;
  }

  // Threads with buffers of their own each launch on their own.
  calls();
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  auto scratch = (*device)->allocate(2048);
  for (auto [each, own] : {std::pair(others, (*scratch)->address()),
                           std::pair(arguments, (*workspace)->address())})
    threads.emplace_back([&, each, own] {
      for (int i = 0; i < 200; ++i)
        failures += !executable->run(std::span(each, 2), own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  // Each has two launches with the same parameters again and again: no map is
  // that of the other's buffer.
  std::set<std::string> parameters;
  std::istringstream log(calls());
  for (std::string line; std::getline(log, line);)
    if (size_t at = line.find("parameters ["); at != std::string::npos)
      parameters.insert(line.substr(at));
  EXPECT_EQ(parameters.size(), 4u);
}

TEST_F(CudaTest, LeavesTheContextOfTheThreadAsItWas) {
  setenv("CONV_STANDIN_DEVICES", "2", 1);
  auto first = openDevice("cuda:0"), second = openDevice("cuda:1");
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*second)->name(), "cuda:1");
  void *contexts[] = {nullptr, reinterpret_cast<void *>(0x100),
                      reinterpret_cast<void *>(0x101)};
  for (void *context : contexts) {
    setContext(context);
    EXPECT_TRUE((*second)->allocate(16));
    void *after = nullptr;
    getContext(&after);
    EXPECT_EQ(after, context);
  }
}

TEST_F(CudaTest, EachGpuHasMemoryCodeAndStreamsOfItsOwn) {
  setenv("CONV_STANDIN_DEVICES", "2", 1);
  auto first = openDevice("cuda:0"), second = openDevice("cuda:1");
  auto executable = Executable::load(**second, artifact);
  auto here = (*second)->allocate(2048), there = (*first)->allocate(2048);
  auto own = (*second)->createStream(), foreign = (*first)->createStream();
  ASSERT_TRUE(executable && here && there && own && foreign);
  auto run = [&](Buffer &buffer, StreamHandle stream) {
    auto *start = static_cast<char *>(buffer.address());
    void *arguments[] = {start, start + 512};
    return bool(executable->run(arguments, start + 1024, stream));
  };
  EXPECT_TRUE(run(**here, *own));
  EXPECT_TRUE(run(**here, nullptr));
  EXPECT_FALSE(run(**there, *own));
  EXPECT_FALSE(run(**here, *foreign));
}

TEST_F(CudaTest, ReleasesEverything) {
  auto device = createCudaDevice();
  {
    auto executable = Executable::load(**device, artifact);
    auto buffer = (*device)->allocate(16);
    auto event = (*device)->createEvent();
    ASSERT_TRUE(executable && buffer && event);
    EXPECT_EQ(control.liveObjects(), 3);
  }
  EXPECT_EQ(control.liveObjects(), 0);
  calls();
  (*device).reset();
  EXPECT_EQ(calls(), "cuDevicePrimaryCtxRelease(0)\n");
}

TEST_F(CudaTest, NoGpu) {
  setenv("CONV_STANDIN_DEVICES", "0", 1);
  auto device = createCudaDevice();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::System);
  EXPECT_EQ(device.error().message,
            "no NVIDIA GPU: cuInit: no CUDA-capable device is detected (100)");
  setenv("CONV_STANDIN_DEVICES", "2", 1);
  device = createCudaDevice(2);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "expects an NVIDIA GPU of number 2, but got 2 of them");
}

TEST_F(CudaTest, OutOfMemory) {
  setenv("CONV_STANDIN_MEMORY", "1000", 1);
  auto device = createCudaDevice();
  auto fits = (*device)->allocate(600);
  EXPECT_TRUE(fits);
  auto buffer = (*device)->allocate(600);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::System);
  EXPECT_EQ(buffer.error().message,
            "cannot allocate 600 bytes: cuMemAlloc: out of memory (2)");
}

TEST_F(CudaTest, CodeForAnotherGpu) {
  setenv("CONV_STANDIN_ARCH", "sm_80", 1);
  auto device = createCudaDevice();
  auto executable = Executable::load(**device, artifact);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message,
            "expects function 'twice' for sm_80a or sm_80, but the artifact "
            "has twice (host, sm_90a)");
  auto module = (*device)->loadModule(codeObject(), "'x.cubin'");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "cannot load 'x.cubin' on sm_80a: cuModuleLoadData: no kernel "
            "image is available for execution on the device (209)");
}

TEST(CudaLibrary, SaysWhatItLookedFor) {
  auto library = CudaLibrary::load("libconv-none.so");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::System);
  EXPECT_EQ(library.error().message.find(
                "no CUDA driver: looked for libconv-none.so; "),
            0u);
  library = CudaLibrary::load("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().message,
            "the CUDA driver libm.so.6 lacks 'cuInit'");
}
