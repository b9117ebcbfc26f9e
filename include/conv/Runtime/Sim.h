//===- Sim.h - the simulated AMD GPU ----------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs AMD kernels that lib/Backend/Sim compiled for the CPU: one fiber per
// work-item, waves of the chip's width, LDS, barriers. It checks what a GPU
// does not check and counts what a profiler would count. docs/simulator.md says
// what is modelled and what is not.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_SIM_H
#define CONV_RUNTIME_SIM_H

#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conv::runtime {

/// The order in which the waves of a workgroup take turns.
enum class WaveOrder {
  InOrder, ///< Each wave runs up to the next barrier.
  Random, ///< A seeded random choice at every barrier and cross-lane operation.
};

struct SimOptions {
  bool checks = true;
  bool counters = false;
  WaveOrder waveOrder = WaveOrder::InOrder;
  uint64_t seed = 0;
  unsigned threads = 0; ///< 0: CONV_NUM_THREADS, or one per processor.
};

/// Counters of a launch, summed over its workgroups. Memory is counted per wave
/// instruction, as the hardware sees it.
struct SimCounters {
  uint64_t workgroups = 0;
  uint64_t waves = 0;
  uint64_t barriers = 0; ///< Counted per wave.
  uint64_t matrixInstructions = 0;
  uint64_t matrixFlops = 0; ///< Multiplications and additions.
  uint64_t globalLoads = 0;
  uint64_t globalStores = 0;
  uint64_t globalAtomics = 0;
  uint64_t globalBytesRead = 0;
  uint64_t globalBytesWritten = 0;
  uint64_t globalUniqueBytesRead = 0;    ///< Compulsory traffic.
  uint64_t globalUniqueBytesWritten = 0; ///< Compulsory traffic.
  uint64_t globalSegments64 = 0;         ///< 64-byte segments touched.
  uint64_t globalSegments128 = 0;        ///< 128-byte segments touched.
  uint64_t bufferOutOfRange = 0; ///< Lanes whose buffer access was dropped.
  uint64_t ldsLoads = 0;
  uint64_t ldsStores = 0;
  uint64_t ldsAtomics = 0;
  uint64_t ldsBytesRead = 0;
  uint64_t ldsBytesWritten = 0;
  uint64_t ldsCycles = 0;        ///< Passes through the banks.
  uint64_t ldsBankConflicts = 0; ///< Passes beyond the conflict-free number.
  uint64_t ldsBytesPerWorkgroup = 0;

  SimCounters &operator+=(const SimCounters &other);
  bool operator==(const SimCounters &other) const = default;

  /// Name and value of every counter, in declaration order. The names are the
  /// keys in JSON.
  std::vector<std::pair<std::string_view, uint64_t>> entries() const;
  /// One `name: value` line per counter.
  std::string text() const;
};

/// A code object loaded into a machine.
class SimObject;

/// One simulated GPU. Launches are synchronous; use one machine from one
/// thread.
class SimMachine {
public:
  /// Fails for a chip that cannot be simulated, or a CPU without AVX2 and FMA.
  static Result<std::unique_ptr<SimMachine>> create(std::string_view chip,
                                                    SimOptions options);
  ~SimMachine();

  /// Registers memory that kernels may access. Checks refuse all other memory.
  void registerBuffer(const void *address, size_t bytes);
  void unregisterBuffer(const void *address);
  /// Whether one registered buffer contains all of the bytes.
  bool isRegistered(const void *address, size_t bytes) const;

  Result<std::shared_ptr<SimObject>> load(const void *bytes, size_t size);
  static bool hasKernel(const SimObject &object, std::string_view name);

  struct Launch {
    std::string_view kernel;
    std::array<uint32_t, 3> grid = {1, 1, 1};  ///< In workgroups.
    std::array<uint32_t, 3> block = {1, 1, 1}; ///< In work-items.
    uint32_t dynamicSharedBytes = 0;
    /// One pointer to each parameter's value, in order.
    void *const *parameters = nullptr;
    size_t parameterCount = 0;
  };
  /// Runs to the end, or to the first error.
  Result<void> launch(SimObject &object, const Launch &launch);

  /// Sums over the launches since the last reset.
  const SimCounters &counters() const;
  void resetCounters();
  const SimOptions &options() const;

private:
  struct State;
  explicit SimMachine(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_SIM_H
