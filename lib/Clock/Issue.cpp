//===- Issue.cpp - when a unit's waves issue their instructions -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time advances from event to event. A SIMD unit that cannot issue says when
// it can, and the next event is the earliest of these times. The model
// assumes that the instruction cache always hits and that registers have
// enough ports.
//
//===----------------------------------------------------------------------===//

#include "ComputeUnit.h"

using namespace conv;
using namespace conv::clock;

/// The most iterations of a loop that are measured.
static constexpr size_t kRecorded = 48;

std::string_view clock::getName(Stall stall) {
  static constexpr std::string_view names[kStalls] = {
      "loads",  "stores", "lds",  "scalar_loads", "barrier",
      "matrix", "result", "turn", "queue"};
  return names[size_t(stall)];
}

static bool isSlow(std::string_view name) {
  for (std::string_view start :
       {"v_mul_lo_u32", "v_mul_hi_", "v_exp_", "v_log_", "v_rcp_", "v_rsq_",
        "v_sqrt_", "v_sin_", "v_cos_", "v_mad_u64", "v_mad_i64", "v_mad_co"})
    if (name.starts_with(start))
      return true;
  return false;
}

static Decoded decode(const Instruction &instruction, const Pace &pace) {
  Decoded decoded;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    Operand operand = instruction.operands[i];
    bool isVector = operand.kind == Operand::Vector ||
                    (operand.kind == Operand::Modified && operand.literal == 1);
    if (!isVector)
      continue;
    if (int(i) < instruction.definitions) {
      if (i == 0)
        decoded.result = operand;
    } else if (instruction.unit == Unit::Matrix && i == 3) {
      decoded.sum = operand;
    } else {
      decoded.sources.push_back(operand);
    }
  }
  decoded.cycles = pace.vectorCycles *
                   (isSlow(instruction.mnemonic) ? pace.slowVectorFactor : 1);
  return decoded;
}

ComputeUnit::ComputeUnit(const Program &program, const Pace &pace,
                         std::span<const WorkgroupTrace *const> workgroups,
                         const IssueOptions &options)
    : program(program), pace(pace), workgroups(workgroups), options(options),
      simds(size_t(pace.simds())),
      places(size_t(std::max(1, options.resident))),
      matrixFree(size_t(pace.simds())), vectorFree(size_t(pace.simds())),
      globalFree(size_t(pace.computeUnitsOfUnit)),
      portFree(size_t(pace.computeUnitsOfUnit)),
      farCredit(program.code.size()) {
  endsIteration = options.loop ? findEnds(program, *options.loop)
                               : std::vector<bool>(program.code.size());
  for (const Instruction &instruction : program.code) {
    decoded.push_back(decode(instruction, pace));
    if (instruction.second < 0)
      continue;
    // The second half of a dual instruction reads at the same time.
    Decoded half = decode(program.seconds[size_t(instruction.second)], pace);
    decoded.back().sources.insert(decoded.back().sources.end(),
                                  half.sources.begin(), half.sources.end());
    decoded.back().secondResult = half.result;
  }
  for (int i = 0; i < pace.computeUnitsOfUnit; ++i)
    caches.emplace_back(pace.vectorCacheBytes, pace.chip->cacheLineBytes);
  times.ends.resize(workgroups.size());
}

void ComputeUnit::note(Unit unit, const RunningWave &wave, int64_t start,
                       int64_t end) {
  times.busy[size_t(unit)] += double(end - start);
  if (isRecording)
    busy.push_back({unit, wave.simd, wave.number,
                    wave.trace->steps[wave.at].instruction, start, end});
}

/// The next workgroup takes a free place, wave after wave.
void ComputeUnit::start(int place, int64_t now) {
  if (nextWorkgroup == workgroups.size())
    return;
  const WorkgroupTrace &trace = *workgroups[nextWorkgroup];
  places[size_t(place)] = {int(nextWorkgroup), int(trace.waves.size()), 0, 0};
  for (size_t i = 0; i < trace.waves.size(); ++i) {
    RunningWave wave;
    wave.trace = &trace.waves[i];
    wave.place = place;
    wave.order = wave.number = startedWaves++;
    int simdsOfCompute = pace.simds() / pace.computeUnitsOfUnit;
    bool isSplit =
        pace.computeUnitsOfUnit > 1 && !program.facts.sharesProcessor;
    wave.simd = isSplit ? place % pace.computeUnitsOfUnit * simdsOfCompute +
                              int(i) % simdsOfCompute
                        : wave.order % pace.simds();
    wave.ready = now + int64_t(i);
    simds[size_t(wave.simd)].push_back(std::move(wave));
    ++runningWaves;
  }
  ++nextWorkgroup;
}

void ComputeUnit::arrive(Place &place, int64_t now) {
  if (++place.arrived < place.wavesLeft)
    return;
  place.arrived = 0;
  ++place.generation;
  wakeup = now + pace.issueCycles;
}

void ComputeUnit::endWave(RunningWave &wave, int64_t now) {
  Place &place = places[size_t(wave.place)];
  --runningWaves;
  if (wave.number < int(marks.size()))
    marks[size_t(wave.number)] = wave.marks;
  if (--place.wavesLeft > 0) {
    // Barriers do not wait for waves that have ended.
    if (place.arrived > 0 && place.arrived >= place.wavesLeft) {
      --place.arrived;
      arrive(place, now);
    }
    return;
  }
  times.ends[size_t(place.workgroup)] = now;
  start(wave.place, now + 1);
  wakeup = now + 1;
}

/// A bit for each kind of unit that takes only one instruction of a SIMD unit's
/// waves in a turn; 0 for kinds that take any number.
static unsigned getPort(Unit unit) {
  switch (unit) {
  case Unit::Matrix:
  case Unit::Vector:
    return 1;
  case Unit::Scalar:
  case Unit::ScalarMemory:
    return 2;
  case Unit::Shared:
    return 4;
  case Unit::Global:
    return 8;
  default:
    return 0;
  }
}

ComputeUnit::Attempt ComputeUnit::attempt(RunningWave &wave, int64_t now,
                                          unsigned &taken) {
  const Step &step = wave.trace->steps[wave.at];
  const Instruction &instruction = program.code[size_t(step.instruction)];
  const Decoded &about = decoded[size_t(step.instruction)];
  unsigned port = getPort(instruction.unit);
  if (port & taken)
    return {false, now + pace.issueCycles, Stall::Turn};
  Access none;
  const Access &access =
      step.access < 0 ? none : wave.trace->accesses[size_t(step.access)];
  Attempt result{true, now + pace.issueCycles};
  switch (instruction.unit) {
  case Unit::Matrix:
    result = issueMatrix(wave, instruction, about, now);
    break;
  case Unit::Vector:
    result = issueVector(wave, instruction, about, now);
    break;
  case Unit::Scalar:
    note(Unit::Scalar, wave, now, now + pace.issueCycles);
    break;
  case Unit::Shared:
  case Unit::Global:
    if (int64_t ready = getReady(wave, about); ready > now)
      return {false, ready, Stall::Result};
    result = instruction.unit == Unit::Shared
                 ? issueShared(wave, instruction, access, now)
                 : issueGlobal(wave, instruction, access, now);
    break;
  case Unit::ScalarMemory: {
    bool isApart = pace.waits == WaitStyle::AllApart;
    wave.outstanding[size_t(isApart ? Counter::Scalar : Counter::Shared)].add(
        now + pace.scalarLatency);
    break;
  }
  case Unit::Wait:
    result = issueWait(wave, instruction, now);
    break;
  case Unit::Barrier:
    result = issueBarrier(wave, instruction, now);
    break;
  case Unit::Branch: {
    bool isTaken =
        wave.at + 1 < wave.trace->steps.size() &&
        wave.trace->steps[wave.at + 1].instruction != step.instruction + 1;
    result.next = now + (isTaken ? pace.branchCycles : pace.issueCycles);
    break;
  }
  case Unit::Internal:
    result = issueInternal(wave, instruction, now);
  }
  if (result.isIssued)
    taken |= port;
  return result;
}

/// One turn of a SIMD unit; returns the time of the next useful turn.
int64_t ComputeUnit::stepSimd(int simd, int64_t now) {
  std::vector<RunningWave> &waves = simds[size_t(simd)];
  unsigned taken = 0;
  int64_t next = kNever;
  bool hasEnded = false;
  int highest = 0;
  for (const RunningWave &wave : waves)
    highest = std::max(highest, wave.priority);
  for (int priority = highest; priority >= 0; --priority)
    for (size_t i = 0; i < waves.size(); ++i) {
      RunningWave &wave = waves[i];
      if (wave.priority != priority || wave.at == wave.trace->steps.size())
        continue;
      if (wave.ready > now) {
        next = std::min(next, wave.ready);
        continue;
      }
      Attempt result = attempt(wave, now, taken);
      next = std::min(next, std::max(result.next, now + 1));
      if (!result.isIssued) {
        // A barrier may open at any time: its wait lasts until the next issue.
        if (isRecording && wave.ready < now + pace.issueCycles) {
          int64_t until = std::min(result.next, now + pace.issueCycles);
          stalls.push_back({now, until, result.stall});
        }
        continue;
      }
      int index = wave.trace->steps[wave.at].instruction;
      if (endsIteration[size_t(index)]) {
        wave.marks.push_back(now);
        if (isRecording && wave.marks.size() > kRecorded) {
          isRecording = false;
          recordEnd = now;
        }
      }
      wave.ready = result.next;
      if (++wave.at == wave.trace->steps.size()) {
        hasEnded = true;
        endWave(wave, result.next);
        break; // `start` may have moved the waves.
      }
    }
  if (hasEnded) {
    std::erase_if(waves, [](const RunningWave &wave) {
      return wave.at == wave.trace->steps.size();
    });
    return now + pace.issueCycles;
  }
  return next;
}

IssueTimes ComputeUnit::run() {
  // Dispatchers assign one workgroup to each unit before the second one.
  size_t first = std::min(workgroups.size(), places.size());
  size_t waves = 0;
  for (size_t i = 0; i < first; ++i) {
    int64_t distance =
        int64_t(workgroups[i]->waves.size()) * pace.units() / pace.dispatchers;
    start(int(i), int64_t(i) * distance);
    waves += workgroups[i]->waves.size();
  }
  marks.resize(waves);
  int64_t now = 0;
  while (runningWaves > 0) {
    int64_t next = kNever;
    wakeup = kNever;
    for (int simd = 0; simd < int(simds.size()); ++simd)
      next = std::min(next, stepSimd(simd, now));
    next = std::min(next, wakeup);
    if (next >= kNever)
      break; // The waves are in a deadlock.
    int64_t turn = pace.issueCycles;
    now = std::max((next + turn - 1) / turn * turn, now + turn);
  }
  for (int64_t end : times.ends)
    times.cycles = std::max(times.cycles, end);
  for (Unit unit : {Unit::Matrix, Unit::Vector, Unit::Scalar})
    times.busy[size_t(unit)] /= pace.simds();
  for (double &share : times.busy)
    share /= double(std::max<int64_t>(1, times.cycles));
  bool hasLoop = std::any_of(marks.begin(), marks.end(),
                             [](const auto &wave) { return wave.size() > 2; });
  if (hasLoop)
    times.loop = measureLoop();
  if (options.keepTimeline)
    times.timeline = std::move(busy);
  return std::move(times);
}

IssueTimes
clock::issueWorkgroups(const Program &program, const Pace &pace,
                       std::span<const WorkgroupTrace *const> workgroups,
                       const IssueOptions &options) {
  return ComputeUnit(program, pace, workgroups, options).run();
}
