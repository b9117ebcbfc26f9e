//===- Issue.h - when a unit's waves issue their instructions ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes traces of workgroups on one compute unit (or workgroup processor),
// in order within a wave: at each turn of a SIMD unit, every kind of unit takes
// an instruction of one wave, the oldest that is ready.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_ISSUE_H
#define CONV_CLOCK_ISSUE_H

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"
#include "conv/Clock/Trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace conv::clock {

/// Why a wave did not issue.
enum class Stall : uint8_t {
  Loads,   ///< A wait for loads.
  Stores,  ///< A wait for stores.
  Shared,  ///< A wait for LDS.
  Scalars, ///< A wait for scalar loads.
  Barrier, ///< Other waves of the workgroup.
  Matrix,  ///< The matrix unit is busy.
  Result,  ///< An operand is not ready.
  Turn,    ///< Other waves were first, or the unit is busy.
  Queue,   ///< The memory unit's queue is full.
};
inline constexpr int kStalls = 9;

/// "loads", "barrier", ...: the spelling of reports.
std::string_view getName(Stall stall);

/// An interval in which a unit was busy, for the timeline.
struct Busy {
  Unit unit;
  int simd, wave;
  int32_t instruction;
  int64_t start, end;
};

/// Times while waves are in a loop.
struct LoopTimes {
  int64_t start = 0, end = 0;           ///< Clocks; all first waves are inside.
  double cyclesPerIteration = 0;        ///< Cycles of one wave.
  std::array<double, kUnits> busy{};    ///< Share of the clocks, by unit.
  std::array<double, kStalls> stalls{}; ///< Share of the waves' time.
};

struct IssueTimes {
  int64_t cycles = 0;
  std::vector<int64_t> ends; ///< End of each workgroup.
  std::optional<LoopTimes> loop;
  std::array<double, kUnits> busy{}; ///< Share of all clocks, by unit.
  double matrixFlops = 0;
  int64_t hitLines = 0, missedLines = 0; ///< In caches next to the unit.
  std::vector<Busy> timeline;            ///< First waves, while in the loop.
};

struct IssueOptions {
  int resident = 1;           ///< Workgroups resident at a time.
  const Loop *loop = nullptr; ///< The loop of `LoopTimes`.
  /// Share of the lines that also miss the die's cache, by instruction.
  std::span<const double> farShare = {};
  bool keepTimeline = false;
};

/// Executes workgroups in order, as many at a time as are resident.
IssueTimes issueWorkgroups(const Program &program, const Pace &pace,
                           std::span<const WorkgroupTrace *const> workgroups,
                           const IssueOptions &options);

} // namespace conv::clock

#endif // CONV_CLOCK_ISSUE_H
