//===- Report.cpp - what conv-run found out ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a report for people or for programs.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace conv;
using namespace conv::tools;

static std::string shapeText(const artifact::Argument &argument) {
  std::string text = argument.dtype + " [";
  for (size_t i = 0; i < argument.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(argument.shape[i]);
  return text + "]";
}

/// GFLOP per second.
static double speed(double flops, double milliseconds) {
  return milliseconds > 0 ? flops / milliseconds * 1e-6 : 0;
}

static void printTime(const Report &report) {
  const char *note = report.device.starts_with("sim:")
                         ? " (the simulator's own time, not a GPU's)"
                         : "";
  std::printf("  %-12s %.3f ms%s\n", "time", report.milliseconds, note);
  if (!report.bench)
    return;
  double median = report.bench->medianMilliseconds;
  std::printf("  %-12s %.4f ms median, %.4f ms best of %lld runs", "bench",
              median, report.bench->bestMilliseconds,
              (long long)report.bench->runs);
  if (report.flops > 0) { // Small layers take far less than one.
    double gflops = speed(report.flops, median);
    std::printf(", %.*f GFLOP/s", gflops < 1 ? 6 : 2, gflops);
  }
  std::printf("\n");
}

static void printComparison(const std::string &name,
                            const reference::Comparison &comparison) {
  std::printf("  %-12s %s: %lld elements, %lld compared bitwise, largest "
              "error %.3g (%.3f of its bound), %lld wrong\n",
              comparison.wrong ? "WRONG" : "verified", name.c_str(),
              (long long)comparison.elements, (long long)comparison.exact,
              comparison.worstError, comparison.worstRatio,
              (long long)comparison.wrong);
}

void tools::printText(const Report &report) {
  const artifact::Entry &entry = report.entry;
  std::printf("%s on %s\n", entry.function.c_str(), report.device.c_str());
  std::printf("  %-12s %s\n", "problem", entry.problem.c_str());
  std::printf("  %-12s %s\n", "schedule", entry.schedule.c_str());
  for (const artifact::Argument &argument : entry.arguments) {
    std::string origin;
    if (auto found = report.origins.find(argument.name);
        found != report.origins.end())
      origin = "  from " + found->second;
    if (auto found = report.outputs.find(argument.name);
        found != report.outputs.end())
      origin = "  to " + found->second;
    std::printf("  %-12s %s%s\n", argument.name.c_str(),
                shapeText(argument).c_str(), origin.c_str());
  }
  for (const artifact::Constant &constant : entry.constants)
    std::printf("  %-12s %s  stored\n", constant.tensor.name.c_str(),
                shapeText(constant.tensor).c_str());
  printTime(report);
  for (const auto &[name, comparison] : report.comparisons)
    printComparison(name, comparison);
  if (report.counters)
    std::fputs(report.counters->text().c_str(), stdout);
  for (const clock::EntryClock &clock : report.clocks)
    std::fputs(clock::writeText(clock).c_str(), stdout);
}

static nlohmann::ordered_json toJson(const std::string &name,
                                     const reference::Comparison &comparison) {
  return {{"name", name},
          {"elements", comparison.elements},
          {"bitwise", comparison.exact},
          {"wrong", comparison.wrong},
          {"largest_error", comparison.worstError},
          {"largest_error_over_bound", comparison.worstRatio}};
}

void tools::printJson(const Report &report) {
  nlohmann::ordered_json json = {{"function", report.entry.function},
                                 {"target", report.entry.target},
                                 {"device", report.device},
                                 {"problem", report.entry.problem},
                                 {"schedule", report.entry.schedule},
                                 {"milliseconds", report.milliseconds}};
  for (const auto &[name, comparison] : report.comparisons)
    json["verified"].push_back(toJson(name, comparison));
  if (report.bench)
    json["bench"] = {
        {"runs", report.bench->runs},
        {"median_milliseconds", report.bench->medianMilliseconds},
        {"best_milliseconds", report.bench->bestMilliseconds},
        {"gflops", speed(report.flops, report.bench->medianMilliseconds)}};
  if (report.counters)
    for (auto [name, value] : report.counters->entries())
      json["counters"][std::string(name)] = value;
  if (!report.clocks.empty())
    json["clock"] =
        nlohmann::ordered_json::parse(clock::writeJson(report.clocks));
  std::printf("%s\n", json.dump(2).c_str());
}
