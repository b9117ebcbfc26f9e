//===- HipTest.cpp - the HIP device against a stand-in ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/HIP/HipLibrary.h"
#include "StandInTest.h"

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;

namespace {

class HipTest : public conv::test::StandInTest {
protected:
  HipTest() : StandInTest("libamdhip64.so", "gfx942", EM_AMDGPU) {}
};

} // namespace

TEST_F(HipTest, RunsAFunctionWithTheExpectedCalls) {
  auto device = createHipDevice();
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "hip");
  // no
  EXPECT_EQ((*device)->targets(), std::vector<std::string>{"gfx942"});
  EXPECT_EQ(calls(), "hipInit\nhipGetDeviceCount\nhipGetDeviceProperties\n"
                     "hipDeviceGetAttribute\n");
  EXPECT_EQ((*device)->computeUnits(), 132u);

  auto executable = Executable::load(**device, artifact);
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_EQ(executable->entry().target, "gfx942");
  EXPECT_EQ(calls(), "hipModuleLoadData\nhipModuleGetFunction(scale)\n");

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
  EXPECT_EQ(
      calls(),
      "hipMalloc(400)\nhipMalloc(400)\nhipMalloc(1024)\nhipStreamCreate\n"
      "hipMemcpy(400, to device)\n"
      "hipModuleLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), "
      "shared 0, stream own, parameters [buffer0, buffer2+512, -2])\n"
      "hipModuleLaunchKernel(scale, grid (100, 1, 1), block (1, 1, 1), "
      "shared 0, stream own, parameters [buffer2+512, buffer1, -3])\n"
      "hipStreamSynchronize\nhipMemcpy(400, to host)\nhipStreamDestroy\n");
}

TEST_F(HipTest, ReleasesEverything) {
  auto device = createHipDevice();
  {
    auto executable = Executable::load(**device, artifact);
    auto buffer = (*device)->allocate(16);
    auto event = (*device)->createEvent();
    ASSERT_TRUE(executable && buffer && event);
    EXPECT_EQ(control.liveObjects(), 3);
  }
  EXPECT_EQ(control.liveObjects(), 0);
}

TEST_F(HipTest, MeasuresWithEvents) {
  auto device = createHipDevice();
  auto start = (*device)->createEvent(), stop = (*device)->createEvent();
  ASSERT_TRUE((*device)->record(**start, nullptr));
  ASSERT_TRUE((*device)->record(**stop, nullptr));
  calls();
  auto time = (*device)->elapsedMilliseconds(**start, **stop);
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 1.5);
  EXPECT_EQ(calls(), "hipEventSynchronize\nhipEventElapsedTime\n");
}

TEST_F(HipTest, LeavesTheCurrentDeviceAsItWas) {
  setenv("CONV_STANDIN_DEVICES", "2", 1);
  auto device = openDevice("hip:1");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "hip:1");
  calls();
  auto buffer = (*device)->allocate(16);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(calls(), "hipSetDevice(1)\nhipMalloc(16)\nhipSetDevice(0)\n");
}

TEST_F(HipTest, NoGpu) {
  setenv("CONV_STANDIN_DEVICES", "0", 1);
  auto device = createHipDevice();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::System);
  EXPECT_EQ(device.error().message,
            "no AMD GPU: hipGetDeviceCount: no ROCm-capable device is detected "
            "(100)");
  setenv("CONV_STANDIN_DEVICES", "2", 1);
  device = createHipDevice(2);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "expects an AMD GPU of number 2, but got 2 of them");
}

TEST_F(HipTest, ArtifactWithoutCodeForTheGpu) {
  setenv("CONV_STANDIN_ARCH", "gfx1201", 1);
  auto device = createHipDevice();
  auto executable = Executable::load(**device, artifact);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().message,
            "expects function 'twice' for gfx1201, but the artifact has twice "
            "(host, gfx942)");
}

TEST_F(HipTest, ErrorsAreInTheDriversWords) {
  auto device = createHipDevice();
  auto module = (*device)->loadModule(std::string(64, 'x'), "'x.hsaco'");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ErrorKind::System);
  EXPECT_EQ(module.error().message,
            "cannot load 'x.hsaco': hipModuleLoadData: device kernel image is "
            "invalid (200)");
  module = (*device)->loadModule(codeObject(), "'x.hsaco'");
  ASSERT_TRUE(module);
  auto kernel = (*module)->kernel("none");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message,
            "cannot find kernel 'none' in 'x.hsaco': hipModuleGetFunction: "
            "named symbol not found (500)");
  float local[4];
  Result<void> copy = (*device)->copyToDevice(local, local, 16);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().message, "hipMemcpy: invalid argument (1)");
}

TEST_F(HipTest, TheStandInRefusesALaunchThatTheManifestDoesNotHave) {
  auto device = createHipDevice();
  auto module = (*device)->loadModule(codeObject(), "'x.hsaco'");
  auto kernel = (*module)->kernel("scale");
  ASSERT_TRUE(kernel);
  auto buffer = (*device)->allocate(1024);
  void *address = (*buffer)->address();
  int32_t right = -2, wrong = 5;
  LaunchShape shape{{100, 1, 1}, {1, 1, 1}, 0};
  void *good[] = {&address, &address, &right};
  void *bad[] = {&address, &address, &wrong};
  EXPECT_TRUE((*kernel)->launch(shape, good, nullptr));
  EXPECT_FALSE((*kernel)->launch(shape, bad, nullptr));
  shape.grid[0] = 99;
  EXPECT_FALSE((*kernel)->launch(shape, good, nullptr));
  shape.grid[0] = 100;
  EXPECT_FALSE((*kernel)->launch(shape, good, StreamHandle(0x5)));
  void *elsewhere = &address;
  void *stray[] = {&elsewhere, &address, &right};
  EXPECT_FALSE((*kernel)->launch(shape, stray, nullptr));
}

TEST(HipLibrary, SaysWhatItLookedFor) {
  const char *none[] = {"libconv-none.so", "libconv-none.so.7"};
  auto library = HipLibrary::load(none);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::System);
  EXPECT_EQ(library.error().message,
            "no HIP runtime: looked for libconv-none.so, libconv-none.so.7; "
            "none was found");
  EXPECT_STREQ(hipLibraryNames()[0], "libamdhip64.so");
  EXPECT_EQ(hipLibraryNames().size(), 4u);
}

TEST(HipLibrary, DamagedOrOtherLibrary) {
  conv::test::TemporaryDirectory directory;
  directory.write("damaged.so", "not an ELF file");
  std::string path = directory.path("damaged.so");
  const char *damaged[] = {path.c_str()};
  auto library = HipLibrary::load(damaged);
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("file too short"), std::string::npos)
      << library.error().message;
  const char *other[] = {"libm.so.6"};
  library = HipLibrary::load(other);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().message,
            "the HIP runtime that was found lacks 'hipInit'");
}

TEST(HipLibrary, OptionalFunctionsMayBeMissing) {
  const char *names[] = {CONV_TEST_STANDIN5};
  auto library = HipLibrary::load(names);
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_EQ(library->hipGetDevicePropertiesR0600, nullptr);
  EXPECT_NE(library->hipGetDeviceProperties, nullptr);
}
