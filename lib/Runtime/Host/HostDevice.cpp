//===- HostDevice.cpp - kernels for this machine's processor ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are functions of a shared object that compute one workgroup each
// (docs/artifact.md, "Host objects"). A launch calls the function for every
// workgroup, spread over the device's threads, and returns when all have ended.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/HostMemory.h"
#include "conv/Runtime/LoadedObject.h"
#include "conv/Runtime/ThreadPool.h"

#include <map>

using namespace conv;
using namespace conv::runtime;

namespace {

/// Computes the workgroup at (x, y, z) with parameters given by address.
using HostFunction = void (*)(void *const *parameters,
                              const int32_t workgroup[3]);

/// One launch, as the threads see it.
struct Work {
  HostFunction function;
  void *const *parameters;
  int64_t gridX, gridY;
};

void runWorkgroup(void *context, int64_t index) {
  const Work &work = *static_cast<const Work *>(context);
  const int32_t workgroup[3] = {
      int32_t(index % work.gridX),
      int32_t(index / work.gridX % work.gridY),
      int32_t(index / work.gridX / work.gridY),
  };
  work.function(work.parameters, workgroup);
}

class HostKernel final : public Kernel {
public:
  HostKernel(HostFunction function, ThreadPool &pool)
      : function(function), pool(pool) {}

  Result<void> launch(const LaunchShape &shape,
                      std::span<void *const> parameters,
                      StreamHandle stream) override {
    Work work{function, parameters.data(), shape.grid[0], shape.grid[1]};
    int64_t count = 0;
    if (__builtin_mul_overflow(work.gridX * work.gridY, int64_t(shape.grid[2]),
                               &count))
      return Error{
          ErrorKind::Unsupported,
          "expects a grid of fewer than 2^63 workgroups on host, but got "
          "more"};
    pool.run(count, runWorkgroup, &work, &pace);
    return {};
  }

private:
  HostFunction function;
  ThreadPool &pool;
  Pace pace = 0; ///< Of a workgroup.
};

class HostModule final : public Module {
public:
  HostModule(std::unique_ptr<LoadedObject> object, std::string label,
             ThreadPool &pool)
      : object(std::move(object)), label(std::move(label)), pool(pool) {}

  Result<Kernel *> kernel(const std::string &name) override {
    auto known = kernels.find(name);
    if (known != kernels.end())
      return known->second.get();
    void *symbol = object->symbol(name);
    if (!symbol)
      return Error{ErrorKind::BadInput,
                   label + " has no kernel '" + name + "'"};
    auto kernel = std::make_unique<HostKernel>(
        reinterpret_cast<HostFunction>(symbol), pool);
    return kernels.emplace(name, std::move(kernel)).first->second.get();
  }

private:
  std::unique_ptr<LoadedObject> object;
  std::string label;
  ThreadPool &pool;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

/// The caller's memory, which kernels read in place.
class KeptBuffer final : public Buffer {
public:
  explicit KeptBuffer(Blob data) : data(std::move(data)) {}

  void *address() const override {
    return const_cast<char *>(data.bytes.data());
  }
  int64_t bytes() const override { return int64_t(data.bytes.size()); }

private:
  Blob data;
};

class HostDevice final : public HostMemoryDevice {
public:
  HostDevice(unsigned threads, std::chrono::nanoseconds spinTime)
      : threads(threads), pool(threads, spinTime) {}

  std::string name() const override { return "host"; }
  std::vector<std::string> targets() const override {
    if (!__builtin_cpu_supports("x86-64-v4"))
      return {"host"};
    if (!__builtin_cpu_supports("avx512bf16"))
      return {"host_v4", "host"};
    return {"host_v4_bf16", "host_v4", "host"};
  }
  unsigned computeUnits() const override { return threads; }

  Result<std::unique_ptr<Buffer>> upload(const Blob &data) override {
    return std::unique_ptr<Buffer>(new KeptBuffer(data));
  }

  Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) override {
    auto object = LoadedObject::load(code, label);
    if (!object)
      return object.error();
    if (void *level = (*object)->symbol("conv_cpu")) {
      Result<void> fits = checkCpu(static_cast<const char *>(level), label);
      if (!fits)
        return fits.error();
    }
    return std::unique_ptr<Module>(
        new HostModule(std::move(*object), label, pool));
  }

private:
  const unsigned threads;
  ThreadPool pool;
};

} // namespace

Result<std::unique_ptr<Device>> runtime::createHostDevice(unsigned threads) {
  if (threads == 0) {
    Result<unsigned> count = defaultThreadCount();
    if (!count)
      return count.error();
    threads = *count;
  }
  Result<std::chrono::microseconds> spinTime = defaultSpinTime();
  if (!spinTime)
    return spinTime.error();
  return std::unique_ptr<Device>(new HostDevice(threads, *spinTime));
}
