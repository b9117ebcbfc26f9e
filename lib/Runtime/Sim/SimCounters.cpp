//===- SimCounters.cpp - names of what the simulator counts ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Sim.h"

using namespace conv::runtime;

namespace {
struct CounterName {
  const char *name;
  uint64_t SimCounters::*member;
};
} // namespace

static constexpr CounterName counterNames[] = {
    {"workgroups", &SimCounters::workgroups},
    {"waves", &SimCounters::waves},
    {"barriers", &SimCounters::barriers},
    {"matrix_instructions", &SimCounters::matrixInstructions},
    {"matrix_flops", &SimCounters::matrixFlops},
    {"global_loads", &SimCounters::globalLoads},
    {"global_stores", &SimCounters::globalStores},
    {"global_atomics", &SimCounters::globalAtomics},
    {"global_bytes_read", &SimCounters::globalBytesRead},
    {"global_bytes_written", &SimCounters::globalBytesWritten},
    {"global_unique_bytes_read", &SimCounters::globalUniqueBytesRead},
    {"global_unique_bytes_written", &SimCounters::globalUniqueBytesWritten},
    {"global_segments_64", &SimCounters::globalSegments64},
    {"global_segments_128", &SimCounters::globalSegments128},
    {"buffer_out_of_range", &SimCounters::bufferOutOfRange},
    {"lds_loads", &SimCounters::ldsLoads},
    {"lds_stores", &SimCounters::ldsStores},
    {"lds_atomics", &SimCounters::ldsAtomics},
    {"lds_bytes_read", &SimCounters::ldsBytesRead},
    {"lds_bytes_written", &SimCounters::ldsBytesWritten},
    {"lds_cycles", &SimCounters::ldsCycles},
    {"lds_bank_conflicts", &SimCounters::ldsBankConflicts},
    {"lds_bytes_per_workgroup", &SimCounters::ldsBytesPerWorkgroup},
};

SimCounters &SimCounters::operator+=(const SimCounters &other) {
  for (const CounterName &counter : counterNames)
    this->*counter.member += other.*counter.member;
  return *this;
}

std::vector<std::pair<std::string_view, uint64_t>>
SimCounters::entries() const {
  std::vector<std::pair<std::string_view, uint64_t>> all;
  for (const CounterName &counter : counterNames)
    all.emplace_back(counter.name, this->*counter.member);
  return all;
}

std::string SimCounters::text() const {
  std::string text;
  for (const CounterName &counter : counterNames)
    text += std::string(counter.name) + ": " +
            std::to_string(this->*counter.member) + "\n";
  return text;
}
