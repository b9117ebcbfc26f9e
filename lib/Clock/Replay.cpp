//===- Replay.cpp - what goes below a die's cache -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups are assigned to dies in turn, and on a die to units in turn. Long
// workgroups are cut: their first steps stand for the rest.
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include "Caches.h"

#include <algorithm>

using namespace conv;
using namespace conv::clock;

/// The most instructions of waves that one replay interprets.
static constexpr int64_t kBudget = 6'000'000;
/// The least number of workgroups of the grid whose accesses are counted, and
/// the accesses that further workgroups may have.
static constexpr int64_t kSampled = 16, kSampledSteps = 200'000;

namespace {
/// A wave's accesses to global memory, and the unit that it runs on.
struct Stream {
  const WaveTrace *wave;
  size_t unit;
};
} // namespace

static std::vector<int64_t>
selectWorkgroups(const Pace &pace, const LaunchShape &shape, int resident) {
  int64_t dies = std::max(1, pace.chip->dies);
  int64_t grid = shape.grid[0] * shape.grid[1] * shape.grid[2];
  int64_t count = pace.units() / dies * resident;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count && i * dies < grid; ++i)
    ids.push_back(i * dies);
  return ids;
}

/// The mean loads and stores of a workgroup, before any cache.
struct Asked {
  double lines = 0, writtenBytes = 0;
  int64_t steps = 0;      ///< Accesses of all interpreted workgroups.
  bool isComplete = true; ///< False if a wave was cut at the limit.
};

/// The memory requests of the workgroups with these numbers.
static Asked askWorkgroups(const Program &program, const Pace &pace,
                           const LaunchShape &shape,
                           const std::vector<int64_t> &ids) {
  Asked asked;
  auto count = double(ids.size());
  for (int64_t id : ids) {
    WorkgroupTrace trace =
        interpretWorkgroup(program, pace, shape, id, {.globalOnly = true});
    asked.isComplete &= trace.isComplete;
    for (const WaveTrace &wave : trace.waves) {
      asked.steps += int64_t(wave.steps.size());
      for (const Step &step : wave.steps) {
        const Access &access = wave.accesses[size_t(step.access)];
        if (program.code[size_t(step.instruction)].isStore)
          asked.writtenBytes += access.bytes / count;
        else
          asked.lines += double(access.lines) / count;
      }
    }
  }
  return asked;
}

/// `count` workgroups of the grid in even steps, on all dies in turn.
static std::vector<int64_t> spreadOverGrid(int64_t grid, int64_t dies,
                                           int64_t count) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i)
    ids.push_back(
        std::min(i * (grid / dies) / count * dies + i % dies, grid - 1));
  return ids;
}

static double divideOrOne(double value, double by) {
  return by > 0 ? value / by : 1;
}

/// Scales the replayed traffic to the mean of all workgroups of the grid, whose
/// parts (dgrad phases, zeros) are consecutive and load different amounts.
/// Grids of short workgroups are long, so as many workgroups are counted as a
/// budget of accesses allows.
static void scaleToGrid(const Program &program, const Pace &pace,
                        const LaunchShape &shape,
                        const std::vector<int64_t> &replayed,
                        Traffic &traffic) {
  int64_t dies = std::max(1, pace.chip->dies);
  int64_t grid = shape.grid[0] * shape.grid[1] * shape.grid[2];
  auto ofDie = int64_t(replayed.size());
  if (ofDie * dies >= grid)
    return;
  int64_t count = std::min(ofDie, kSampled);
  std::vector<int64_t> first;
  for (int64_t i = 0; i < count; ++i)
    first.push_back(replayed[size_t(i * ofDie / count)]);
  auto ask = [&](const std::vector<int64_t> &ids) {
    Asked asked = askWorkgroups(program, pace, shape, ids);
    traffic.isComplete &= asked.isComplete;
    return asked;
  };
  Asked ofFirst = ask(first), ofAll = ask(spreadOverGrid(grid, dies, count));
  while (count * 4 <= grid && ofAll.steps * 4 <= kSampledSteps) {
    count *= 4;
    ofAll = ask(spreadOverGrid(grid, dies, count));
  }
  double loads = divideOrOne(ofAll.lines, ofFirst.lines);
  traffic.requestedBytes *= loads;
  traffic.farBytes *= loads;
  traffic.writtenBytes *= divideOrOne(ofAll.writtenBytes, ofFirst.writtenBytes);
}

namespace {
/// The caches of a die, and what its loads request from each.
class DieCaches {
public:
  DieCaches(const Program &program, const Pace &pace, size_t units)
      : program(program), lineBytes(pace.chip->cacheLineBytes),
        near(units, LineCache(pace.vectorCacheBytes * pace.computeUnitsOfUnit,
                              pace.chip->cacheLineBytes)),
        shared(pace.sharedCacheBytes, pace.chip->cacheLineBytes),
        asked(program.code.size()), missed(program.code.size()) {}

  /// One access of a wave. Stores go through to the die's cache.
  void access(const Stream &stream, const Step &step);
  /// The bytes of all accesses; those of loads count `scale` times.
  void addTo(Traffic &traffic, double scale) const;

private:
  const Program &program;
  int64_t lineBytes;
  std::vector<LineCache> near;
  LineCache shared;
  /// For each instruction, the lines that miss the unit's cache, and the die's.
  std::vector<double> asked, missed;
  double writtenBytes = 0;
};
} // namespace

void DieCaches::access(const Stream &stream, const Step &step) {
  const WaveTrace &wave = *stream.wave;
  const Access &access = wave.accesses[size_t(step.access)];
  size_t index = size_t(step.instruction);
  bool isStore = program.code[index].isStore;
  if (isStore)
    writtenBytes += access.bytes;
  for (int i = 0; i < access.lines; ++i) {
    uint64_t line = wave.lines[access.firstLine + size_t(i)];
    if (isStore) {
      shared.touch(line);
      continue;
    }
    if (near[stream.unit].touch(line))
      continue;
    asked[index] += 1;
    missed[index] += !shared.touch(line);
  }
}

void DieCaches::addTo(Traffic &traffic, double scale) const {
  traffic.writtenBytes += writtenBytes;
  traffic.farShare.resize(program.code.size());
  scale *= double(lineBytes);
  for (size_t i = 0; i < asked.size(); ++i) {
    traffic.farShare[i] = asked[i] > 0 ? missed[i] / asked[i] : 0;
    traffic.requestedBytes += asked[i] * scale;
    traffic.farBytes += missed[i] * scale;
  }
}

/// Lets the waves of a die access its caches in turn, step by step.
static void replayWaves(const std::vector<WorkgroupTrace> &traces, size_t units,
                        DieCaches &caches) {
  std::vector<Stream> streams;
  size_t longest = 0;
  for (size_t i = 0; i < traces.size(); ++i)
    for (const WaveTrace &wave : traces[i].waves) {
      streams.push_back({&wave, i % units});
      longest = std::max(longest, wave.steps.size());
    }
  for (size_t at = 0; at < longest; ++at)
    for (const Stream &stream : streams)
      if (at < stream.wave->steps.size())
        caches.access(stream, stream.wave->steps[at]);
}

Traffic clock::replayDie(const Program &program, const Pace &pace,
                         const LaunchShape &shape, int resident,
                         int64_t waveSteps) {
  std::vector<int64_t> ids = selectWorkgroups(pace, shape, resident);
  int64_t items = shape.block[0] * shape.block[1] * shape.block[2];
  int64_t waves = std::max<int64_t>(1, items / program.facts.waveSize) *
                  int64_t(ids.size());
  int64_t limit = std::max<int64_t>(kBudget / std::max<int64_t>(1, waves), 64);
  Traffic traffic;
  traffic.isWhole = limit >= waveSteps;
  traffic.workgroups = int64_t(ids.size());

  std::vector<WorkgroupTrace> traces;
  for (int64_t id : ids)
    traces.push_back(interpretWorkgroup(program, pace, shape, id,
                                        {limit, /*globalOnly=*/true}));
  size_t units = size_t(pace.units() / std::max(1, pace.chip->dies));
  DieCaches caches(program, pace, units);
  replayWaves(traces, units, caches);
  caches.addTo(traffic,
               traffic.isWhole ? 1 : double(waveSteps) / double(limit));

  double count = double(std::max<size_t>(1, ids.size()));
  traffic.requestedBytes /= count;
  traffic.farBytes /= count;
  traffic.writtenBytes /= count;
  scaleToGrid(program, pace, shape, ids, traffic);
  return traffic;
}
