//===- StandIn.cpp - a GPU driver without a GPU -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include "conv/Support/Sha256.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>

using namespace conv;
using namespace conv::artifact;
using namespace conv::standin;

thread_local int StandIn::current = 0;

std::string standin::fromEnvironment(const char *name, const char *fallback) {
  const char *value = std::getenv(name);
  return value && *value ? value : fallback;
}

std::string standin::copyElf(const void *image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  return {static_cast<const char *>(image),
          header.e_shoff + size_t(header.e_shnum) * header.e_shentsize};
}

const char *StandIn::errorText(int error) const {
  switch (error) {
  case Success:
    return "no error";
  case OutOfMemory:
    return "out of memory";
  case NotInitialized:
    return "initialization error";
  case NoDevice:
    return noDeviceText();
  case InvalidImage:
    return failure.empty() ? "device kernel image is invalid" : failure.c_str();
  case InvalidContext:
    return "invalid device context";
  case NoBinaryForGpu:
    return "no kernel image is available for execution on the device";
  case NotFound:
    return "named symbol not found";
  case LaunchFailure:
    return failure.c_str();
  case CaptureUnsupported:
    return "operation not permitted when stream is capturing";
  default:
    return failure.empty() ? "invalid argument" : failure.c_str();
  }
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

int StandIn::record(const std::string &call, int error) {
  std::string line = call;
  if (error != Success)
    line += " -> " + std::to_string(error);
  log += line + "\n";
  std::string file = fromEnvironment("CONV_STANDIN_LOG", "");
  if (!file.empty())
    std::ofstream(file, std::ios::app) << line << "\n";
  return error;
}

int StandIn::deviceCount() const {
  return std::atoi(fromEnvironment("CONV_STANDIN_DEVICES", "1").c_str());
}

int StandIn::computeUnits() const {
  return std::atoi(fromEnvironment("CONV_STANDIN_UNITS", "132").c_str());
}

/// Reads the artifact and opens what runs its kernels.
int StandIn::initialize() {
  isInitialized = true;
  std::string pack = fromEnvironment("CONV_STANDIN_PACK", "");
  if (pack.empty() || device)
    return Success;
  Result<Artifact> read = Artifact::read(pack);
  if (!read) {
    failure = read.error().message;
    return InvalidValue;
  }
  artifact = std::move(*read);
  std::string name = "host";
  for (const Entry &entry : artifact.manifest.entries)
    if (entry.target == simulator())
      name = simulator();
  auto opened = runtime::openDevice(name);
  if (!opened) {
    failure = opened.error().message;
    return InvalidDevice;
  }
  device = std::move(*opened);
  return Success;
}

void StandIn::reset() {
  isInitialized = false;
  current = 0;
  pendingError = Success;
  handles = 0;
  captured = nullptr;
  failure.clear();
  log.clear();
  functions.clear();
  modules.clear();
  allocations.clear();
  streams.clear();
  events.clear();
  device.reset();
}

int StandIn::liveObjects() const {
  return int(allocations.size() + modules.size() + streams.size() +
             events.size());
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

void *StandIn::newHandle() {
  return reinterpret_cast<void *>(uintptr_t(0x1000 + ++handles));
}

int StandIn::create(Handles &handles, void **handle) {
  *handle = newHandle();
  handles[*handle] = current;
  return Success;
}

int StandIn::destroy(Handles &handles, void *handle) {
  return handles.erase(handle) ? Success : InvalidHandle;
}

bool StandIn::isCurrent(const Handles &handles, void *handle) const {
  auto found = handles.find(handle);
  return found != handles.end() && found->second == current;
}

int StandIn::synchronize(void *stream) {
  return isStream(stream) ? std::exchange(pendingError, int(Success))
                          : int(InvalidHandle);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int StandIn::allocate(size_t bytes, void **address) {
  if (!device)
    return InvalidValue;
  std::string limit = fromEnvironment("CONV_STANDIN_MEMORY", "");
  size_t used = bytes;
  std::set<int> numbers;
  for (const auto &[base, allocation] : allocations) {
    used +=
        allocation.device == current ? size_t(allocation.buffer->bytes()) : 0;
    numbers.insert(allocation.number);
  }
  if (!limit.empty() && used > std::strtoull(limit.c_str(), nullptr, 10))
    return OutOfMemory;
  auto buffer = device->allocate(int64_t(bytes));
  if (!buffer)
    return OutOfMemory;
  // The lowest number that is free, so that records do not depend on what was
  // allocated before.
  int number = 0;
  while (numbers.count(number))
    ++number;
  *address = (*buffer)->address();
  allocations[static_cast<char *>(*address)] = {number, current,
                                                std::move(*buffer)};
  return Success;
}

int StandIn::release(void *address) {
  return !address || allocations.erase(static_cast<char *>(address))
             ? Success
             : InvalidValue;
}

/// The allocation of the current device that holds `bytes` bytes at `address`,
/// or null.
const StandIn::Allocation *StandIn::find(const void *address,
                                         int64_t bytes) const {
  auto *start = static_cast<char *>(const_cast<void *>(address));
  auto next = allocations.upper_bound(start);
  if (next == allocations.begin())
    return nullptr;
  const auto &[base, allocation] = *std::prev(next);
  bool isInside = start - base + bytes <= allocation.buffer->bytes();
  return isInside && allocation.device == current ? &allocation : nullptr;
}

int StandIn::copy(void *target, const void *source, size_t bytes,
                  bool isToDevice) {
  if (!find(isToDevice ? target : source, int64_t(bytes)))
    return InvalidValue;
  std::memcpy(target, source, bytes);
  return std::exchange(pendingError, int(Success));
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The entry that does the same on the device that runs kernels here.
const Entry *StandIn::findReplacement(const Entry &entry) const {
  std::vector<std::string> targets = device->targets();
  for (const Entry &candidate : artifact.manifest.entries)
    if (candidate.function == entry.function &&
        std::find(targets.begin(), targets.end(), candidate.target) !=
            targets.end() &&
        candidate.launches.size() == entry.launches.size())
      return &candidate;
  return nullptr;
}

int StandIn::loadModule(const std::string &code, void **module) {
  std::string digest = sha256Hex(code);
  Module loaded;
  loaded.device = current;
  bool isForAnother = false;
  for (const Entry &entry : artifact.manifest.entries)
    for (const Launch &launch : entry.launches)
      if (device && launch.sha256 == digest) {
        isForAnother |= !executes(entry.target);
        const Entry *replacement = findReplacement(entry);
        if (replacement && executes(entry.target))
          loaded.entries.emplace_back(&entry, replacement);
        break;
      }
  if (loaded.entries.empty())
    return isForAnother ? NoBinaryForGpu : InvalidImage;
  *module = newHandle();
  modules[*module] = std::move(loaded);
  return Success;
}

int StandIn::unloadModule(void *module) {
  auto found = modules.find(module);
  if (found == modules.end())
    return InvalidHandle;
  for (void *function : found->second.functions)
    functions.erase(function);
  modules.erase(found);
  return Success;
}

int StandIn::getFunction(void *handle, const std::string &name,
                         void **function) {
  auto found = modules.find(handle);
  if (found == modules.end() || found->second.device != current)
    return InvalidHandle;
  Module &module = found->second;
  for (auto [entry, replacement] : module.entries)
    for (size_t i = 0; i < entry->launches.size(); ++i) {
      if (entry->launches[i].kernel != name)
        continue;
      const Launch &other = replacement->launches[i];
      auto &loaded = module.replacements[other.code];
      if (!loaded) {
        auto result =
            device->loadModule(*artifact.code(other.code), other.code);
        if (!result) {
          failure = result.error().message;
          return InvalidImage;
        }
        loaded = std::move(*result);
      }
      auto kernel = loaded->kernel(other.kernel);
      if (!kernel) {
        failure = kernel.error().message;
        return NotFound;
      }
      *function = newHandle();
      functions[*function] = {name, entry, *kernel, current};
      module.functions.push_back(*function);
      return Success;
    }
  return NotFound;
}

/// The value of a parameter as the record shows it; `isRight` becomes false if
/// it cannot be what the manifest asks for.
std::string StandIn::describe(const Parameter &parameter, void *value,
                              bool &isRight) const {
  if (!value) {
    isRight = false;
    return "null";
  }
  if (auto *i32 = std::get_if<I32Parameter>(&parameter)) {
    int32_t passed;
    std::memcpy(&passed, value, sizeof(passed));
    isRight &= passed == i32->value;
    return std::to_string(passed);
  }
  bool isMap = std::holds_alternative<TensorMapParameter>(parameter);
  if (isMap &&
      static_cast<const TensorMap *>(value)->mark != TensorMap::kMark) {
    isRight = false;
    return "no tensor map";
  }
  char *address;
  std::memcpy(&address, value, sizeof(address));
  const Allocation *allocation = find(address, 1);
  if (!allocation) {
    isRight = false;
    return "an address that was not allocated";
  }
  auto offset = address - static_cast<char *>(allocation->buffer->address());
  return (isMap ? "map of buffer" : "buffer") +
         std::to_string(allocation->number) +
         (offset ? "+" + std::to_string(offset) : "");
}

/// "(7, 2, 1)".
static std::string triple(const std::array<uint32_t, 3> &sizes) {
  std::ostringstream text;
  text << "(" << sizes[0] << ", " << sizes[1] << ", " << sizes[2] << ")";
  return text.str();
}

/// Whether a launch has the sizes and shared memory of the manifest. A kernel
/// that an entry launches twice, as split-K may, has a record for each.
static bool isAsManifest(const Launch &launch,
                         const runtime::LaunchShape &shape) {
  for (size_t i = 0; i < 3; ++i)
    if (shape.grid[i] != launch.grid[i] || shape.block[i] != launch.block[i] ||
        shape.cluster[i] != launch.cluster[i])
      return false;
  return shape.dynamicSharedBytes == launch.dynamicSharedBytes;
}

int StandIn::launch(const std::string &call, void *handle,
                    const runtime::LaunchShape &shape, void **parameters,
                    void *stream) {
  auto found = functions.find(handle);
  if (found == functions.end() || found->second.device != current ||
      !isStream(stream))
    return record(call, InvalidHandle);
  if (!parameters)
    return record(call, InvalidValue);
  const Function &function = found->second;
  // The launches of this kernel; which one is meant shows in the values.
  std::string values;
  const Launch *meant = nullptr;
  for (const Launch &candidate : function.entry->launches) {
    if (meant || candidate.kernel != function.name)
      continue;
    bool isRight = isAsManifest(candidate, shape);
    std::string text;
    for (size_t i = 0; i < candidate.parameters.size(); ++i)
      text += (i ? ", " : "") +
              describe(candidate.parameters[i], parameters[i], isRight);
    if (values.empty() || isRight)
      values = text;
    meant = isRight ? &candidate : nullptr;
  }
  std::ostringstream text;
  text << call << "(" << function.name << ", grid " << triple(shape.grid)
       << ", block " << triple(shape.block)
       << (shape.hasClusters() ? ", cluster " + triple(shape.cluster) : "")
       << ", shared " << shape.dynamicSharedBytes << ", stream "
       << (stream ? "own" : "default") << ", parameters [" << values << "])";
  if (!meant)
    return record(text.str(), InvalidValue);
  if (captured && stream == captured)
    return record(text.str() + " captured", Success);
  Result<void> result = function.replacement->launch(
      shape, {parameters, meant->parameters.size()}, nullptr);
  if (!result) {
    failure = result.error().message;
    pendingError = LaunchFailure;
  }
  return record(text.str(), Success);
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

/// Forgets everything, as a fresh process would.
STANDIN_API void standin_reset() { driver().reset(); }

/// The record so far, a line for each call; the caller's next call of this
/// function ends its life.
STANDIN_API const char *standin_take_log() {
  static std::string taken;
  taken = driver().takeLog();
  return taken.c_str();
}

/// How many buffers, modules, streams and events have not been released.
STANDIN_API int standin_live_objects() { return driver().liveObjects(); }
