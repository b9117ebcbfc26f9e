//===- runtime_launch.cpp - what a launch costs -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches an empty kernel of one workgroup on the host, which measures the
// work of the runtime in a call: the project promises less than two
// microseconds. `callDirect` calls the same function without the runtime.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/Executable.h"
#include "conv/Runtime/LoadedObject.h"
#include "conv/Support/File.h"

#include <benchmark/benchmark.h>

using namespace conv;
using namespace conv::artifact;

static constexpr int kArguments = 4;

static std::string readKernels() {
  Result<std::string> code = readFile(CONV_BENCH_KERNELS, 1 << 20);
  return code ? *code : "";
}

/// The empty kernel with four buffers, a workspace and a constant, launched
/// `launches` times.
static Artifact makeArtifact(int64_t launches) {
  Artifact artifact;
  Entry entry;
  entry.function = "empty";
  entry.target = "host";
  entry.chosenBy = "user";
  entry.workspaceBytes = 256;
  Launch launch;
  launch.code = artifact.addCode(readKernels(), "so");
  launch.sha256 = launch.code.substr(5, 64);
  launch.kernel = "empty";
  for (int i = 0; i < kArguments; ++i) {
    std::string name = "argument" + std::to_string(i);
    entry.arguments.push_back(
        {name, name, i == 0 ? "write" : "read", "f32", "", {16}, {1}, 16});
    launch.parameters.push_back(ArgumentParameter{i});
  }
  launch.parameters.push_back(WorkspaceParameter{0});
  launch.parameters.push_back(I32Parameter{7});
  entry.launches.assign(size_t(launches), launch);
  artifact.manifest.entries = {entry};
  return artifact;
}

static void runEmpty(benchmark::State &state) {
  auto device = runtime::createHostDevice(1);
  auto executable =
      runtime::Executable::load(**device, makeArtifact(state.range(0)));
  if (!executable) {
    state.SkipWithError(executable.error().message.c_str());
    return;
  }
  alignas(256) static char memory[kArguments + 1][256];
  void *arguments[kArguments];
  for (int i = 0; i < kArguments; ++i)
    arguments[i] = memory[i];
  for (auto _ : state)
    if (!executable->run(arguments, memory[kArguments]))
      state.SkipWithError("a run failed");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(runEmpty)->ArgName("launches")->Arg(1)->Arg(4);

static void callDirect(benchmark::State &state) {
  auto object = runtime::LoadedObject::load(readKernels(), "kernels");
  auto *empty =
      object ? reinterpret_cast<void (*)(void *const *, const int32_t *)>(
                   (*object)->symbol("empty"))
             : nullptr;
  if (!empty) {
    state.SkipWithError("the kernels do not load");
    return;
  }
  const int32_t workgroup[3] = {0, 0, 0};
  void *parameters[1] = {nullptr};
  for (auto _ : state)
    empty(parameters, workgroup);
}
BENCHMARK(callDirect);

BENCHMARK_MAIN();
