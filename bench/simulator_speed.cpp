//===- simulator_speed.cpp - GFLOP in a second of the simulator -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the demo's layer on one core, without checks and counters; the
// project promises 2 GFLOP/s, of which only the convolution's own operations
// count. Tests and the demo run with checks, so these are measured, too.
//
//===----------------------------------------------------------------------===//

#include "DemoLayer.h"
#include "RandomInputs.h"
#include "Session.h"

#include "conv/Runtime/SimDevice.h"

#include <benchmark/benchmark.h>

using namespace conv;

static Result<void> uploadRandom(tools::Session &session) {
  tools::ArgumentBytes bytes;
  for (const artifact::Argument &argument : session.entry().arguments)
    bytes.push_back(randomBytes(argument, RandomKind::Normal, /*seed=*/0));
  return session.upload(bytes);
}

static Result<void> simulate(benchmark::State &state, const std::string &chip,
                             bool checks) {
  Result<artifact::Artifact> artifact = bench::compileDemo("sim:" + chip);
  if (!artifact)
    return artifact.error();
  runtime::SimOptions options;
  options.checks = checks;
  options.threads = 1;
  auto device = runtime::createSimDevice(chip, options);
  if (!device)
    return device.error();
  Result<tools::Session> session =
      tools::Session::create(**device, *artifact, "");
  if (!session)
    return session.error();
  if (Result<void> done = uploadRandom(*session); !done)
    return done;
  for (auto _ : state)
    if (Result<double> time = session->run(); !time)
      return time.error();
  state.counters["GFLOP"] =
      benchmark::Counter(bench::kDemoFlops * 1e-9 * double(state.iterations()),
                         benchmark::Counter::kIsRate);
  return {};
}

static void simulateOrSkip(benchmark::State &state, const std::string &chip,
                           bool checks) {
  if (Result<void> done = simulate(state, chip, checks); !done)
    state.SkipWithError(done.error().message.c_str());
}

// The process time is measured, because workgroups run on device threads.
static void add(const std::string &chip, bool checks) {
  std::string name = (checks ? "checked/" : "unchecked/") + chip;
  benchmark::RegisterBenchmark(name.c_str(), simulateOrSkip, chip, checks)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime();
}

static const int registered = [] {
  for (const char *chip : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"})
    add(chip, /*checks=*/false);
  for (const char *chip : {"gfx942", "gfx1201"})
    add(chip, /*checks=*/true);
  return 0;
}();

BENCHMARK_MAIN();
