//===- IssueUnits.cpp - what units do with an instruction -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction issues if its unit is free and its operands are ready;
// otherwise the result says when to try again, and why.
//
//===----------------------------------------------------------------------===//

#include "ComputeUnit.h"

#include <cmath>

using namespace conv;
using namespace conv::clock;

/// The time when all operands of an instruction can be read.
int64_t ComputeUnit::getReady(const RunningWave &wave,
                              const Decoded &decoded) const {
  int64_t ready = 0;
  for (const Operand &source : decoded.sources)
    for (int i = 0; i < source.count; ++i)
      if (source.index + i < kVectorRegisters)
        ready = std::max(ready, wave.registers.ready[size_t(source.index + i)]);
  if (!decoded.sum)
    return ready;
  const Operand &sum = *decoded.sum;
  bool isForwarded = wave.registers.owner[sum.index] == sum.index + 1;
  for (int i = 0; i < sum.count && sum.index + i < kVectorRegisters; ++i) {
    size_t index = size_t(sum.index + i);
    ready = std::max(ready, isForwarded ? wave.registers.forwarded[index]
                                        : wave.registers.ready[index]);
  }
  return ready;
}

ComputeUnit::Attempt ComputeUnit::issueMatrix(RunningWave &wave,
                                              const Instruction &instruction,
                                              const Decoded &decoded,
                                              int64_t now) {
  size_t simd = size_t(wave.simd);
  int64_t free =
      std::max(matrixFree[simd], pace.matrixTakesVector ? vectorFree[simd] : 0);
  if (free > now)
    return {false, free, Stall::Matrix};
  if (int64_t ready = getReady(wave, decoded); ready > now)
    return {false, ready, Stall::Result};
  int64_t end = now + std::max(instruction.matrixCycles, pace.issueCycles);
  matrixFree[simd] = end;
  if (pace.matrixTakesVector)
    vectorFree[simd] = end;
  if (decoded.result)
    for (int i = 0; i < decoded.result->count; ++i) {
      size_t index = size_t(decoded.result->index + i);
      if (index >= size_t(kVectorRegisters))
        break;
      wave.registers.forwarded[index] = end;
      wave.registers.ready[index] = end + pace.matrixReadCycles;
      wave.registers.owner[index] = uint16_t(decoded.result->index + 1);
    }
  times.matrixFlops += instruction.flops;
  note(Unit::Matrix, wave, now, end);
  return {true, now + pace.issueCycles};
}

ComputeUnit::Attempt ComputeUnit::issueVector(RunningWave &wave,
                                              const Instruction &instruction,
                                              const Decoded &decoded,
                                              int64_t now) {
  size_t simd = size_t(wave.simd);
  if (vectorFree[simd] > now)
    return {false, vectorFree[simd],
            pace.matrixTakesVector && matrixFree[simd] > now ? Stall::Matrix
                                                             : Stall::Turn};
  if (int64_t ready = getReady(wave, decoded); ready > now)
    return {false, ready, Stall::Result};
  vectorFree[simd] = now + decoded.cycles;
  for (const std::optional<Operand> &result :
       {decoded.result, decoded.secondResult})
    if (result && result->index < kVectorRegisters)
      wave.registers.ready[result->index] =
          now + std::max(pace.vectorLatency, decoded.cycles);
  note(Unit::Vector, wave, now, now + decoded.cycles);
  return {true, now + std::max(pace.issueCycles, decoded.cycles)};
}

ComputeUnit::Attempt ComputeUnit::issueShared(RunningWave &wave,
                                              const Instruction &instruction,
                                              const Access &access,
                                              int64_t now) {
  double backlog = sharedFree - double(now);
  if (backlog > pace.queuedCycles)
    return {false,
            now + std::max<int64_t>(1, int64_t(backlog) - pace.queuedCycles),
            Stall::Queue};
  double start = std::max(double(now), sharedFree);
  int factor = instruction.isStore ? pace.sharedWritePasses : 1;
  sharedFree =
      start + 2.0 * access.passes * factor / pace.sharedPassesPerTwoClocks;
  int latency =
      instruction.isStore ? pace.sharedWriteLatency : pace.sharedLatency;
  wave.outstanding[size_t(Counter::Shared)].add(int64_t(std::ceil(sharedFree)) +
                                                latency);
  note(Unit::Shared, wave, int64_t(start), int64_t(std::ceil(sharedFree)));
  return {true, now + pace.issueCycles};
}

ComputeUnit::Attempt ComputeUnit::issueGlobal(RunningWave &wave,
                                              const Instruction &instruction,
                                              const Access &access,
                                              int64_t now) {
  size_t compute = size_t(wave.simd / (pace.simds() / pace.computeUnitsOfUnit));
  double backlog =
      std::max(globalFree[compute], portFree[compute]) - double(now);
  if (backlog > pace.queuedCycles)
    return {false,
            now + std::max<int64_t>(1, int64_t(backlog) - pace.queuedCycles),
            Stall::Queue};
  int64_t missed = 0;
  const uint64_t *lines = wave.trace->lines.data() + access.firstLine;
  for (int i = 0; i < access.lines; ++i)
    missed += instruction.isStore || !caches[compute].touch(lines[i]);
  times.hitLines += access.lines - missed;
  times.missedLines += missed;
  double start = std::max(double(now), globalFree[compute]);
  double portStart = std::max(start, portFree[compute]);
  globalFree[compute] =
      start + std::max({double(access.bytes) / pace.vectorCacheBytesPerClock,
                        double(access.lines), 1.0});
  double bytes = double(missed) * pace.chip->cacheLineBytes;
  if (instruction.isStore)
    bytes = std::min<double>(bytes, access.bytes);
  portFree[compute] = portStart + bytes / pace.chip->sharedCacheBytesPerClock;
  int latency = missed ? pace.sharedCacheLatency : pace.hitLatency;
  size_t index = size_t(wave.trace->steps[wave.at].instruction);
  if (index < options.farShare.size()) {
    farCredit[index] += options.farShare[index] * double(missed);
    if (farCredit[index] >= 1) {
      farCredit[index] -= std::floor(farCredit[index]);
      latency = pace.memoryLatency;
    }
  }
  double end = std::max(globalFree[compute], missed ? portFree[compute] : 0.0);
  bool isApart = instruction.isStore && pace.waits != WaitStyle::Joined;
  wave.outstanding[size_t(isApart ? Counter::Store : Counter::Load)].add(
      int64_t(std::ceil(end)) + latency);
  if (instruction.writesShared) {
    double from = std::max(sharedFree, double(now));
    sharedFree = from + 2.0 * access.passes * pace.sharedWritePasses /
                            pace.sharedPassesPerTwoClocks;
    note(Unit::Shared, wave, int64_t(from), int64_t(std::ceil(sharedFree)));
  }
  // The slower of the two paths decides.
  bool isPort = portFree[compute] - portStart > globalFree[compute] - start;
  note(Unit::Global, wave, int64_t(isPort ? portStart : start),
       int64_t(isPort ? portFree[compute] : globalFree[compute]));
  return {true, now + pace.issueCycles};
}

ComputeUnit::Attempt ComputeUnit::issueWait(RunningWave &wave,
                                            const Instruction &instruction,
                                            int64_t now) {
  static constexpr Stall stallOf[kCounters] = {Stall::Loads, Stall::Stores,
                                               Stall::Shared, Stall::Scalars};
  int64_t until = 0;
  Stall stall = Stall::Turn;
  for (size_t counter = 0; counter < kCounters; ++counter) {
    uint16_t limit = instruction.limits[counter];
    if (limit == kNoLimit)
      continue;
    wave.outstanding[counter].retire(now);
    if (int64_t time = wave.outstanding[counter].getTime(limit); time > until) {
      until = time;
      stall = stallOf[counter];
    }
  }
  if (until > now)
    return {false, until, stall};
  return {true, now + pace.issueCycles};
}

ComputeUnit::Attempt ComputeUnit::issueBarrier(RunningWave &wave,
                                               const Instruction &instruction,
                                               int64_t now) {
  Place &place = places[size_t(wave.place)];
  std::string_view name = instruction.mnemonic;
  if (name.starts_with("s_barrier_signal")) {
    arrive(place, now);
    return {true, now + pace.issueCycles};
  }
  if (name == "s_barrier" && !wave.hasArrived) {
    wave.hasArrived = true;
    arrive(place, now);
  }
  if (place.generation <= wave.barriersPassed)
    return {false, kNever, Stall::Barrier};
  ++wave.barriersPassed;
  wave.hasArrived = false;
  return {true, now + pace.issueCycles};
}

ComputeUnit::Attempt ComputeUnit::issueInternal(RunningWave &wave,
                                                const Instruction &instruction,
                                                int64_t now) {
  std::string_view name = instruction.mnemonic;
  int64_t turns = 1;
  if (name == "s_nop")
    turns = 1 + (instruction.immediate & 0xf);
  else if (name == "s_setprio")
    wave.priority = int(instruction.immediate & 3);
  else if (name == "s_delay_alu" || name == "s_clause")
    turns = 0;
  return {true, now + turns * pace.issueCycles};
}
