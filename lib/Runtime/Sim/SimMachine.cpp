//===- SimMachine.cpp - loads objects and spreads workgroups --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public interface of the simulator: objects are shared libraries loaded
// from memory; a launch hands workgroups to threads until one of them fails.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Sim.h"

#include "Memory.h"
#include "Operations.h"
#include "Workgroup.h"
#include "WorkgroupQueue.h"
#include "conv/Runtime/LoadedObject.h"
#include "conv/Runtime/ThreadPool.h"

#include <cstring>
#include <optional>

using namespace conv;
using namespace conv::runtime;
using namespace conv::runtime::sim;

static constexpr SimChip chips[] = {
#define CONV_SIM_CHIP(name, waveSize, ldsBytes, ldsBanks, isGfx9, isFnuz)      \
  {name, waveSize, ldsBytes, ldsBanks, isGfx9, isFnuz},
#include "conv/Runtime/SimChips.def"
};

static const SimChip *findChip(std::string_view name) {
  for (const SimChip &chip : chips)
    if (name == chip.name)
      return &chip;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

class conv::runtime::SimObject {
public:
  SimObject(std::unique_ptr<LoadedObject> library, abi::Object *object)
      : library(std::move(library)), object(object) {}

  const abi::Kernel *find(std::string_view name) const {
    for (uint32_t i = 0; i < object->kernelCount; ++i)
      if (name == object->kernels[i].name)
        return &object->kernels[i];
    return nullptr;
  }
  const abi::Object &getObject() const { return *object; }

private:
  std::unique_ptr<LoadedObject> library;
  abi::Object *object;
};

static Result<void> resolveSites(abi::Object &object) {
  for (uint32_t i = 0; i < object.siteCount; ++i) {
    abi::Site &site = object.sites[i];
    if (site.kind != abi::SiteKind::WaveOp &&
        site.kind != abi::SiteKind::LaneOp)
      continue;
    const Operation *operation = findOperation(site.name);
    if (!operation)
      return Error{ErrorKind::BadInput,
                   std::string("the simulator has no operation '") + site.name +
                       "', which the object needs"};
    // The machine runs wave operations; lane operations are called directly.
    site.handler =
        site.kind == abi::SiteKind::LaneOp
            ? reinterpret_cast<void *>(operation->laneHandler)
            : const_cast<void *>(static_cast<const void *>(operation));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

struct SimMachine::State {
  const SimChip *chip;
  SimOptions options;
  unsigned threadCount;
  std::optional<ThreadPool> threads;
  Memory memory;
  SimCounters counters;
  std::mutex launchMutex;
  /// One per thread, kept for its stacks and LDS.
  std::vector<std::unique_ptr<Workgroup>> workers;
};

SimMachine::SimMachine(std::unique_ptr<State> state)
    : state(std::move(state)) {}
SimMachine::~SimMachine() = default;

Result<std::unique_ptr<SimMachine>> SimMachine::create(std::string_view chip,
                                                       SimOptions options) {
  const SimChip *facts = findChip(chip);
  if (!facts)
    return Error{ErrorKind::Unsupported, "expects a chip that can be "
                                         "simulated, but got '" +
                                             std::string(chip) + "'"};
  if (!__builtin_cpu_supports("x86-64-v3"))
    return Error{ErrorKind::System,
                 "the simulator needs a processor with AVX2, FMA and F16C "
                 "(x86-64-v3)"};
  Result<unsigned> threadCount = options.threads > 0
                                     ? Result<unsigned>(options.threads)
                                     : defaultThreadCount();
  if (!threadCount)
    return threadCount.error();
  auto state = std::make_unique<State>();
  state->chip = facts;
  state->options = options;
  state->threadCount = *threadCount;
  state->threads.emplace(*threadCount);
  return std::unique_ptr<SimMachine>(new SimMachine(std::move(state)));
}

void SimMachine::registerBuffer(const void *address, size_t bytes) {
  std::lock_guard lock(state->launchMutex);
  state->memory.add(address, bytes);
}

void SimMachine::unregisterBuffer(const void *address) {
  std::lock_guard lock(state->launchMutex);
  state->memory.remove(address);
}

bool SimMachine::isRegistered(const void *address, size_t bytes) const {
  std::lock_guard lock(state->launchMutex);
  return state->memory.find(reinterpret_cast<uint64_t>(address), bytes);
}

const SimCounters &SimMachine::counters() const { return state->counters; }
void SimMachine::resetCounters() { state->counters = SimCounters(); }
const SimOptions &SimMachine::options() const { return state->options; }

Result<std::shared_ptr<SimObject>> SimMachine::load(const void *bytes,
                                                    size_t size) {
  auto refuse = [&](const std::string &what) {
    return Error{ErrorKind::BadInput, "not a simulator object: " + what};
  };
  auto library = LoadedObject::load(
      std::string(static_cast<const char *>(bytes), size), "the object");
  if (!library)
    return refuse(library.error().message);
  auto *object =
      static_cast<abi::Object *>((*library)->symbol(abi::objectSymbol));
  if (!object)
    return refuse(std::string("it has no symbol ") + abi::objectSymbol);
  if (object->version != abi::abiVersion)
    return refuse("expects interface version " +
                  std::to_string(abi::abiVersion) + ", but got " +
                  std::to_string(object->version));
  if (std::string_view(object->chip) != state->chip->name)
    return refuse(std::string("expects chip ") + state->chip->name +
                  ", but got " + object->chip);
  *object->services = &services;
  if (Result<void> resolved = resolveSites(*object); !resolved)
    return resolved.error();
  return std::make_shared<SimObject>(std::move(*library), object);
}

bool SimMachine::hasKernel(const SimObject &object, std::string_view name) {
  return object.find(name) != nullptr;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static Error badLaunch(const SimMachine::Launch &launch,
                       const std::string &what) {
  return {ErrorKind::BadInput,
          "kernel '" + std::string(launch.kernel) + "': " + what};
}

static Result<void> checkShape(const SimMachine::Launch &launch,
                               const abi::Kernel &kernel, const SimChip &chip) {
  constexpr uint64_t maxWorkItems = 1024;
  uint64_t items = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (launch.block[dim] == 0 || launch.grid[dim] == 0)
      return badLaunch(launch, "expects positive sizes of grid and block");
    if (launch.block[dim] > maxWorkItems)
      return badLaunch(launch, "expects at most 1024 work-items");
    items *= launch.block[dim];
    if (kernel.requiredBlock[dim] != 0 &&
        kernel.requiredBlock[dim] != launch.block[dim])
      return badLaunch(launch,
                       "expects " + std::to_string(kernel.requiredBlock[dim]) +
                           " work-items in dimension " + std::to_string(dim) +
                           ", but got " + std::to_string(launch.block[dim]));
  }
  uint64_t workgroups = 0;
  if (__builtin_mul_overflow(uint64_t(launch.grid[0]) * launch.grid[1],
                             uint64_t(launch.grid[2]), &workgroups))
    return badLaunch(
        launch, "expects a grid of fewer than 2^64 workgroups, but got more");
  if (items > maxWorkItems)
    return badLaunch(launch, "expects at most 1024 work-items, but got " +
                                 std::to_string(items));
  if (launch.parameterCount != kernel.parameterCount)
    return badLaunch(launch, "expects " +
                                 std::to_string(kernel.parameterCount) +
                                 " parameters, but got " +
                                 std::to_string(launch.parameterCount));
  uint64_t lds = uint64_t(kernel.ldsBytes) + launch.dynamicSharedBytes;
  if (lds > chip.ldsBytes)
    return badLaunch(launch,
                     "expects at most " + std::to_string(chip.ldsBytes) +
                         " bytes of LDS, but got " + std::to_string(lds));
  return {};
}

template <typename T> static void put(uint8_t *block, size_t offset, T value) {
  memcpy(block + offset, &value, sizeof(value));
}

/// Fills the data that a kernel may read of its own launch, at the offsets of
/// the HSA dispatch packet and of code object version 5.
static void describeLaunch(LaunchState &launch) {
  const auto &[grid, block] = std::pair(launch.shape.grid, launch.shape.block);
  launch.dispatchPacket = {};
  launch.implicitArgs = {};
  for (unsigned dim = 0; dim < 3; ++dim) {
    put<uint16_t>(launch.dispatchPacket.data(), 4 + 2 * dim,
                  uint16_t(block[dim]));
    put<uint32_t>(launch.dispatchPacket.data(), 12 + 4 * dim,
                  grid[dim] * block[dim]);
    put<uint32_t>(launch.implicitArgs.data(), 4 * dim, grid[dim]);
    put<uint16_t>(launch.implicitArgs.data(), 12 + 2 * dim,
                  uint16_t(block[dim]));
  }
  put<uint16_t>(launch.implicitArgs.data(), 64, 3);
}

static void packParameters(LaunchState &launch) {
  const abi::Kernel &kernel = *launch.kernel;
  launch.kernarg.assign(kernel.kernargBytes, 0);
  for (uint32_t i = 0; i < kernel.parameterCount; ++i)
    memcpy(launch.kernarg.data() + kernel.parameters[i].offset,
           launch.shape.parameters[i], kernel.parameters[i].bytes);
}

Result<void> SimMachine::launch(SimObject &object, const Launch &shape) {
  std::lock_guard lock(state->launchMutex);
  const abi::Kernel *kernel = object.find(shape.kernel);
  if (!kernel)
    return badLaunch(shape, "the object has no such kernel");
  if (Result<void> checked = checkShape(shape, *kernel, *state->chip); !checked)
    return checked;

  const SimOptions &options = state->options;
  LaunchState launch;
  launch.kernel = kernel;
  launch.object = &object.getObject();
  launch.chip = state->chip;
  launch.options = &options;
  launch.memory = &state->memory;
  launch.shape = shape;
  launch.ldsBytes = kernel->ldsBytes + shape.dynamicSharedBytes;
  packParameters(launch);
  describeLaunch(launch);
  if (options.counters)
    state->memory.resetTouched();

  WorkgroupQueue queue(shape.grid);
  unsigned threadCount =
      unsigned(std::min<uint64_t>(state->threadCount, queue.size()));
  while (state->workers.size() < threadCount)
    state->workers.push_back(std::make_unique<Workgroup>(*state->chip));
  for (unsigned i = 0; i < threadCount; ++i)
    if (Result<void> ready = state->workers[i]->prepare(launch); !ready)
      return ready;
  // Each index is a worker, which runs workgroups until none is left. If
  // threads are fewer than workers, the last workers find nothing to do.
  auto work = [&](int64_t worker) { queue.work(*state->workers[worker]); };
  state->threads->run(
      threadCount,
      [](void *context, int64_t worker) {
        (*static_cast<decltype(work) *>(context))(worker);
      },
      &work);
  if (queue.getError())
    return *queue.getError();

  for (unsigned i = 0; i < threadCount; ++i)
    state->counters += state->workers[i]->getCounters();
  state->counters.ldsBytesPerWorkgroup =
      std::max<uint64_t>(state->counters.ldsBytesPerWorkgroup, launch.ldsBytes);
  if (options.counters) {
    state->counters.globalUniqueBytesRead += state->memory.countRead();
    state->counters.globalUniqueBytesWritten += state->memory.countWritten();
  }
  return {};
}
