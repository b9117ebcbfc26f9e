//===- CudaDevice.cpp - NVIDIA GPUs through the CUDA driver -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of Driver.h is one or two calls of the driver.
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"
#include "CudaModule.h"
#include "CudaTensorMap.h"
#include "conv/Runtime/Devices.h"

#include <algorithm>

using namespace conv;
using namespace conv::runtime;

namespace {

/// Values of CUdevice_attribute.
enum DeviceAttribute {
  MultiprocessorCount = 16,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
};

class CudaBuffer final : public Buffer {
public:
  CudaBuffer(SharedContext context, uint64_t start, int64_t size)
      : context(std::move(context)), start(start), size(size) {}
  ~CudaBuffer() override {
    CurrentContext current(*context);
    (void)context->cuda.cuMemFree_v2(start);
  }

  void *address() const override { return reinterpret_cast<void *>(start); }
  int64_t bytes() const override { return size; }

private:
  SharedContext context;
  uint64_t start;
  int64_t size;
};

class CudaEvent final : public Event {
public:
  CudaEvent(SharedContext context, void *handle)
      : handle(handle), context(std::move(context)) {}
  ~CudaEvent() override {
    CurrentContext current(*context);
    (void)context->cuda.cuEventDestroy_v2(handle);
  }

  void *const handle;

private:
  SharedContext context;
};

class CudaTensorMapEncoder final : public TensorMapEncoder {
public:
  explicit CudaTensorMapEncoder(SharedContext context)
      : context(std::move(context)) {}

  Result<void> encode(const artifact::TensorMapParameter &map, void *address,
                      EncodedTensorMap &encoded) const override {
    CurrentContext current(*context);
    Result<void> result = current.check();
    return result ? encodeTensorMap(context->cuda, map, address, encoded)
                  : result;
  }

private:
  SharedContext context;
};

class CudaDevice final : public Device {
public:
  CudaDevice(SharedContext context, int ordinal, unsigned multiprocessors,
             std::vector<std::string> architectures)
      : context(std::move(context)), ordinal(ordinal),
        multiprocessors(multiprocessors),
        architectures(std::move(architectures)), encoder(this->context) {}

  std::string name() const override {
    return ordinal == 0 ? "cuda" : "cuda:" + std::to_string(ordinal);
  }
  std::vector<std::string> targets() const override { return architectures; }
  unsigned computeUnits() const override { return multiprocessors; }

  Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) override {
    uint64_t address = 0;
    Result<void> result = run("cuMemAlloc", [&] {
      return context->cuda.cuMemAlloc_v2(&address, size_t(bytes));
    });
    if (!result)
      return Error{result.error().kind,
                   "cannot allocate " + std::to_string(bytes) +
                       " bytes: " + result.error().message};
    return std::unique_ptr<Buffer>(new CudaBuffer(context, address, bytes));
  }

  Result<void> copyToDevice(void *device, const void *host,
                            int64_t bytes) override {
    Result<void> result = run("cuMemcpyHtoD", [&] {
      return context->cuda.cuMemcpyHtoD_v2(reinterpret_cast<uint64_t>(device),
                                           host, size_t(bytes));
    });
    // A copy from pageable memory may return when it is staged, and streams
    // that do not block do not wait for it ("API synchronization behavior" in
    // the manual of the driver API).
    return result ? synchronize(nullptr) : result;
  }

  Result<void> copyToHost(void *host, const void *device,
                          int64_t bytes) override {
    return run("cuMemcpyDtoH", [&] {
      return context->cuda.cuMemcpyDtoH_v2(
          host, reinterpret_cast<uint64_t>(device), size_t(bytes));
    });
  }

  Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) override {
    void *handle = nullptr;
    Result<void> result = run("cuModuleLoadData", [&] {
      return context->cuda.cuModuleLoadData(&handle, code.data());
    });
    if (!result)
      return Error{result.error().kind, "cannot load " + label + " on " +
                                            architectures.front() + ": " +
                                            result.error().message};
    return createCudaModule(context, handle, label);
  }

  const TensorMapEncoder *tensorMapEncoder() const override {
    return hasTensorMaps(context->cuda) ? &encoder : nullptr;
  }

  bool launchesClusters() const override {
    return context->cuda.cuLaunchKernelEx != nullptr;
  }

  Result<StreamHandle> createStream() override {
    StreamHandle stream = nullptr;
    Result<void> result = run("cuStreamCreate", [&] {
      return context->cuda.cuStreamCreate(&stream, 0);
    });
    if (!result)
      return result.error();
    return stream;
  }

  void destroyStream(StreamHandle stream) override {
    CurrentContext current(*context);
    if (stream)
      (void)context->cuda.cuStreamDestroy_v2(stream);
  }

  Result<void> synchronize(StreamHandle stream) override {
    return run("cuStreamSynchronize",
               [&] { return context->cuda.cuStreamSynchronize(stream); });
  }

  Result<std::unique_ptr<Event>> createEvent() override {
    void *handle = nullptr;
    Result<void> result = run("cuEventCreate", [&] {
      return context->cuda.cuEventCreate(&handle, 0);
    });
    if (!result)
      return result.error();
    return std::unique_ptr<Event>(new CudaEvent(context, handle));
  }

  Result<void> record(Event &event, StreamHandle stream) override {
    return run("cuEventRecord", [&] {
      return context->cuda.cuEventRecord(static_cast<CudaEvent &>(event).handle,
                                         stream);
    });
  }

  Result<double> elapsedMilliseconds(Event &start, Event &stop) override {
    void *first = static_cast<CudaEvent &>(start).handle;
    void *last = static_cast<CudaEvent &>(stop).handle;
    float milliseconds = 0;
    Result<void> result = run("cuEventSynchronize", [&] {
      return context->cuda.cuEventSynchronize(last);
    });
    if (result)
      result = run("cuEventElapsedTime", [&] {
        return context->cuda.cuEventElapsedTime(&milliseconds, first, last);
      });
    if (!result)
      return result.error();
    return double(milliseconds);
  }

private:
  SharedContext context;
  int ordinal;
  unsigned multiprocessors;
  std::vector<std::string> architectures;
  CudaTensorMapEncoder encoder;

  template <typename Call> Result<void> run(const char *function, Call call) {
    CurrentContext current(*context);
    return current.run(function, call);
  }
};

/// Targets whose code a GPU of compute capability `major`.`minor` runs: its
/// own, with and without the features that later GPUs drop, and targets of
/// lower minor numbers.
std::vector<std::string> listArchitectures(int major, int minor) {
  std::string prefix = "sm_" + std::to_string(major);
  std::vector<std::string> names = {prefix + std::to_string(minor) + "a"};
  for (int lower = minor; lower >= 0; --lower)
    names.push_back(prefix + std::to_string(lower));
  return names;
}

Result<std::unique_ptr<Device>> openGpu(const CudaLibrary &cuda, int ordinal) {
  int device = 0, major = 0, minor = 0, multiprocessors = 0;
  void *handle = nullptr;
  Result<void> result =
      cuda.check(cuda.cuDeviceGet(&device, ordinal), "cuDeviceGet");
  for (auto [value, attribute] : {std::pair{&major, ComputeCapabilityMajor},
                                  {&minor, ComputeCapabilityMinor},
                                  {&multiprocessors, MultiprocessorCount}})
    if (result)
      result = cuda.check(cuda.cuDeviceGetAttribute(value, attribute, device),
                          "cuDeviceGetAttribute");
  if (result)
    result = cuda.check(cuda.cuDevicePrimaryCtxRetain(&handle, device),
                        "cuDevicePrimaryCtxRetain");
  if (!result)
    return result.error();
  return std::unique_ptr<Device>(new CudaDevice(
      std::make_shared<CudaContext>(cuda, device, handle), ordinal,
      unsigned(std::max(0, multiprocessors)), listArchitectures(major, minor)));
}

} // namespace

Result<std::unique_ptr<Device>> runtime::createCudaDevice(int ordinal) {
  Result<CudaLibrary> cuda = CudaLibrary::load();
  if (!cuda)
    return cuda.error();
  int count = 0;
  Result<void> result = cuda->check(cuda->cuInit(0), "cuInit");
  if (result)
    result = cuda->check(cuda->cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (!result)
    return Error{result.error().kind,
                 "no NVIDIA GPU: " + result.error().message};
  if (ordinal >= count)
    return Error{ErrorKind::System, "expects an NVIDIA GPU of number " +
                                        std::to_string(ordinal) + ", but got " +
                                        std::to_string(count) + " of them"};
  return openGpu(*cuda, ordinal);
}
