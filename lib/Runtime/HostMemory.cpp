//===- HostMemory.cpp - buffers and time of a CPU device --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aligned heap memory, memcpy and the steady clock, as the memory, copies and
// events of devices that run on the CPU.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/HostMemory.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace conv;
using namespace conv::runtime;

namespace {

constexpr size_t kAlignment = 256;

class HostBuffer final : public Buffer {
public:
  HostBuffer(void *memory, int64_t size) : memory(memory), size(size) {}
  ~HostBuffer() override { std::free(memory); }

  void *address() const override { return memory; }
  int64_t bytes() const override { return size; }

private:
  void *memory;
  int64_t size;
};

class HostEvent final : public Event {
public:
  std::chrono::steady_clock::time_point time;
};

} // namespace

Result<std::unique_ptr<Buffer>> HostMemoryDevice::allocate(int64_t bytes) {
  void *memory = nullptr;
  if (bytes > 0 && bytes <= INT64_MAX - int64_t(kAlignment))
    memory = std::aligned_alloc(kAlignment, (size_t(bytes) + kAlignment - 1) /
                                                kAlignment * kAlignment);
  if (!memory)
    return Error{ErrorKind::System,
                 "cannot allocate " + std::to_string(bytes) + " bytes"};
  return std::unique_ptr<Buffer>(new HostBuffer(memory, bytes));
}

Result<void> HostMemoryDevice::copyToDevice(void *device, const void *host,
                                            int64_t bytes) {
  std::memcpy(device, host, size_t(bytes));
  return {};
}

Result<void> HostMemoryDevice::copyToHost(void *host, const void *device,
                                          int64_t bytes) {
  std::memcpy(host, device, size_t(bytes));
  return {};
}

Result<std::unique_ptr<Event>> HostMemoryDevice::createEvent() {
  return std::unique_ptr<Event>(new HostEvent);
}

Result<void> HostMemoryDevice::record(Event &event, StreamHandle stream) {
  static_cast<HostEvent &>(event).time = std::chrono::steady_clock::now();
  return {};
}

Result<double> HostMemoryDevice::elapsedMilliseconds(Event &start,
                                                     Event &stop) {
  auto time = static_cast<HostEvent &>(stop).time -
              static_cast<HostEvent &>(start).time;
  return std::chrono::duration<double, std::milli>(time).count();
}
