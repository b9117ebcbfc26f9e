//===- StandIn.h - a GPU driver without a GPU -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the stand-ins for HIP and CUDA have in common. Every call is recorded
// and checked: handles must be alive and belong to the current device, copies
// must stay inside allocations, launches must be as the manifest says. Kernels
// run in the simulator or on the CPU, on the object that the same artifact has
// for it, so results are right or wrong as on a GPU. There is no asynchrony: a
// launch runs when it is made, and only its error waits for the next
// synchronisation.
//
// Environment: CONV_STANDIN_PACK, the .convpack whose code is loaded;
// CONV_STANDIN_ARCH, the GPU; CONV_STANDIN_DEVICES, how many to show;
// CONV_STANDIN_UNITS, how many compute units each has;
// CONV_STANDIN_MEMORY, the bytes that each has; CONV_STANDIN_LOG, a file that
// gets the record, a line for each call.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_STANDIN_STANDIN_H
#define CONV_TEST_STANDIN_STANDIN_H

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Driver.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define STANDIN_API extern "C" __attribute__((visibility("default")))

namespace conv::standin {

/// The drivers' numbers for the errors that are used here; HIP's and CUDA's are
/// the same.
enum DriverError : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailure = 719,
  CaptureUnsupported = 900,
};

/// What is passed for a tensor map: the address comes first, so that what runs
/// in a kernel's place finds it as it finds others.
struct alignas(64) TensorMap {
  static constexpr uint64_t kMark = 0x70616d726f736e65; ///< "ensormap".
  void *address;
  uint64_t mark;
  char rest[112];
};

class StandIn;

/// The library's driver, which the file that defines its functions has.
StandIn &driver();

/// The value of an environment variable, or `fallback` if it is not set.
std::string fromEnvironment(const char *name, const char *fallback);

/// The bytes of the ELF file that starts at `image`: its section headers are
/// last.
std::string copyElf(const void *image);

/// The one process-wide driver; a subclass says which GPU it has.
class StandIn {
public:
  virtual ~StandIn() = default;

  /// Whether the GPU runs code of this target.
  virtual bool executes(const std::string &target) const = 0;

  /// The device of our own on which kernels run if the artifact has code for
  /// it; else they run on the host.
  virtual std::string simulator() const = 0;

  /// What the driver says when there is no GPU.
  virtual const char *noDeviceText() const = 0;

  /// What the driver says about an error.
  const char *errorText(int error) const;

  int initialize();
  void reset();
  int deviceCount() const;
  int computeUnits() const;

  /// Records a call and what it returns.
  int record(const std::string &call, int error);

  /// Runs `body` under the mutex if the driver was initialised, and records it.
  template <typename Body> int guarded(const std::string &call, Body body) {
    std::lock_guard lock(mutex);
    if (!isInitialized)
      return record(call, NotInitialized);
    return record(call, body());
  }

  int allocate(size_t bytes, void **address);
  int release(void *address);
  int copy(void *target, const void *source, size_t bytes, bool isToDevice);

  int loadModule(const std::string &code, void **module);
  int unloadModule(void *module);
  int getFunction(void *module, const std::string &name, void **function);

  /// Runs and records a launch on the current device.
  int launch(const std::string &call, void *function,
             const runtime::LaunchShape &shape, void **parameters,
             void *stream);

  int createStream(void **stream) { return create(streams, stream); }
  int destroyStream(void *stream) { return destroy(streams, stream); }
  int synchronize(void *stream);
  int createEvent(void **event) { return create(events, event); }
  int destroyEvent(void *event) { return destroy(events, event); }
  bool isEvent(void *event) const { return isCurrent(events, event); }
  bool isStream(void *stream) const {
    return !stream || isCurrent(streams, stream);
  }

  /// From now on launches on the stream are recorded and not run, as while a
  /// graph is captured, until the stream is null.
  void setCaptured(void *stream) { captured = stream; }
  bool isCapturing() const { return captured != nullptr; }

  std::string takeLog() { return std::exchange(log, {}); }
  int liveObjects() const;

  std::mutex mutex;
  bool isInitialized = false;
  static thread_local int current; ///< The device of this thread.

private:
  /// Which kernel of an entry a handle means, and what runs in its place.
  struct Function {
    std::string name;
    const artifact::Entry *entry;
    runtime::Kernel *replacement;
    int device;
  };
  struct Module {
    /// The entries that use this code, with those that replace them.
    std::vector<std::pair<const artifact::Entry *, const artifact::Entry *>>
        entries;
    std::map<std::string, std::unique_ptr<runtime::Module>> replacements;
    std::vector<void *> functions;
    int device;
  };
  struct Allocation {
    int number;
    int device;
    std::unique_ptr<runtime::Buffer> buffer;
  };
  using Handles = std::map<void *, int>; ///< With the device of each.

  artifact::Artifact artifact;
  std::unique_ptr<runtime::Device> device;
  std::map<char *, Allocation> allocations;
  std::map<void *, Module> modules;
  std::map<void *, Function> functions;
  Handles streams, events;
  void *captured = nullptr;
  int pendingError = Success;
  std::string failure; ///< Why the last launch failed.
  std::string log;
  int handles = 0;

  void *newHandle();
  int create(Handles &handles, void **handle);
  int destroy(Handles &handles, void *handle);
  bool isCurrent(const Handles &handles, void *handle) const;
  const Allocation *find(const void *address, int64_t bytes) const;
  const artifact::Entry *findReplacement(const artifact::Entry &entry) const;
  std::string describe(const artifact::Parameter &parameter, void *value,
                       bool &isRight) const;
};

} // namespace conv::standin

#endif // CONV_TEST_STANDIN_STANDIN_H
