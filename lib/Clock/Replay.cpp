//===- Replay.cpp - what goes below a die's cache -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups are assigned to dies in turn, and on a die to units in turn. Long
// workgroups are cut: the loads among their first steps stand for the rest, of
// which a few whole workgroups tell how many there are.
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
  int64_t grid = shape.countWorkgroups();
  int64_t count = pace.units() / dies * resident;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count && i * dies < grid; ++i)
    ids.push_back(i * dies);
  return ids;
}

/// The loads and stores of some workgroups, before any cache.
struct Asked {
  double lines = 0, writtenBytes = 0;
  int64_t steps = 0;      ///< Accesses.
  bool isComplete = true; ///< False if a wave was cut at the limit.

  void add(const Program &program, const WorkgroupTrace &trace);
};

void Asked::add(const Program &program, const WorkgroupTrace &trace) {
  isComplete &= trace.isComplete;
  for (const WaveTrace &wave : trace.waves) {
    steps += int64_t(wave.steps.size());
    for (const Step &step : wave.steps) {
      const Access &access = wave.accesses[size_t(step.access)];
      if (program.code[size_t(step.instruction)].isStore)
        writtenBytes += access.bytes;
      else
        lines += access.lines;
    }
  }
}

/// The memory requests of the whole workgroups with these numbers.
static Asked askWorkgroups(const Program &program, const Pace &pace,
                           const LaunchShape &shape,
                           const std::vector<int64_t> &ids) {
  Asked asked;
  for (int64_t id : ids)
    asked.add(program, interpretWorkgroup(program, pace, shape, id,
                                          {.globalOnly = true}));
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

static void scaleLoads(Traffic &traffic, double factor) {
  traffic.requestedBytes *= factor;
  traffic.farBytes *= factor;
}

/// Scales the traffic of the replayed workgroups, of which `sampled` ones ask
/// for `ofSampled`, to the mean of all workgroups of the grid, whose parts
/// (dgrad phases, zeros) are consecutive and load different amounts. Grids of
/// short workgroups are long, so as many workgroups are counted as a budget of
/// accesses allows.
static void scaleToGrid(const Program &program, const Pace &pace,
                        const LaunchShape &shape, int64_t sampled,
                        const Asked &ofSampled, Traffic &traffic) {
  int64_t dies = std::max(1, pace.chip->dies);
  int64_t grid = shape.countWorkgroups(), count = sampled;
  auto ask = [&] {
    Asked asked =
        askWorkgroups(program, pace, shape, spreadOverGrid(grid, dies, count));
    traffic.isComplete &= asked.isComplete;
    return asked;
  };
  Asked ofAll = ask();
  while (count * 4 <= grid && ofAll.steps * 4 <= kSampledSteps) {
    count *= 4;
    ofAll = ask();
  }
  double share = double(sampled) / double(count);
  scaleLoads(traffic, share * divideOrOne(ofAll.lines, ofSampled.lines));
  traffic.writtenBytes *=
      share * divideOrOne(ofAll.writtenBytes, ofSampled.writtenBytes);
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
  /// The bytes of all accesses.
  void addTo(Traffic &traffic) const;

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

void DieCaches::addTo(Traffic &traffic) const {
  traffic.writtenBytes += writtenBytes;
  traffic.farShare.resize(program.code.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    traffic.farShare[i] = asked[i] > 0 ? missed[i] / asked[i] : 0;
    traffic.requestedBytes += asked[i] * double(lineBytes);
    traffic.farBytes += missed[i] * double(lineBytes);
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
  caches.addTo(traffic);

  double count = double(std::max<size_t>(1, ids.size()));
  traffic.requestedBytes /= count;
  traffic.farBytes /= count;
  traffic.writtenBytes /= count;
  bool isAll = int64_t(ids.size()) * std::max(1, pace.chip->dies) >=
               shape.countWorkgroups();
  if (traffic.isWhole && isAll)
    return traffic;
  std::vector<int64_t> sample;
  Asked ofReplayed;
  int64_t sampled = std::min(std::ssize(ids), kSampled);
  for (int64_t i = 0; i < sampled; ++i) {
    size_t at = size_t(i * std::ssize(ids) / sampled);
    sample.push_back(ids[at]);
    ofReplayed.add(program, traces[at]);
  }
  Asked ofWhole = askWorkgroups(program, pace, shape, sample);
  traffic.isComplete &= ofWhole.isComplete;
  if (!traffic.isWhole) {
    scaleLoads(traffic, divideOrOne(ofWhole.lines, ofReplayed.lines));
    traffic.writtenBytes = ofWhole.writtenBytes / double(sampled);
  }
  if (!isAll)
    scaleToGrid(program, pace, shape, sampled, ofWhole, traffic);
  return traffic;
}
