//===- compile_and_simulate.cpp - compile time, simulator speed -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long one convolution takes to compile in process for one target, and how
// fast the simulator and the host run it: both on the layer of tools/demo.sh,
// the simulator with its checks off and on one thread.
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"
#include "Session.h"

#include "conv/Pipeline/Compile.h"
#include "conv/Runtime/SimDevice.h"
#include "conv/Support/File.h"

#include <benchmark/benchmark.h>

using namespace conv;
using namespace conv::tools;

static mlir::conv::SourceFile readLayer() {
  Result<std::string> text = readFile(CONV_BENCH_LAYER, 1 << 20);
  return {CONV_BENCH_LAYER, text ? *text : std::string()};
}

static void compileLayer(benchmark::State &state, const char *target) {
  mlir::conv::SourceFile source = readLayer();
  mlir::conv::CompileOptions options;
  options.targets = {target};
  for (auto unused : state) {
    (void)unused;
    Result<artifact::Artifact> artifact = mlir::conv::compile(source, options);
    if (!artifact)
      return state.SkipWithError(artifact.error().message.c_str());
  }
}

/// Runs the layer on an opened device and reports floating-point operations.
static void runLayer(benchmark::State &state, runtime::Device &device,
                     const artifact::Artifact &artifact) {
  Result<Session> session = Session::create(device, artifact, "");
  if (!session)
    return state.SkipWithError(session.error().message.c_str());
  ExpectedResults data;
  Result<void> ready = data.update(session->entry(), RandomKind::Normal, 0);
  if (ready)
    ready = session->upload(data.inputs());
  if (!ready)
    return state.SkipWithError(ready.error().message.c_str());
  for (auto unused : state) {
    (void)unused;
    if (Result<double> time = session->run(); !time)
      return state.SkipWithError(time.error().message.c_str());
  }
  state.counters["flop/s"] = benchmark::Counter(
      reference::computeFlops(data.program()) * double(state.iterations()),
      benchmark::Counter::kIsRate);
}

static void simulateLayer(benchmark::State &state, const char *chip) {
  mlir::conv::CompileOptions options;
  options.targets = {std::string("sim:") + chip};
  auto artifact = mlir::conv::compile(readLayer(), options);
  if (!artifact)
    return state.SkipWithError(artifact.error().message.c_str());
  runtime::SimOptions sim;
  sim.checks = false;
  sim.threads = 1;
  auto device = runtime::createSimDevice(chip, sim);
  if (!device)
    return state.SkipWithError(device.error().message.c_str());
  runLayer(state, **device, *artifact);
}

static void runLayerOnHost(benchmark::State &state) {
  mlir::conv::CompileOptions options;
  options.targets = {"host"};
  auto artifact = mlir::conv::compile(readLayer(), options);
  auto device = runtime::openDevice("host");
  if (!artifact || !device)
    return state.SkipWithError("the host cannot run the layer");
  runLayer(state, **device, *artifact);
}

BENCHMARK_CAPTURE(compileLayer, gfx942, "gfx942")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileLayer, gfx1201, "gfx1201")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileLayer, host, "host")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateLayer, gfx942, "gfx942")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateLayer, gfx1201, "gfx1201")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(runLayerOnHost)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_MAIN();
