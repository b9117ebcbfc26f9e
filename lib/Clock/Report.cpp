//===- Report.cpp - what the clock found, as text and as JSON -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text and JSON have the same facts. The JSON keeps its field names.
//
//===----------------------------------------------------------------------===//

#include "conv/Clock/Clock.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace conv;
using namespace conv::clock;
using llvm::formatv;

static llvm::StringRef toRef(std::string_view text) {
  return {text.data(), text.size()};
}

/// Shares above a hundredth, largest first: "loads 31 %, barrier 12 %".
template <typename Name, size_t size>
static std::string listShares(const std::array<double, size> &shares) {
  std::vector<std::pair<double, size_t>> sorted;
  for (size_t i = 0; i < size; ++i)
    if (shares[i] >= 0.005)
      sorted.push_back({shares[i], i});
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (auto [share, index] : sorted)
    text += (text.empty() ? "" : ", ") + std::string(getName(Name(index))) +
            formatv(" {0:F0} %", 100 * share).str();
  return text.empty() ? "none" : text;
}

static void writeLoop(const KernelClock &kernel, const EntryClock &entry,
                      llvm::raw_ostream &os) {
  const LoopCounts &counts = kernel.loop;
  auto count = [&](Unit unit) { return counts.instructions[size_t(unit)]; };
  os << formatv("    {0}: {1} matrix ({2} cycles), {3} vector, {4} scalar, {5} "
                "loads, {6} stores, {7} LDS reads, {8} LDS writes, {9} waits, "
                "{10} barriers\n",
                kernel.issue.loop ? "one iteration" : "one wave",
                count(Unit::Matrix), counts.matrixCycles, count(Unit::Vector),
                count(Unit::Scalar), counts.loads, counts.stores,
                counts.sharedReads, counts.sharedWrites, count(Unit::Wait),
                count(Unit::Barrier));
  os << formatv("    load to wait: {0} of {1} matrix cycles; LDS conflicts: "
                "{2}\n",
                counts.loadDistance, counts.matrixCycles,
                int64_t(counts.sharedConflicts));
  if (!kernel.issue.loop)
    return;
  const LoopTimes &loop = *kernel.issue.loop;
  os << formatv("    loop: matrix units busy {0:F1} % of {1:F0} clocks an "
                "iteration; busy: {2}\n",
                100 * loop.busy[size_t(Unit::Matrix)], loop.cyclesPerIteration,
                listShares<Unit>(loop.busy));
  os << formatv("    waves wait: {0}\n", listShares<Stall>(loop.stalls));
}

static void writeKernel(const KernelClock &kernel, const EntryClock &entry,
                        llvm::raw_ostream &os) {
  os << formatv("  {0}: {1:F1} us, bound by {2}; matrix units busy {3:F1} %\n",
                kernel.kernel, kernel.time(), toRef(kernel.bound()),
                100 * kernel.matrixUtilization);
  os << formatv("    {0} workgroups of {1} waves, {2} at a time on a unit "
                "(limit: {3}), {4} for the busiest of {5} units ({6} "
                "simulated)\n",
                kernel.workgroups, kernel.wavesOfWorkgroup, kernel.resident,
                kernel.residentLimit, kernel.workgroupsOfUnit,
                entry.pace->units(), kernel.simulated);
  writeLoop(kernel, entry, os);
  const Bounds &bounds = kernel.microseconds;
  os << formatv("    bounds: issue {0:F1} us, shared cache {1:F1} us, far "
                "cache {2:F1} us, memory {3:F1} us\n",
                bounds.issue, bounds.sharedCache, bounds.farCache,
                bounds.memory);
  os << formatv("    bytes: {0:F1} MB asked of the shared cache, {1:F1} MB "
                "below it, {2:F1} MB of buffers\n",
                kernel.requestedBytes / 1e6, kernel.farBytes / 1e6,
                kernel.compulsoryBytes / 1e6);
  if (kernel.unknownAddresses || kernel.unknownBranches)
    os << formatv("    not known: {0} addresses, {1} branches, such as '{2}'\n",
                  kernel.unknownAddresses, kernel.unknownBranches,
                  kernel.firstUnknown);
  if (!kernel.isComplete)
    os << "    waves were cut at the limit of instructions: times and bytes "
          "are too low\n";
}

std::string clock::writeText(const EntryClock &entry) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << formatv("{0} on {1} (model): {2:F1} us\n", entry.function, entry.target,
                entry.time());
  for (const KernelClock &kernel : entry.launches)
    writeKernel(kernel, entry, os);
  return text;
}

template <typename Name, size_t size>
static llvm::json::Object toJson(const std::array<double, size> &shares) {
  llvm::json::Object object;
  for (size_t i = 0; i < size; ++i)
    object[toRef(getName(Name(i)))] = shares[i];
  return object;
}

static llvm::json::Object toJson(const LoopCounts &counts) {
  llvm::json::Object instructions;
  for (size_t i = 0; i < size_t(kUnits); ++i)
    instructions[toRef(getName(Unit(i)))] = counts.instructions[i];
  return llvm::json::Object{{"instructions", std::move(instructions)},
                            {"loads", counts.loads},
                            {"stores", counts.stores},
                            {"lds_reads", counts.sharedReads},
                            {"lds_writes", counts.sharedWrites},
                            {"lds_conflicts", counts.sharedConflicts},
                            {"matrix_cycles", counts.matrixCycles},
                            {"load_distance", counts.loadDistance}};
}

static llvm::json::Object toJson(const KernelClock &kernel) {
  const Bounds &bounds = kernel.microseconds;
  llvm::json::Object object{
      {"kernel", kernel.kernel},
      {"microseconds", kernel.time()},
      {"bound", toRef(kernel.bound())},
      {"matrix_utilization", kernel.matrixUtilization},
      {"workgroups", kernel.workgroups},
      {"waves_of_workgroup", kernel.wavesOfWorkgroup},
      {"resident_workgroups", kernel.resident},
      {"resident_limit", kernel.residentLimit},
      {"workgroups_of_unit", kernel.workgroupsOfUnit},
      {"simulated_workgroups", kernel.simulated},
      {"cycles", kernel.cycles},
      {"registers", kernel.program.facts.registers},
      {"lds_bytes", kernel.program.facts.sharedBytes},
      {"bounds", llvm::json::Object{{"issue", bounds.issue},
                                    {"shared_cache", bounds.sharedCache},
                                    {"far_cache", bounds.farCache},
                                    {"memory", bounds.memory}}},
      {"bytes", llvm::json::Object{{"shared_cache", kernel.requestedBytes},
                                   {"far_cache", kernel.farBytes},
                                   {"buffers", kernel.compulsoryBytes}}},
      {"unknown_addresses", kernel.unknownAddresses},
      {"unknown_branches", kernel.unknownBranches},
      {"unknown_example", kernel.firstUnknown},
      {"complete", kernel.isComplete},
      {kernel.issue.loop ? "iteration" : "wave", toJson(kernel.loop)}};
  if (kernel.issue.loop) {
    const LoopTimes &loop = *kernel.issue.loop;
    object["loop"] =
        llvm::json::Object{{"utilization", loop.busy[size_t(Unit::Matrix)]},
                           {"cycles_per_iteration", loop.cyclesPerIteration},
                           {"busy", toJson<Unit>(loop.busy)},
                           {"stalls", toJson<Stall>(loop.stalls)}};
  }
  return object;
}

std::string clock::writeJson(const std::vector<EntryClock> &entries) {
  llvm::json::Array all;
  for (const EntryClock &entry : entries) {
    llvm::json::Array launches;
    for (const KernelClock &kernel : entry.launches)
      launches.push_back(toJson(kernel));
    all.push_back(llvm::json::Object{{"function", entry.function},
                                     {"target", entry.target},
                                     {"microseconds", entry.time()},
                                     {"launches", std::move(launches)}});
  }
  return formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                {"entries", std::move(all)}}))
      .str();
}
