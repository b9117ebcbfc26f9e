//===- HipStandIn.cpp - a libamdhip64 without a GPU -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of HIP that the runtime uses, for tests. Every call is recorded
// and checked: handles must be alive, copies must stay inside allocations,
// launches must be as the manifest says. Kernels run in the simulator, on the
// object that the same artifact has for it, so results are right or wrong as on
// a GPU. It models one GPU at a time and no asynchrony: a launch runs when it
// is made, and only its error waits for the next synchronisation.
//
// Environment: CONV_STANDIN_PACK, the .convpack whose code is loaded;
// CONV_STANDIN_ARCH, its gcnArchName; CONV_STANDIN_DEVICES, how many GPUs to
// show; CONV_STANDIN_LOG, a file that gets the record, a line for each call.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Driver.h"
#include "conv/Runtime/Executable.h"
#include "conv/Support/Sha256.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#define HIP_API extern "C" __attribute__((visibility("default")))

using namespace conv;
using namespace conv::artifact;

namespace {

/// HIP's numbers for the errors that are used here.
enum HipError : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailure = 719,
};

/// A launch that the manifest describes, and what runs in its place.
struct FunctionRecord {
  std::string name;
  const Entry *entry;
  const Launch *launch;
  runtime::Kernel *replacement;
};

struct ModuleRecord {
  /// The launches that use this code, with those of the replacing entry.
  std::vector<std::pair<const Entry *, const Entry *>> entries;
  std::map<std::string, std::unique_ptr<runtime::Module>> replacements;
  std::vector<std::unique_ptr<FunctionRecord>> functions;
};

struct Allocation {
  int number;
  std::unique_ptr<runtime::Buffer> buffer;
};

std::string fromEnvironment(const char *name, const char *fallback) {
  const char *value = std::getenv(name);
  return value && *value ? value : fallback;
}

/// The one process-wide driver.
class StandIn {
public:
  std::mutex mutex;
  bool isInitialized = false;
  int current = 0;
  int pendingError = Success;
  std::string failure; ///< Why the last launch failed.
  Artifact artifact;
  std::unique_ptr<runtime::Device> device;
  std::map<char *, Allocation> allocations;
  std::map<void *, std::unique_ptr<ModuleRecord>> modules;
  std::map<void *, FunctionRecord *> functions;
  std::set<void *> streams, events;
  std::string log;

  int initialize();
  void reset();
  int deviceCount() const;
  std::string architecture() const {
    return fromEnvironment("CONV_STANDIN_ARCH", "gfx942:sramecc+:xnack-");
  }

  /// Records a call and what it returns.
  int record(const std::string &call, int error);

  /// The allocation that holds `bytes` bytes at `address`, or null.
  const Allocation *find(const void *address, int64_t bytes) const;
  bool isStream(void *stream) const {
    return !stream || streams.count(stream) != 0;
  }
  int loadModule(const std::string &code, void **module);
  int getFunction(ModuleRecord &module, const std::string &name,
                  void **function);
  int launch(const FunctionRecord &function, const runtime::LaunchShape &shape,
             void **parameters, void *stream);

private:
  int numbers = 0; ///< Handles and allocations are numbered.

public:
  void *newHandle() {
    return reinterpret_cast<void *>(uintptr_t(0x1000 + ++numbers));
  }

private:
  const Entry *findReplacement(const Entry &entry) const;
  std::string describe(const Parameter &parameter, void *value,
                       bool &isRight) const;
};

StandIn &standIn() {
  static StandIn instance;
  return instance;
}

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

/// Reads the artifact and opens what runs its kernels: the simulator if the
/// artifact has code for it, else the host device.
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
  std::string chip = architecture();
  std::string name = "host",
              simulator = "sim:" + chip.substr(0, chip.find(':'));
  for (const Entry &entry : artifact.manifest.entries)
    if (entry.target == simulator)
      name = simulator;
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
  numbers = 0;
  failure.clear();
  log.clear();
  functions.clear();
  modules.clear();
  allocations.clear();
  streams.clear();
  events.clear();
  device.reset();
}

const Allocation *StandIn::find(const void *address, int64_t bytes) const {
  auto *start = static_cast<char *>(const_cast<void *>(address));
  auto next = allocations.upper_bound(start);
  if (next == allocations.begin())
    return nullptr;
  const auto &[base, allocation] = *std::prev(next);
  return start - base + bytes <= allocation.buffer->bytes() ? &allocation
                                                            : nullptr;
}

/// The entry that does the same on the device that runs kernels here.
const Entry *StandIn::findReplacement(const Entry &entry) const {
  for (const Entry &candidate : artifact.manifest.entries)
    if (candidate.function == entry.function &&
        candidate.target == device->targets().front() &&
        candidate.launches.size() == entry.launches.size())
      return &candidate;
  return nullptr;
}

int StandIn::loadModule(const std::string &code, void **module) {
  std::string digest = sha256Hex(code);
  std::string chip = architecture();
  auto record = std::make_unique<ModuleRecord>();
  for (const Entry &entry : artifact.manifest.entries)
    for (const Launch &launch : entry.launches)
      if (device && launch.sha256 == digest &&
          entry.target == chip.substr(0, chip.find(':'))) {
        if (const Entry *replacement = findReplacement(entry))
          record->entries.emplace_back(&entry, replacement);
        break;
      }
  if (record->entries.empty())
    return InvalidImage;
  *module = newHandle();
  modules[*module] = std::move(record);
  return Success;
}

int StandIn::getFunction(ModuleRecord &module, const std::string &name,
                         void **function) {
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
      module.functions.push_back(std::make_unique<FunctionRecord>(
          FunctionRecord{name, entry, &entry->launches[i], *kernel}));
      *function = newHandle();
      functions[*function] = module.functions.back().get();
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
  char *address;
  std::memcpy(&address, value, sizeof(address));
  const Allocation *allocation = find(address, 1);
  if (!allocation) {
    isRight = false;
    return "an address that was not allocated";
  }
  auto offset = address - static_cast<char *>(allocation->buffer->address());
  return "buffer" + std::to_string(allocation->number) +
         (offset ? "+" + std::to_string(offset) : "");
}

/// "(7, 2, 1)".
std::string triple(const std::array<uint32_t, 3> &sizes) {
  std::ostringstream text;
  text << "(" << sizes[0] << ", " << sizes[1] << ", " << sizes[2] << ")";
  return text.str();
}

/// Whether a launch has the grid, block and shared memory of the manifest. A
/// kernel that an entry launches twice, as split-K may, has a record for each.
bool isAsManifest(const Launch &launch, const runtime::LaunchShape &shape) {
  for (size_t i = 0; i < 3; ++i)
    if (shape.grid[i] != launch.grid[i] || shape.block[i] != launch.block[i])
      return false;
  return shape.dynamicSharedBytes == launch.dynamicSharedBytes;
}

int StandIn::launch(const FunctionRecord &function,
                    const runtime::LaunchShape &shape, void **parameters,
                    void *stream) {
  // The launches of this kernel; which one is meant shows in the values.
  std::string call;
  const Launch *meant = nullptr;
  for (const Launch &candidate : function.entry->launches) {
    if (meant || candidate.kernel != function.name)
      continue;
    bool isRight = isAsManifest(candidate, shape);
    std::string values;
    for (size_t i = 0; i < candidate.parameters.size(); ++i)
      values += (i ? ", " : "") +
                describe(candidate.parameters[i], parameters[i], isRight);
    if (call.empty() || isRight)
      call = values;
    meant = isRight ? &candidate : nullptr;
  }
  std::ostringstream text;
  text << "hipModuleLaunchKernel(" << function.name << ", grid "
       << triple(shape.grid) << ", block " << triple(shape.block) << ", shared "
       << shape.dynamicSharedBytes << ", stream "
       << (stream ? "own" : "default") << ", parameters [" << call << "])";
  if (!meant)
    return record(text.str(), InvalidValue);
  Result<void> result = function.replacement->launch(
      shape, {parameters, meant->parameters.size()}, nullptr);
  if (!result) {
    failure = result.error().message;
    pendingError = LaunchFailure;
  }
  return record(text.str(), Success);
}

/// The bytes of the ELF file that starts at `image`: its section headers are
/// last.
std::string copyElf(const void *image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  return {static_cast<const char *>(image),
          header.e_shoff + size_t(header.e_shnum) * header.e_shentsize};
}

/// Runs `body` under the mutex if hipInit was called, and records it.
template <typename Body> int guarded(const std::string &call, Body body) {
  StandIn &driver = standIn();
  std::lock_guard lock(driver.mutex);
  if (!driver.isInitialized)
    return driver.record(call, NotInitialized);
  return driver.record(call, body(driver));
}

int writeProperties(void *properties, int ordinal, size_t archOffset) {
  return guarded("hipGetDeviceProperties", [&](StandIn &driver) -> int {
    if (ordinal < 0 || ordinal >= driver.deviceCount())
      return InvalidDevice;
    // The product's name may look like an architecture as well.
    std::strcpy(static_cast<char *>(properties), "gfx000 stand-in");
    std::strcpy(static_cast<char *>(properties) + archOffset,
                driver.architecture().c_str());
    return Success;
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

/// Forgets everything, as a fresh process would.
HIP_API void standin_reset() { standIn().reset(); }

/// The record so far, a line for each call; the caller's next call of this
/// function ends its life.
HIP_API const char *standin_take_log() {
  static std::string taken;
  taken = std::exchange(standIn().log, {});
  return taken.c_str();
}

/// How many buffers, modules, streams and events have not been released.
HIP_API int standin_live_objects() {
  StandIn &driver = standIn();
  return int(driver.allocations.size() + driver.modules.size() +
             driver.streams.size() + driver.events.size());
}

//===----------------------------------------------------------------------===//
// HIP
//===----------------------------------------------------------------------===//

HIP_API int hipInit(unsigned flags) {
  StandIn &driver = standIn();
  std::lock_guard lock(driver.mutex);
  return driver.record("hipInit",
                       flags == 0 ? driver.initialize() : InvalidValue);
}

HIP_API int hipGetDeviceCount(int *count) {
  return guarded("hipGetDeviceCount", [&](StandIn &driver) -> int {
    *count = driver.deviceCount();
    return *count > 0 ? Success : NoDevice;
  });
}

HIP_API int hipGetDevice(int *ordinal) {
  StandIn &driver = standIn();
  std::lock_guard lock(driver.mutex);
  *ordinal = driver.current;
  return Success; // Not recorded: it surrounds every call.
}

HIP_API int hipSetDevice(int ordinal) {
  return guarded("hipSetDevice(" + std::to_string(ordinal) + ")",
                 [&](StandIn &driver) -> int {
                   if (ordinal < 0 || ordinal >= driver.deviceCount())
                     return InvalidDevice;
                   driver.current = ordinal;
                   return Success;
                 });
}

HIP_API const char *hipGetErrorString(int error) {
  StandIn &driver = standIn();
  switch (error) {
  case Success:
    return "no error";
  case NotInitialized:
    return "initialization error";
  case NoDevice:
    return "no ROCm-capable device is detected";
  case InvalidImage:
    return driver.failure.empty() ? "device kernel image is invalid"
                                  : driver.failure.c_str();
  case NotFound:
    return "named symbol not found";
  case LaunchFailure:
    return driver.failure.c_str();
  default:
    return driver.failure.empty() ? "invalid argument" : driver.failure.c_str();
  }
}

#if CONV_STANDIN_RELEASE >= 6
HIP_API int hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  return writeProperties(properties, ordinal, 1160);
}
#else
HIP_API int hipGetDeviceProperties(void *properties, int ordinal) {
  return writeProperties(properties, ordinal, 400);
}
#endif

HIP_API int hipMalloc(void **address, size_t bytes) {
  return guarded("hipMalloc(" + std::to_string(bytes) + ")",
                 [&](StandIn &driver) -> int {
                   if (!driver.device)
                     return InvalidValue;
                   auto buffer = driver.device->allocate(int64_t(bytes));
                   if (!buffer)
                     return OutOfMemory;
                   auto *start = static_cast<char *>((*buffer)->address());
                   *address = start;
                   // The lowest number that is free, so that records do not
                   // depend on what was allocated before.
                   std::set<int> used;
                   for (const auto &[base, allocation] : driver.allocations)
                     used.insert(allocation.number);
                   int number = 0;
                   while (used.count(number))
                     ++number;
                   driver.allocations[start] = {number, std::move(*buffer)};
                   return Success;
                 });
}

HIP_API int hipFree(void *address) {
  return guarded("hipFree", [&](StandIn &driver) -> int {
    return !address || driver.allocations.erase(static_cast<char *>(address))
               ? Success
               : InvalidValue;
  });
}

HIP_API int hipMemcpy(void *target, const void *source, size_t bytes,
                      int kind) {
  return guarded("hipMemcpy(" + std::to_string(bytes) +
                     (kind == 1 ? ", to device)" : ", to host)"),
                 [&](StandIn &driver) -> int {
                   const void *onDevice = kind == 1 ? target : source;
                   if ((kind != 1 && kind != 2) ||
                       !driver.find(onDevice, int64_t(bytes)))
                     return InvalidValue;
                   std::memcpy(target, source, bytes);
                   return std::exchange(driver.pendingError, int(Success));
                 });
}

HIP_API int hipModuleLoadData(void **module, const void *image) {
  return guarded("hipModuleLoadData", [&](StandIn &driver) {
    return driver.loadModule(copyElf(image), module);
  });
}

HIP_API int hipModuleUnload(void *module) {
  return guarded("hipModuleUnload", [&](StandIn &driver) -> int {
    auto found = driver.modules.find(module);
    if (found == driver.modules.end())
      return InvalidHandle;
    for (const auto &function : found->second->functions)
      std::erase_if(driver.functions, [&](const auto &item) {
        return item.second == function.get();
      });
    driver.modules.erase(found);
    return Success;
  });
}

HIP_API int hipModuleGetFunction(void **function, void *module,
                                 const char *name) {
  return guarded("hipModuleGetFunction(" + std::string(name) + ")",
                 [&](StandIn &driver) -> int {
                   auto found = driver.modules.find(module);
                   return found == driver.modules.end()
                              ? int(InvalidHandle)
                              : driver.getFunction(*found->second, name,
                                                   function);
                 });
}

HIP_API int hipModuleLaunchKernel(void *function, unsigned gridX,
                                  unsigned gridY, unsigned gridZ,
                                  unsigned blockX, unsigned blockY,
                                  unsigned blockZ, unsigned sharedBytes,
                                  void *stream, void **parameters,
                                  void **extra) {
  StandIn &driver = standIn();
  std::lock_guard lock(driver.mutex);
  auto found = driver.functions.find(function);
  if (found == driver.functions.end() || !driver.isStream(stream))
    return driver.record("hipModuleLaunchKernel", InvalidHandle);
  if (!parameters || extra)
    return driver.record("hipModuleLaunchKernel", InvalidValue);
  runtime::LaunchShape shape{
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
  return driver.launch(*found->second, shape, parameters, stream);
}

HIP_API int hipStreamCreate(void **stream) {
  return guarded("hipStreamCreate", [&](StandIn &driver) -> int {
    *stream = *driver.streams.insert(driver.newHandle()).first;
    return Success;
  });
}

HIP_API int hipStreamDestroy(void *stream) {
  return guarded("hipStreamDestroy", [&](StandIn &driver) -> int {
    return driver.streams.erase(stream) ? Success : InvalidHandle;
  });
}

HIP_API int hipStreamSynchronize(void *stream) {
  return guarded("hipStreamSynchronize", [&](StandIn &driver) -> int {
    return driver.isStream(stream)
               ? std::exchange(driver.pendingError, int(Success))
               : int(InvalidHandle);
  });
}

HIP_API int hipEventCreate(void **event) {
  return guarded("hipEventCreate", [&](StandIn &driver) -> int {
    *event = *driver.events.insert(driver.newHandle()).first;
    return Success;
  });
}

HIP_API int hipEventDestroy(void *event) {
  return guarded("hipEventDestroy", [&](StandIn &driver) -> int {
    return driver.events.erase(event) ? Success : InvalidHandle;
  });
}

HIP_API int hipEventRecord(void *event, void *stream) {
  return guarded("hipEventRecord", [&](StandIn &driver) -> int {
    return driver.events.count(event) && driver.isStream(stream)
               ? Success
               : InvalidHandle;
  });
}

HIP_API int hipEventSynchronize(void *event) {
  return guarded("hipEventSynchronize", [&](StandIn &driver) -> int {
    return driver.events.count(event) ? Success : InvalidHandle;
  });
}

HIP_API int hipEventElapsedTime(float *milliseconds, void *start, void *stop) {
  return guarded("hipEventElapsedTime", [&](StandIn &driver) -> int {
    *milliseconds = 1.5f;
    return driver.events.count(start) && driver.events.count(stop)
               ? Success
               : InvalidHandle;
  });
}
