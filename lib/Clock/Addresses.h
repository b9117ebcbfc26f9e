//===- Addresses.h - what memory instructions touch -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From addresses of lanes to lines of global memory and passes through LDS.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_ADDRESSES_H
#define CONV_LIB_CLOCK_ADDRESSES_H

#include "Wave.h"

#include "conv/Clock/Trace.h"

namespace conv::clock {

/// Addresses of lanes, and which of them access memory.
struct LaneAddresses {
  std::array<uint64_t, 64> lanes{};
  uint64_t active = 0;
};

/// The addresses of an access to global memory; none if a lane's is unknown.
std::optional<LaneAddresses> readAddresses(const Instruction &instruction,
                                           const Wave &wave);

/// Describes the accesses of one workgroup. An instruction in a loop mostly
/// repeats its bank pattern, so the last pattern of each instruction is kept.
class AccessRecorder {
public:
  AccessRecorder(const Program &program, const Pace &pace)
      : pace(pace), patterns(program.code.size()) {}

  /// Appends the access of `program.code[index]` to the trace.
  void record(const Instruction &instruction, int index, const Wave &wave,
              WaveTrace &trace);

  int64_t unknownAddresses = 0;
  int firstUnknown = -1; ///< First instruction with one.

private:
  struct Pattern {
    uint64_t exec = 0;
    uint32_t phase = 0;
    Lanes offsets{};
    uint16_t passes = 0, conflicts = 0;
    bool isFilled = false;
  };

  void recordShared(const Instruction &instruction, int index, const Wave &wave,
                    Access &access);
  void recordGlobal(const Instruction &instruction, int index, const Wave &wave,
                    WaveTrace &trace, Access &access);
  void noteUnknown(int index);

  const Pace &pace;
  std::vector<Pattern> patterns;
  uint64_t inventedLine = uint64_t(1) << 60; ///< For unknown addresses.
};

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_ADDRESSES_H
