//===- Clock.cpp - how long an artifact's AMD kernels take ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes the longest of three times: its units issue instructions, its
// caches move bytes, and its memory moves bytes.
//
//===----------------------------------------------------------------------===//

#include "conv/Clock/Clock.h"

#include "Replay.h"
#include "Rounds.h"

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <set>

using namespace conv;
using namespace conv::clock;

int clock::countResident(const Program &program, const Pace &pace, int waves,
                         int64_t sharedBytes, std::string &limit) {
  const ChipInfo &chip = *pace.chip;
  int64_t registers = std::max<int64_t>(
      roundUp(program.facts.registers, chip.registerAllocationUnit),
      chip.registerAllocationUnit);
  int64_t wavesOfSimd = std::min<int64_t>(chip.maxWavesPerSimd,
                                          chip.registerFilePerLane / registers);
  // A workgroup in one half of a processor has the resources of that half.
  int64_t parts = program.facts.sharesProcessor ? 1 : pace.computeUnitsOfUnit;
  int64_t simds = pace.simds() / parts;
  int64_t byRegisters = wavesOfSimd * simds / std::max(1, waves);
  int64_t shared =
      roundUp(std::max<int64_t>(sharedBytes, 1), chip.sharedAllocationUnit);
  int64_t byShared =
      chip.sharedMemoryOfUnit * pace.computeUnitsOfUnit / parts / shared;
  limit = byShared < byRegisters                ? "lds"
          : wavesOfSimd == chip.maxWavesPerSimd ? "waves"
                                                : "registers";
  return int(std::max<int64_t>(1, std::min(byRegisters, byShared)) * parts);
}

const Loop *clock::findMainLoop(const Program &program, const WaveTrace &wave) {
  std::vector<int64_t> executed(program.code.size());
  for (const Step &step : wave.steps)
    ++executed[size_t(step.instruction)];
  struct Count {
    int64_t matrixCycles = 0, instructions = 0, iterations = 0;
  };
  std::vector<Count> counts(program.loops.size());
  for (const Loop &loop : program.loops) {
    Count &count = counts[size_t(loop.original)];
    for (int i = loop.first; i <= loop.last; ++i) {
      count.matrixCycles +=
          executed[size_t(i)] * program.code[size_t(i)].matrixCycles;
      count.instructions += executed[size_t(i)];
    }
    count.iterations += executed[size_t(loop.last)];
  }
  const Loop *best = nullptr;
  std::pair<int64_t, int64_t> most{0, 0};
  for (size_t i = 0; i < counts.size(); ++i) {
    std::pair all{counts[i].matrixCycles, counts[i].instructions};
    if (counts[i].iterations > 2 && all > most) {
      most = all;
      best = &program.loops[i];
    }
  }
  return best;
}

/// The steps of an iteration amid the loop, or all steps without a loop.
static std::span<const Step> selectIteration(const Program &program,
                                             const WaveTrace &wave,
                                             const Loop *loop) {
  std::span<const Step> steps = wave.steps;
  if (!loop)
    return steps;
  std::vector<bool> isEnd = findEnds(program, *loop);
  std::vector<size_t> ends;
  for (size_t i = 0; i < steps.size(); ++i)
    if (isEnd[size_t(steps[i].instruction)])
      ends.push_back(i);
  if (ends.size() < 2)
    return {};
  // Not between two copies, if there is another one.
  auto isInOne = [&](size_t i) {
    return steps[ends[i]].instruction == steps[ends[i - 1]].instruction;
  };
  size_t middle = ends.size() / 2;
  if (!isInOne(middle) && middle + 1 < ends.size() && isInOne(middle + 1))
    ++middle;
  return steps.subspan(ends[middle - 1] + 1, ends[middle] - ends[middle - 1]);
}

/// The fewest matrix cycles between loads and the waits for them, in a loop
/// whose iterations are all like this one.
static int64_t measureDistance(const Program &program,
                               std::span<const Step> iteration) {
  std::vector<int64_t> waiting;
  int64_t cycles = 0, fewest = -1;
  for (int round = 0; round < 3; ++round)
    for (const Step &step : iteration) {
      const Instruction &instruction = program.code[size_t(step.instruction)];
      cycles += instruction.matrixCycles;
      if (instruction.unit == Unit::Global && !instruction.isStore)
        waiting.push_back(cycles);
      uint16_t left = instruction.limits[size_t(Counter::Load)];
      while (left != kNoLimit && waiting.size() > left) {
        int64_t distance = cycles - waiting.front();
        waiting.erase(waiting.begin());
        if (round > 0 && (fewest < 0 || distance < fewest))
          fewest = distance;
      }
    }
  return std::max<int64_t>(fewest, 0);
}

LoopCounts clock::countLoop(const Program &program, const WaveTrace &wave,
                            const Loop *loop) {
  LoopCounts counts;
  std::span<const Step> iteration = selectIteration(program, wave, loop);
  for (const Step &step : iteration) {
    const Instruction &instruction = program.code[size_t(step.instruction)];
    ++counts.instructions[size_t(instruction.unit)];
    counts.matrixCycles += instruction.matrixCycles;
    bool isStore = instruction.isStore;
    if (instruction.unit == Unit::Global)
      ++(isStore ? counts.stores : counts.loads);
    if (instruction.unit == Unit::Shared)
      ++(isStore ? counts.sharedWrites : counts.sharedReads);
    if (step.access >= 0)
      counts.sharedConflicts += wave.accesses[size_t(step.access)].conflicts;
  }
  counts.loadDistance = measureDistance(program, iteration);
  return counts;
}

std::string_view KernelClock::bound() const {
  double all = time();
  return all == microseconds.issue         ? "issue"
         : all == microseconds.sharedCache ? "shared_cache"
         : all == microseconds.farCache    ? "far_cache"
                                           : "memory";
}

double EntryClock::time() const {
  double sum = 0;
  for (const KernelClock &launch : launches)
    sum += launch.time();
  return sum;
}

/// Addresses at which buffers are far from each other and from zero.
static uint64_t getAddress(int64_t buffer) {
  return uint64_t(buffer + 1) << 36;
}

static LaunchShape getShape(const artifact::Entry &entry,
                            const artifact::Launch &launch,
                            const ClockOptions &options) {
  LaunchShape shape{launch.grid, launch.block, {}, {}};
  for (const auto &[index, bytes] : options.contents)
    shape.contents[getAddress(int64_t(index))] = bytes;
  int64_t arguments = int64_t(entry.arguments.size());
  int64_t workspace = arguments + int64_t(entry.constants.size());
  for (const artifact::Parameter &parameter : launch.parameters) {
    uint64_t value = 0;
    if (auto *argument = std::get_if<artifact::ArgumentParameter>(&parameter))
      value = getAddress(argument->index);
    else if (auto *constant =
                 std::get_if<artifact::ConstantParameter>(&parameter))
      value = getAddress(arguments + constant->index);
    else if (auto *space =
                 std::get_if<artifact::WorkspaceParameter>(&parameter))
      value = getAddress(workspace) + uint64_t(space->offset);
    else if (auto *integer = std::get_if<artifact::I32Parameter>(&parameter))
      value = uint32_t(integer->value);
    shape.parameters.push_back(value);
  }
  return shape;
}

/// Bytes of every buffer of the launch, once; the whole workspace counts.
static double sumBuffers(const artifact::Entry &entry,
                         const artifact::Launch &launch) {
  std::set<std::pair<size_t, int64_t>> seen;
  double bytes = 0;
  for (const artifact::Parameter &parameter : launch.parameters) {
    auto *argument = std::get_if<artifact::ArgumentParameter>(&parameter);
    auto *constant = std::get_if<artifact::ConstantParameter>(&parameter);
    bool isSpace =
        std::holds_alternative<artifact::WorkspaceParameter>(parameter);
    int64_t index = argument ? argument->index : constant ? constant->index : 0;
    if ((!argument && !constant && !isSpace) ||
        !seen.insert({parameter.index(), index}).second)
      continue;
    bytes +=
        double(argument   ? bufferBytes(entry.arguments[size_t(index)])
               : constant ? bufferBytes(entry.constants[size_t(index)].tensor)
                          : entry.workspaceBytes);
  }
  return bytes;
}

static void setBounds(KernelClock &kernel, const Pace &pace,
                      const Traffic &traffic) {
  const ChipInfo &chip = *pace.chip;
  double hertz = chip.clockGHz * 1e3; // Clocks per microsecond.
  double grid = double(kernel.workgroups);
  kernel.requestedBytes =
      (traffic.requestedBytes + traffic.writtenBytes) * grid;
  kernel.farBytes =
      std::max((traffic.farBytes + traffic.writtenBytes) * grid, 0.0);
  // A launch that combines or transposes uses a part of the workspace only.
  kernel.compulsoryBytes =
      std::min(kernel.compulsoryBytes, kernel.requestedBytes);
  double perClock = chip.sharedCacheBytesPerClock * chip.computeUnits;
  // If everything fits in the next cache, it serves all bytes below this one.
  bool isNear =
      pace.farCacheGBs > 0 && kernel.compulsoryBytes <= double(chip.cacheBytes);
  double far = isNear ? pace.farCacheGBs : chip.memoryGBs;
  kernel.microseconds = {kernel.cycles / hertz,
                         kernel.requestedBytes / perClock / hertz,
                         kernel.farBytes / far / 1e3,
                         kernel.compulsoryBytes / chip.memoryGBs / 1e3};
}

/// Counts what the traces of simulated workgroups could not tell.
static void addTraces(const std::vector<WorkgroupTrace> &traces,
                      KernelClock &kernel) {
  for (const WorkgroupTrace &trace : traces) {
    kernel.unknownAddresses += trace.unknownAddresses;
    kernel.unknownBranches += trace.unknownBranches;
    if (trace.firstUnknown >= 0 && kernel.firstUnknown.empty())
      kernel.firstUnknown =
          kernel.program.code[size_t(trace.firstUnknown)].text;
    kernel.isComplete = kernel.isComplete && trace.isComplete;
  }
  kernel.simulated = int64_t(traces.size());
}

/// The busy share of the matrix units, from that of simulated workgroups.
static double computeMatrixUtilization(const KernelClock &kernel,
                                       const Pace &pace) {
  double perWorkgroup = kernel.issue.busy[size_t(Unit::Matrix)] *
                        double(kernel.issue.cycles) / double(kernel.simulated);
  double clocks = kernel.time() * pace.chip->clockGHz * 1e3;
  return clocks > 0 ? perWorkgroup * double(kernel.workgroups) /
                          double(pace.units()) / clocks
                    : kernel.matrixUtilization;
}

static Result<KernelClock> clockLaunch(const artifact::Artifact &artifact,
                                       const artifact::Entry &entry,
                                       const artifact::Launch &launch,
                                       const Pace &pace,
                                       const ClockOptions &options) {
  const std::string *code = artifact.code(launch.code);
  if (!code)
    return Error{ErrorKind::BadInput,
                 "expects the code of '" + launch.kernel + "' in the artifact"};
  Result<Program> program = decodeKernel(*code, launch.kernel, pace);
  if (!program)
    return program.error();
  KernelClock kernel;
  kernel.kernel = launch.kernel;
  kernel.program = std::move(*program);
  LaunchShape shape = getShape(entry, launch, options);
  int64_t items = launch.block[0] * launch.block[1] * launch.block[2];
  kernel.workgroups = launch.grid[0] * launch.grid[1] * launch.grid[2];
  kernel.wavesOfWorkgroup = int((items + kernel.program.facts.waveSize - 1) /
                                kernel.program.facts.waveSize);
  kernel.resident = countResident(kernel.program, pace, kernel.wavesOfWorkgroup,
                                  kernel.program.facts.sharedBytes +
                                      launch.dynamicSharedBytes,
                                  kernel.residentLimit);
  kernel.workgroupsOfUnit = ceilDiv(kernel.workgroups, pace.units());

  std::vector<WorkgroupTrace> traces =
      interpretRounds(kernel.program, pace, shape, kernel);
  addTraces(traces, kernel);
  const WaveTrace &wave = traces.front().waves.front();
  Traffic traffic = replayDie(kernel.program, pace, shape, kernel.resident,
                              int64_t(wave.steps.size()));
  kernel.isComplete = kernel.isComplete && traffic.isComplete;
  const Loop *loop = findMainLoop(kernel.program, wave);
  kernel.loop = countLoop(kernel.program, wave, loop);
  std::vector<const WorkgroupTrace *> pointers;
  for (const WorkgroupTrace &trace : traces)
    pointers.push_back(&trace);
  kernel.issue = issueWorkgroups(
      kernel.program, pace, pointers,
      {kernel.resident, loop, traffic.farShare, options.keepTimeline});
  kernel.cycles = extrapolateRounds(kernel, pace, traces);
  kernel.compulsoryBytes = sumBuffers(entry, launch);
  setBounds(kernel, pace, traffic);
  kernel.matrixUtilization = computeMatrixUtilization(kernel, pace);
  return kernel;
}

Result<EntryClock> clock::clockEntry(const artifact::Artifact &artifact,
                                     const artifact::Entry &entry,
                                     const ClockOptions &options) {
  EntryClock result{entry.function, entry.target, lookupPace(entry.target), {}};
  if (!result.pace)
    return Error{ErrorKind::Unsupported, "expects a target that has a clock (" +
                                             paceNames() + "), but got '" +
                                             entry.target + "'"};
  for (const artifact::Launch &launch : entry.launches) {
    Result<KernelClock> kernel =
        clockLaunch(artifact, entry, launch, *result.pace, options);
    if (!kernel)
      return kernel.error();
    result.launches.push_back(std::move(*kernel));
  }
  return result;
}
