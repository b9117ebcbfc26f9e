//===- Workgroup.cpp - one workgroup at a time ----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber runs until its work-item has to meet others, then switches to the
// next lane of its wave; the scheduler runs only when the whole wave has
// stopped. It then serves the wave operation, notes that the wave is at a
// barrier, or reports that the lanes diverged.
//
//===----------------------------------------------------------------------===//

#include "Workgroup.h"

#include "Observer.h"
#include "Operations.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace conv;
using namespace conv::runtime;
using namespace conv::runtime::sim;

const abi::Resource *
LaunchState::internResource(const abi::Resource &resource) {
  std::lock_guard lock(resourcesMutex);
  for (const abi::Resource &known : resources)
    if (memcmp(&known, &resource, sizeof(resource)) == 0)
      return &known;
  return &resources.emplace_back(resource);
}

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

Workgroup::Workgroup(const SimChip &chip) : chip(chip) {}

Workgroup::~Workgroup() {
  if (lds)
    munmap(lds, chip.ldsBytes);
}

Result<void> Workgroup::prepare(LaunchState &newLaunch) {
  launch = &newLaunch;
  counters = SimCounters();
  const auto &block = launch->shape.block;
  uint32_t count = block[0] * block[1] * block[2];
  if (!lds) {
    // Compiled code keeps LDS addresses in 32 bits.
    void *memory = mmap(nullptr, chip.ldsBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (memory == MAP_FAILED)
      return Error{ErrorKind::System,
                   "no memory below 4 GiB for the simulator's LDS"};
    lds = static_cast<uint8_t *>(memory);
  }
  if (items.size() < count) {
    if (!stacks.reserve(count))
      return Error{ErrorKind::System, "no memory for the stacks of " +
                                          std::to_string(count) +
                                          " work-items"};
    frames = std::make_unique<uint8_t[]>(frameStride * count + 64);
    alignedFrames = reinterpret_cast<uint8_t *>(
        (reinterpret_cast<uintptr_t>(frames.get()) + 63) / 64 * 64);
  }
  items.resize(count);
  itemPointers.resize(count);
  waves.resize((count + chip.waveSize - 1) / chip.waveSize);
  observer = std::make_unique<Observer>(*this);
  return {};
}

void Workgroup::startItems(std::array<uint32_t, 3> workgroupId) {
  const auto &block = launch->shape.block;
  uint32_t count = items.size();
  for (uint32_t i = 0; i < count; ++i) {
    WorkItem &item = items[i];
    item = {};
    item.workItemId[0] = i % block[0];
    item.workItemId[1] = i / block[0] % block[1];
    item.workItemId[2] = i / (block[0] * block[1]);
    std::copy(workgroupId.begin(), workgroupId.end(), item.workgroupId);
    item.lane = i % chip.waveSize;
    item.wave = i / chip.waveSize;
    item.ldsBase = getLdsBase();
    item.frame = alignedFrames + i * frameStride;
    item.kernarg = launch->kernarg.data();
    item.dispatchPacket = launch->dispatchPacket.data();
    item.implicitArgs = launch->implicitArgs.data();
    bool isLastLane = item.lane + 1 == chip.waveSize || i + 1 == count;
    item.next = isLastLane ? nullptr : &items[i + 1];
    item.group = this;
    item.index = i;
    item.state = ItemState::Ready;
    item.stackPointer = stacks.prepare(i, enterItem, &item);
    itemPointers[i] = &item;
  }
  for (uint32_t w = 0; w < waves.size(); ++w) {
    uint32_t first = w * chip.waveSize;
    waves[w] = {};
    waves[w].items = &items[first];
    waves[w].itemPointers = &itemPointers[first];
    waves[w].laneCount = std::min(chip.waveSize, count - first);
    waves[w].index = w;
    waves[w].segment = ++nextSegment;
  }
}

void Workgroup::enterItem(void *argument) {
  auto &item = *static_cast<WorkItem *>(argument);
  Workgroup &group = *item.group;
  group.launch->kernel->entry(&item);
  item.state = ItemState::Done;
  group.leave(item);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// On the stack of a work-item
//===----------------------------------------------------------------------===//

/// Continues with the next lane if it can run, else with the scheduler.
void Workgroup::leave(WorkItem &item) {
  WorkItem *next = item.next;
  bool canChain = next && next->state == ItemState::Ready;
  conv_sim_switch(&item.stackPointer,
                  canChain ? next->stackPointer : schedulerStack);
}

void Workgroup::meetWave(WorkItem &item, const abi::Site *site) {
  item.site = site;
  item.state = ItemState::AtWaveOp;
  leave(item);
}

void Workgroup::meetGroup(WorkItem &item, const abi::Site *site) {
  item.site = site;
  item.state = ItemState::AtBarrier;
  leave(item);
}

static std::string describeId(const uint32_t *id) {
  return "(" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
         std::to_string(id[2]) + ")";
}

void Workgroup::fail(const WorkItem &item, const std::string &what) {
  if (error)
    return;
  error = Error{ErrorKind::System,
                "kernel '" + std::string(launch->kernel->name) +
                    "', workgroup " + describeId(item.workgroupId) +
                    ", work-item " + describeId(item.workItemId) + ": " + what};
}

void Workgroup::stop(WorkItem &item, const std::string &what) {
  fail(item, what);
  conv_sim_switch(&item.stackPointer, schedulerStack);
  __builtin_unreachable();
}

bool Workgroup::isOnStack(const WorkItem &item, uint64_t address,
                          uint64_t bytes) const {
  return stacks.contains(item.index, address, bytes);
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

std::optional<Error> Workgroup::run(std::array<uint32_t, 3> workgroupId) {
  error.reset();
  const auto &grid = launch->shape.grid;
  uint64_t linear =
      (uint64_t(workgroupId[2]) * grid[1] + workgroupId[1]) * grid[0] +
      workgroupId[0];
  // The order depends on the seed and the workgroup, not on the thread.
  random.seed(launch->options->seed * 0x9e3779b97f4a7c15ull + linear);
  startItems(workgroupId);
  observer->startWorkgroup();
  runWaves();
  observer->finishWorkgroup();
  ++counters.workgroups;
  counters.waves += waves.size();
  return error;
}

void Workgroup::runWaves() {
  while (!error) {
    if (Wave *wave = selectWave())
      runSegment(*wave);
    else if (!releaseBarrier())
      return;
  }
}

/// A wave that can run, or null.
Wave *Workgroup::selectWave() {
  auto canRun = [](const Wave &wave) {
    return !wave.isAtBarrier && !wave.isDone;
  };
  if (launch->options->waveOrder == WaveOrder::InOrder) {
    auto found = std::find_if(waves.begin(), waves.end(), canRun);
    return found == waves.end() ? nullptr : &*found;
  }
  uint32_t candidates = std::count_if(waves.begin(), waves.end(), canRun);
  if (candidates == 0)
    return nullptr;
  uint64_t chosen = random() % candidates;
  for (Wave &wave : waves)
    if (canRun(wave) && chosen-- == 0)
      return &wave;
  return nullptr;
}

/// Runs `wave` until its lanes have stopped, and serves the reason of the
/// stop.
void Workgroup::runSegment(Wave &wave) {
  for (uint32_t lane = 0; lane < wave.laneCount && !error; ++lane)
    if (wave.items[lane].state == ItemState::Ready)
      conv_sim_switch(&schedulerStack, wave.items[lane].stackPointer);
  if (!error)
    resolve(wave);
}

static const char *describeState(const WorkItem &item) {
  switch (item.state) {
  case ItemState::AtWaveOp:
    return item.site->name;
  case ItemState::AtBarrier:
    return "a barrier";
  case ItemState::Ready:
  case ItemState::Done:
    break;
  }
  return "the end of the kernel";
}

static std::string describeSite(const abi::Site &site) {
  return *site.location ? std::string(" at ") + site.location : "";
}

void Workgroup::resolve(Wave &wave) {
  uint64_t active = 0;
  const WorkItem *first = nullptr;
  for (uint32_t lane = 0; lane < wave.laneCount; ++lane) {
    const WorkItem &item = wave.items[lane];
    if (item.state == ItemState::Done)
      continue;
    if (!first)
      first = &item;
    if (item.state != first->state || item.site != first->site)
      return fail(item, std::string("divergence within a wave: waits at ") +
                            describeState(item) + describeSite(*item.site) +
                            " while work-item " +
                            describeId(first->workItemId) + " waits at " +
                            describeState(*first) + describeSite(*first->site));
    active |= 1ull << lane;
  }
  observer->finishSegment(wave);
  wave.segment = ++nextSegment;
  if (!first) {
    wave.isDone = true;
    return;
  }
  if (first->state == ItemState::AtBarrier)
    return stopAtBarrier(wave, *first);
  serve(wave, active, first->site);
}

void Workgroup::serve(Wave &wave, uint64_t active, const abi::Site *site) {
  const Operation &operation = *static_cast<const Operation *>(site->handler);
  WaveOp op{wave.items[0].frame,
            wave.itemPointers,
            chip.waveSize,
            active,
            site,
            &chip};
  const WorkItem &first = wave.items[op.firstActive()];
  if (operation.matrixFlops) {
    uint64_t all = chip.waveSize == 64 ? ~0ull : (1ull << chip.waveSize) - 1;
    if (active != all)
      return fail(first, std::string("divergence within a wave: ") +
                             site->name + " needs all " +
                             std::to_string(chip.waveSize) + " lanes, but " +
                             std::to_string(__builtin_popcountll(active)) +
                             " take part");
    ++counters.matrixInstructions;
    counters.matrixFlops += operation.matrixFlops;
  }
  operation.waveHandler(op);
  if (op.failure)
    return fail(first, std::string(site->name) + ": " + op.failure);
  for (uint32_t lane = 0; lane < wave.laneCount; ++lane)
    if (op.isActive(lane))
      wave.items[lane].state = ItemState::Ready;
}

void Workgroup::stopAtBarrier(Wave &wave, const WorkItem &first) {
  for (uint32_t lane = 0; lane < wave.laneCount; ++lane)
    if (wave.items[lane].state == ItemState::Done)
      return fail(wave.items[lane],
                  "divergence at a barrier" + describeSite(*first.site) +
                      ": has ended while work-item " +
                      describeId(first.workItemId) + " waits");
  wave.isAtBarrier = true;
  ++counters.barriers;
}

/// Lets the waves continue when all have arrived. False at the kernel's end.
bool Workgroup::releaseBarrier() {
  const Wave *waiting = nullptr, *ended = nullptr;
  for (const Wave &wave : waves)
    (wave.isDone ? ended : waiting) = &wave;
  if (!waiting)
    return false;
  if (ended) {
    const WorkItem &item = waiting->items[0];
    fail(item, "divergence at a barrier" + describeSite(*item.site) +
                   ": waits for work-item " +
                   describeId(ended->items[0].workItemId) +
                   ", which has ended");
    return false;
  }
  for (Wave &wave : waves) {
    wave.isAtBarrier = false;
    wave.hasSignalled = false;
    for (uint32_t lane = 0; lane < wave.laneCount; ++lane)
      wave.items[lane].state = ItemState::Ready;
  }
  observer->passBarrier();
  return true;
}
