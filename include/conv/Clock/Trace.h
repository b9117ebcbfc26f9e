//===- Trace.h - what a workgroup executes ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups are interpreted as far as addresses, masks and branches go: scalar
// and vector integer instructions are computed for every lane from the kernel's
// parameters and ids, and all that depends on data is unknown. What remains is
// the list of instructions of each wave, with the lines of memory and the
// passes through LDS that its addresses mean.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_TRACE_H
#define CONV_CLOCK_TRACE_H

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"

namespace conv::clock {

/// One execution of an instruction.
struct Step {
  int32_t instruction;
  int32_t access; ///< Index in `WaveTrace::accesses`, or -1.
};

/// What a memory instruction touches.
struct Access {
  uint32_t firstLine = 0; ///< Index in `WaveTrace::lines`.
  uint16_t lines = 0;     ///< Lines of global memory.
  uint16_t passes = 0;    ///< Through the banks of LDS.
  uint16_t conflicts = 0; ///< Of these, those beyond the fewest.
  uint32_t bytes = 0;     ///< That lanes in range ask for.
};

struct WaveTrace {
  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<uint64_t> lines; ///< Addresses over the bytes of a line.
};

struct WorkgroupTrace {
  std::vector<WaveTrace> waves;
  int64_t unknownAddresses = 0; ///< Accesses taken for perfect ones.
  int64_t unknownBranches = 0;  ///< Taken for not taken.
  int firstUnknown = -1;        ///< Instruction of the first of these.
  bool isComplete = true;       ///< False: cut at the limit.
};

/// How a kernel is started.
struct LaunchShape {
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  /// The explicit parameters: addresses of buffers, integers.
  std::vector<uint64_t> parameters;
};

struct TraceOptions {
  int64_t limit = int64_t(1) << 22; ///< Instructions of a wave.
  bool globalOnly = false;          ///< Keep steps of global memory alone.
};

/// Interprets one workgroup, given by its number in the grid (x fastest).
WorkgroupTrace interpretWorkgroup(const Program &program, const Pace &pace,
                                  const LaunchShape &shape, int64_t workgroup,
                                  const TraceOptions &options = {});

} // namespace conv::clock

#endif // CONV_CLOCK_TRACE_H
