//===- Workgroup.h - one workgroup at a time --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the work-items of a workgroup as fibers and synchronizes them at
// barriers and cross-lane operations. One object per thread, used for many
// workgroups in turn.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_WORKGROUP_H
#define CONV_LIB_RUNTIME_SIM_WORKGROUP_H

#include "Fiber.h"
#include "WaveOp.h"

#include "conv/Runtime/Sim.h"
#include "conv/Support/Result.h"

#include <deque>
#include <mutex>
#include <optional>
#include <random>

namespace conv::runtime::sim {

class Memory;
class Observer;
class Workgroup;

/// The common state of all workgroups of a launch.
struct LaunchState {
  const abi::Kernel *kernel;
  const abi::Object *object;
  const SimChip *chip;
  const SimOptions *options;
  Memory *memory;
  SimMachine::Launch shape;
  std::vector<uint8_t> kernarg;
  std::array<uint8_t, 64> dispatchPacket;
  std::array<uint8_t, 256> implicitArgs;
  uint32_t ldsBytes; ///< Static and dynamic.

  /// Resources live as long as the launch; equal ones are shared.
  const abi::Resource *internResource(const abi::Resource &resource);

private:
  std::mutex resourcesMutex;
  std::deque<abi::Resource> resources;
};

enum class ItemState : uint8_t { Ready, AtWaveOp, AtBarrier, Done };

struct WorkItem : abi::Item {
  void *stackPointer;
  WorkItem *next; ///< The next lane of the wave, or null.
  Workgroup *group;
  const abi::Site *site; ///< Where it has stopped.
  uint32_t index;
  ItemState state;
};

/// A lane's copy to LDS for which its wave has not waited.
struct PendingCopy {
  uint64_t to;
  uint32_t instruction; ///< Among the wave's copies.
  uint32_t bytes;
  std::array<uint8_t, 16> data;
};

struct Wave {
  WorkItem *items;
  abi::Item **itemPointers;
  uint32_t laneCount;
  uint32_t index;
  /// Changes whenever the lanes meet; orders accesses within the wave.
  uint32_t segment;
  bool isAtBarrier;
  bool isDone;
  bool hasSignalled; ///< Between the halves of a split barrier.
  uint32_t startedCopies = 0;
  std::deque<PendingCopy> copies = {}; ///< The oldest one first.
};

class Workgroup {
public:
  explicit Workgroup(const SimChip &chip);
  ~Workgroup();

  /// Allocates memory for the workgroups of `launch`.
  Result<void> prepare(LaunchState &launch);
  /// Runs one workgroup. An error names kernel, workgroup and work-item.
  std::optional<Error> run(std::array<uint32_t, 3> workgroupId);

  const LaunchState &getLaunch() const { return *launch; }
  LaunchState &getLaunch() { return *launch; }
  const SimChip &getChip() const { return chip; }
  Wave &getWave(const WorkItem &item) { return waves[item.wave]; }
  Observer &getObserver() { return *observer; }
  SimCounters &getCounters() { return counters; }
  uint64_t getLdsBase() const { return reinterpret_cast<uint64_t>(lds); }
  bool isOnStack(const WorkItem &item, uint64_t address, uint64_t bytes) const;

  // Called on the stack of a work-item.
  void meetWave(WorkItem &item, const abi::Site *site);
  void meetGroup(WorkItem &item, const abi::Site *site);
  /// Ends the launch with the error of `item`. Does not return.
  [[noreturn]] void stop(WorkItem &item, const std::string &what);
  /// Reports an error from the scheduler's stack.
  void fail(const WorkItem &item, const std::string &what);

private:
  static void enterItem(void *argument);
  void leave(WorkItem &item);
  void startItems(std::array<uint32_t, 3> workgroupId);
  void runWaves();
  Wave *selectWave();
  void runSegment(Wave &wave);
  void resolve(Wave &wave);
  void serve(Wave &wave, uint64_t active, const abi::Site *site);
  void stopAtBarrier(Wave &wave, const WorkItem &first);
  bool releaseBarrier();

  const SimChip &chip;
  LaunchState *launch = nullptr;
  FiberStacks stacks;
  uint8_t *lds = nullptr;
  std::unique_ptr<uint8_t[]> frames;
  uint8_t *alignedFrames = nullptr;
  std::vector<WorkItem> items;
  std::vector<abi::Item *> itemPointers;
  std::vector<Wave> waves;
  void *schedulerStack = nullptr;
  std::optional<Error> error;
  std::mt19937_64 random;
  uint32_t nextSegment = 0;
  SimCounters counters;
  std::unique_ptr<Observer> observer;
};

/// The functions that compiled code calls.
extern const abi::Services services;

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_WORKGROUP_H
