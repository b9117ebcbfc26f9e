//===- compile_time.cpp - how long one convolution compiles -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the compilation of the demo's layer from MLIR text to an artifact for
// one target, in process and in one thread; the project promises less than
// 150 ms. Counters report the mean milliseconds of each stage.
//
//===----------------------------------------------------------------------===//

#include "DemoLayer.h"

#include <benchmark/benchmark.h>

#include <map>
#include <string>

using namespace conv;

static void compile(benchmark::State &state, const std::string &target) {
  std::map<std::string, double> stages;
  for (auto _ : state) {
    mlir::conv::CompileReport report;
    Result<artifact::Artifact> artifact = bench::compileDemo(target, &report);
    if (!artifact) {
      state.SkipWithError(artifact.error().message.c_str());
      return;
    }
    for (const mlir::conv::StageTime &time : report.times)
      stages[time.stage] += time.milliseconds;
  }
  for (const auto &[stage, milliseconds] : stages)
    state.counters[stage + "_ms"] =
        benchmark::Counter(milliseconds, benchmark::Counter::kAvgIterations);
}

// The process time is measured, because a linker may start threads.
static const int registered = [] {
  for (const char *target : {"gfx942", "gfx1201", "sim:gfx942", "host"})
    benchmark::RegisterBenchmark((std::string("compile/") + target).c_str(),
                                 compile, std::string(target))
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  return 0;
}();

BENCHMARK_MAIN();
