//===- Trace.h - what a workgroup executes ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets workgroups as far as addresses, masks and branches go: scalar and
// vector integer instructions are computed for every lane from the kernel's
// parameters and ids; values that depend on data are unknown, but for buffers
// whose contents are given. The result is the list of instructions of each
// wave, with the memory lines and the LDS passes that their addresses cause.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_TRACE_H
#define CONV_CLOCK_TRACE_H

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"

#include <map>

namespace conv::clock {

/// One execution of an instruction.
struct Step {
  int32_t instruction;
  int32_t access; ///< Index in `WaveTrace::accesses`, or -1.
};

/// The memory that an instruction touches.
struct Access {
  uint32_t firstLine = 0; ///< Index in `WaveTrace::lines`.
  uint16_t lines = 0;     ///< Lines of global memory.
  uint16_t passes = 0;    ///< Passes through the LDS banks.
  uint16_t conflicts = 0; ///< Passes beyond the fewest possible.
  uint32_t bytes = 0;     ///< Bytes for lanes in range.
};

struct WaveTrace {
  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<uint64_t> lines; ///< Addresses divided by the line size.
};

struct WorkgroupTrace {
  std::vector<WaveTrace> waves;
  int64_t unknownAddresses = 0; ///< Accesses assumed perfect.
  /// Branches assumed not taken by a wave at first, then taken, and so on in
  /// turn: loops with one such branch end, others are cut at the limit.
  int64_t unknownBranches = 0;
  int firstUnknown = -1;  ///< First unknown instruction.
  bool isComplete = true; ///< False if cut at the limit.
};

/// How a kernel is started.
struct LaunchShape {
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  /// The explicit parameters: addresses of buffers, integers.
  std::vector<uint64_t> parameters;
  /// The bytes of buffers that are known, by address.
  std::map<uint64_t, std::string> contents;

  int64_t countWorkgroups() const { return grid[0] * grid[1] * grid[2]; }
};

struct TraceOptions {
  int64_t limit = int64_t(1) << 22; ///< Most instructions of a wave.
  bool globalOnly = false;          ///< Keep only steps of global memory.
};

/// Interprets one workgroup, given by its number in the grid (x fastest).
WorkgroupTrace interpretWorkgroup(const Program &program, const Pace &pace,
                                  const LaunchShape &shape, int64_t workgroup,
                                  const TraceOptions &options = {});

} // namespace conv::clock

#endif // CONV_CLOCK_TRACE_H
