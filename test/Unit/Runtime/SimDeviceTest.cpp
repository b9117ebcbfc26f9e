//===- SimDeviceTest.cpp - one artifact on sim, host and hip ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator's compiler half turns two kernels into an artifact of two code
// files. The artifact runs on the simulated device, and on the HIP device with
// the stand-in, which runs the same simulator objects in place of the GPU.
//
//===----------------------------------------------------------------------===//

#include "../TemporaryDirectory.h"
#include "HostArtifact.h"

#include "conv/Backend/Sim.h"
#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"
#include "conv/Runtime/SimDevice.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>

using namespace conv;
using namespace conv::artifact;
using namespace conv::runtime;

namespace {

constexpr int64_t kSize = 128;

/// Bytes of a simulator object with one kernel, `name`: out = in * factor +
/// `addend` over integers, one element for each work-item.
std::string compileScale(const std::string &name, int addend) {
  std::string text = "module { gpu.module @m { llvm.func @" + name +
                     R"((%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %factor: i32)
          attributes {gpu.kernel, rocdl.kernel} {
        %lane = rocdl.workitem.id.x : i32
        %group = rocdl.workgroup.id.x : i32
        %size = llvm.mlir.constant(64 : i32) : i32
        %first = llvm.mul %group, %size : i32
        %i = llvm.add %first, %lane : i32
        %from = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %x = llvm.load %from : !llvm.ptr<1> -> i32
        %y = llvm.mul %x, %factor : i32
        %addend = llvm.mlir.constant()" +
                     std::to_string(addend) + R"( : i32) : i32
        %z = llvm.add %y, %addend : i32
        llvm.store %z, %to : i32, !llvm.ptr<1>
        llvm.return
      } } })";
  mlir::DialectRegistry registry;
  registry.insert<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::ROCDL::ROCDLDialect>();
  mlir::conv::registerSimulatorTranslations(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  if (!module)
    return "";
  auto kernels = *module->getOps<mlir::gpu::GPUModuleOp>().begin();
  auto object = mlir::conv::compileForSimulator(kernels, "gfx942");
  EXPECT_TRUE(mlir::succeeded(object));
  return mlir::succeeded(object) ? *object : "";
}

/// A stand-in for GPU code: an ELF header and a name.
std::string makeCodeObject(const std::string &name) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = 224;
  header.e_shoff = sizeof(header) + name.size();
  std::string bytes(sizeof(header), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes + name;
}

/// "affine": output = (input * 3 + 1) * -2 + 5, in two launches of two modules.
Entry makeAffine(const std::string &target, const std::string &first,
                 const std::string &second) {
  Entry entry;
  entry.function = "affine";
  entry.target = target;
  entry.chosenBy = "user";
  entry.workspaceBytes = 4 * kSize;
  entry.arguments = {
      conv::test::vectorArgument("input", "read", "i32", kSize),
      conv::test::vectorArgument("output", "write", "i32", kSize)};
  entry.launches = {
      conv::test::makeLaunch(
          first, "first", {2, 1, 1},
          {ArgumentParameter{0}, WorkspaceParameter{0}, I32Parameter{3}}),
      conv::test::makeLaunch(
          second, "second", {2, 1, 1},
          {WorkspaceParameter{0}, ArgumentParameter{1}, I32Parameter{-2}})};
  for (Launch &launch : entry.launches)
    launch.block = {64, 1, 1};
  return entry;
}

Artifact makeArtifact() {
  Artifact artifact;
  std::string first = artifact.addCode(compileScale("first", 1), "so");
  std::string second = artifact.addCode(compileScale("second", 5), "so");
  artifact.manifest.entries = {
      makeAffine("sim:gfx942", first, second),
      makeAffine("gfx942", artifact.addCode(makeCodeObject("1"), "hsaco"),
                 artifact.addCode(makeCodeObject("2"), "hsaco"))};
  return artifact;
}

/// Runs "affine" and compares every element.
void expectAffine(Device &device, const Artifact &artifact) {
  auto executable = Executable::load(device, artifact, "affine");
  ASSERT_TRUE(executable) << executable.error().message;
  auto input = device.allocate(4 * kSize), output = device.allocate(4 * kSize),
       workspace = device.allocate(4 * kSize);
  ASSERT_TRUE(input && output && workspace);
  std::vector<int32_t> values(kSize), results(kSize);
  for (int32_t i = 0; i < kSize; ++i)
    values[size_t(i)] = i - 60;
  ASSERT_TRUE(
      device.copyToDevice((*input)->address(), values.data(), 4 * kSize));
  void *arguments[] = {(*input)->address(), (*output)->address()};
  Result<void> ran = executable->run(arguments, (*workspace)->address());
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_TRUE(device.synchronize(nullptr));
  ASSERT_TRUE(
      device.copyToHost(results.data(), (*output)->address(), 4 * kSize));
  for (size_t i = 0; i < size_t(kSize); ++i)
    EXPECT_EQ(results[i], (values[i] * 3 + 1) * -2 + 5);
}

} // namespace

TEST(SimDevice, RunsAnArtifact) {
  auto device = openDevice("sim:gfx942");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->name(), "sim:gfx942");
  expectAffine(**device, makeArtifact());
}

TEST(SimDevice, CountsAndForgets) {
  SimOptions options;
  options.counters = true;
  auto device = createSimDevice("gfx942", options);
  ASSERT_TRUE(device);
  expectAffine(**device, makeArtifact());
  EXPECT_EQ((*device)->counters().workgroups, 4u);
  EXPECT_EQ((*device)->counters().globalBytesRead, 2u * 4 * kSize);
  (*device)->resetCounters();
  EXPECT_EQ((*device)->counters(), SimCounters());
}

TEST(SimDevice, ForgetsBuffersThatAreFreed) {
  auto device = openDevice("sim:gfx942");
  auto executable = Executable::load(**device, makeArtifact());
  ASSERT_TRUE(executable);
  auto input = (*device)->allocate(4 * kSize),
       workspace = (*device)->allocate(4 * kSize);
  alignas(256) static int32_t elsewhere[kSize];
  void *arguments[] = {(*input)->address(), elsewhere};
  Result<void> result = executable->run(arguments, (*workspace)->address());
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("second"), std::string::npos)
      << result.error().message;
}

TEST(SimDevice, RefusesCopiesThatLeaveABuffer) {
  auto device = openDevice("sim:gfx942");
  auto buffer = (*device)->allocate(4 * kSize);
  std::vector<int32_t> values(kSize + 1);
  char *address = static_cast<char *>((*buffer)->address());
  for (Result<void> copied :
       {(*device)->copyToDevice(address, values.data(), 4 * kSize + 1),
        (*device)->copyToHost(values.data(), address + 4, 4 * kSize),
        (*device)->copyToHost(values.data(), values.data(), 4),
        (*device)->copyToDevice(address, values.data(), -1)}) {
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, ErrorKind::BadInput);
  }
  EXPECT_TRUE((*device)->copyToHost(values.data(), &values, 0));
  EXPECT_TRUE(
      (*device)->copyToHost(values.data(), address + 4, 4 * (kSize - 1)));
}

TEST(SimDevice, RefusesOtherCodeAndChips) {
  auto device = openDevice("sim:gfx942");
  auto module = (*device)->loadModule(conv::test::readObject("kernels"), "'x'");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(module.error().message.find("cannot load 'x': not a simulator"),
            0u);
  module = (*device)->loadModule(compileScale("first", 1), "'x'");
  ASSERT_TRUE(module);
  EXPECT_EQ((*module)->kernel("none").error().message,
            "'x' has no kernel 'none'");
  auto unknown = openDevice("sim:gfx000");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Unsupported);
}

TEST(SimDevice, HipStandInRunsTheSimulator) {
  conv::test::TemporaryDirectory directory;
  Artifact artifact = makeArtifact();
  ASSERT_TRUE(artifact.write(directory.path("a.convpack")));
  setenv("CONV_STANDIN_PACK", directory.path("a.convpack").c_str(), 1);
  auto device = openDevice("hip");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->targets(), std::vector<std::string>{"gfx942"});
  expectAffine(**device, artifact);
}
