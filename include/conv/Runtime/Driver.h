//===- Driver.h - what the runtime asks of a device -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few operations that a device offers: memory, modules, kernels, time.
// `cuda`, `hip`, `host` and `sim:<chip>` implement them; everything above
// (Executable, the C API, conv-run) is written once against this file.
//
// Streams are the driver's own handles (a `hipStream_t` or `CUstream`), so that
// kernels run in the caller's order; null is the default stream. On `host` and
// `sim` the handle is ignored and an operation has ended when its call returns.
//
// Errors of a device are `ErrorKind::System` and quote the driver.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DRIVER_H
#define CONV_RUNTIME_DRIVER_H

#include "conv/Artifact/Manifest.h"
#include "conv/Support/Blob.h"
#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace conv::runtime {

/// A driver's stream handle; null is the default stream.
using StreamHandle = void *;

/// Numbers of workgroups and work-items. Reading a manifest checks the limits
/// of docs/artifact.md, so every value fits.
struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1};  ///< Workgroups.
  std::array<uint32_t, 3> block{1, 1, 1}; ///< Work-items of a workgroup.
  uint32_t dynamicSharedBytes = 0;
  /// Programmatic dependent launch: the kernel may start before earlier work on
  /// the stream has ended, and waits for that work itself.
  bool startsEarly = false;
  std::array<uint32_t, 3> cluster{1, 1, 1}; ///< Workgroups of a cluster.

  bool hasClusters() const {
    return cluster != std::array<uint32_t, 3>{1, 1, 1};
  }
};

/// A kernel of a loaded module; it lives as long as the module.
class Kernel {
public:
  virtual ~Kernel() = default;

  /// Starts the kernel on `stream`. `parameters[i]` points to the value of the
  /// i-th parameter; values are copied before this returns. Allocates nothing
  /// and may be called from several threads at once.
  virtual Result<void> launch(const LaunchShape &shape,
                              std::span<void *const> parameters,
                              StreamHandle stream) = 0;
};

/// A tensor map in the form that kernels take.
struct alignas(64) EncodedTensorMap {
  std::array<uint64_t, 16> words;
};

/// Encodes tensor maps. Safe to use from several threads at once.
class TensorMapEncoder {
public:
  virtual ~TensorMapEncoder() = default;

  /// Encodes `map` for the buffer at `address`. Allocates nothing.
  virtual Result<void> encode(const artifact::TensorMapParameter &map,
                              void *address,
                              EncodedTensorMap &encoded) const = 0;
};

/// A loaded code object.
class Module {
public:
  virtual ~Module() = default;

  /// The kernel of this name, which the module owns.
  virtual Result<Kernel *> kernel(const std::string &name) = 0;
};

/// Device memory, freed with the object. It must not outlive its device.
class Buffer {
public:
  virtual ~Buffer() = default;

  /// The address that kernels see; on `host` and `sim` the caller's as well.
  virtual void *address() const = 0;
  virtual int64_t bytes() const = 0;
};

/// A point in a stream at which the device records the time.
class Event {
public:
  virtual ~Event() = default;
};

/// One opened device.
class Device {
public:
  virtual ~Device() = default;

  /// The name that `openDevice` takes: "host", "cuda", "hip", "sim:gfx942".
  virtual std::string name() const = 0;

  /// Targets whose entries this device executes, best first: "gfx942" for a
  /// GPU, "sim:gfx942" for its simulation, "host".
  virtual std::vector<std::string> targets() const = 0;

  /// The number of compute units (multiprocessors) of a GPU, which may be less
  /// than its chip has, or of threads of the host. 0 for simulators.
  virtual unsigned computeUnits() const { return 0; }

  /// Memory of at least 256-byte alignment; `bytes` is positive.
  virtual Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) = 0;

  /// Copies between the caller's memory and device memory. Both have ended when
  /// they return.
  virtual Result<void> copyToDevice(void *device, const void *host,
                                    int64_t bytes) = 0;
  virtual Result<void> copyToHost(void *host, const void *device,
                                  int64_t bytes) = 0;

  /// Memory with these bytes that kernels only read: a copy of the bytes, or
  /// the bytes themselves on a device that reads the caller's memory.
  virtual Result<std::unique_ptr<Buffer>> upload(const Blob &data);

  /// Loads a code object. `label` names it in messages.
  virtual Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) = 0;

  /// Null where kernels take no tensor maps; lives as long as the device.
  virtual const TensorMapEncoder *tensorMapEncoder() const { return nullptr; }

  /// Whether the device launches workgroups of a cluster together.
  virtual bool launchesClusters() const { return false; }

  /// A stream of this device's own, for callers that have none. Null (the
  /// default stream) where a device has no streams.
  virtual Result<StreamHandle> createStream() { return StreamHandle(nullptr); }
  virtual void destroyStream(StreamHandle stream) {}

  /// Waits until all work on `stream` has ended, and reports a kernel that
  /// failed after its launch had returned.
  virtual Result<void> synchronize(StreamHandle stream) = 0;

  virtual Result<std::unique_ptr<Event>> createEvent() = 0;
  virtual Result<void> record(Event &event, StreamHandle stream) = 0;

  /// Waits for `stop` and returns the time from `start` to `stop`.
  virtual Result<double> elapsedMilliseconds(Event &start, Event &stop) = 0;
};

/// Opens the device of this name: "host", "cuda", "hip", "sim:<chip>"; a GPU
/// other than the first has its number after a colon ("cuda:1").
Result<std::unique_ptr<Device>> openDevice(const std::string &name);

} // namespace conv::runtime

#endif // CONV_RUNTIME_DRIVER_H
