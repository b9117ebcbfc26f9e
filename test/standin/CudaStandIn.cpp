//===- CudaStandIn.cpp - a libcuda without a GPU ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the CUDA driver that the runtime uses, for tests: see
// StandIn.h. CONV_STANDIN_ARCH is the GPU's architecture without a letter,
// sm_90 if it is not set, and CONV_STANDIN_VERSION the driver's version, 13000
// if it is not. The handle of a primary context is 0x100 plus the
// number of its device.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/CUDA/CudaLibrary.h"
#include "StandIn.h"

using namespace conv;
using namespace conv::standin;

namespace {

class CudaStandIn final : public StandIn {
public:
  std::string architecture() const {
    return fromEnvironment("CONV_STANDIN_ARCH", "sm_90");
  }
  /// As "sm_90" gives 90.
  int capability() const { return std::stoi(architecture().substr(3)); }

  /// Code of the same major number and a lower minor one, or made for exactly
  /// this architecture.
  bool executes(const std::string &target) const override {
    if (target.substr(0, 3) != "sm_")
      return false;
    if (target == architecture() + "a")
      return true;
    int wanted = std::stoi(target.substr(3));
    return target.back() != 'a' && wanted / 10 == capability() / 10 &&
           wanted <= capability();
  }
  std::string simulator() const override { return "host"; }
  const char *noDeviceText() const override {
    return "no CUDA-capable device is detected";
  }
};

CudaStandIn &gpu() {
  static CudaStandIn instance;
  return instance;
}

constexpr uintptr_t kFirstContext = 0x100;

/// Whether the thread has made a context current.
thread_local bool hasContext = false;

/// Runs `body` in the thread's context. What is `synchronous` is refused while
/// a graph is captured.
template <typename Body>
int inContext(const std::string &call, bool isSynchronous, Body body) {
  return driver().guarded(call, [&]() -> int {
    if (!hasContext)
      return InvalidContext;
    if (isSynchronous && driver().isCapturing())
      return CaptureUnsupported;
    return body();
  });
}

void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }

} // namespace

StandIn &standin::driver() { return gpu(); }

/// Makes launches on the stream part of a graph that is captured, until it is
/// called with null.
STANDIN_API void standin_capture(void *stream) { driver().setCaptured(stream); }

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

STANDIN_API int cuInit(unsigned flags) {
  std::lock_guard lock(driver().mutex);
  if (driver().deviceCount() == 0)
    return driver().record("cuInit", NoDevice);
  return driver().record("cuInit",
                         flags == 0 ? driver().initialize() : InvalidValue);
}

/// Not recorded, as it changes nothing.
STANDIN_API int cuDriverGetVersion(int *version) {
  *version = std::stoi(fromEnvironment("CONV_STANDIN_VERSION", "13000"));
  return Success;
}

STANDIN_API int cuGetErrorString(int error, const char **text) {
  *text = driver().errorText(error);
  return Success;
}

STANDIN_API int cuDeviceGetCount(int *count) {
  return driver().guarded("cuDeviceGetCount", [&]() -> int {
    *count = driver().deviceCount();
    return Success;
  });
}

STANDIN_API int cuDeviceGet(int *device, int ordinal) {
  return driver().guarded(
      "cuDeviceGet(" + std::to_string(ordinal) + ")", [&]() -> int {
        *device = ordinal;
        return ordinal < driver().deviceCount() ? Success : InvalidDevice;
      });
}

STANDIN_API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  return driver().guarded("cuDeviceGetAttribute", [&]() -> int {
    constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;
    if (attribute == kMultiprocessors) {
      *value = driver().computeUnits();
      return Success;
    }
    if (attribute != kMajor && attribute != kMinor)
      return InvalidValue;
    int capability = gpu().capability();
    *value = attribute == kMajor ? capability / 10 : capability % 10;
    return Success;
  });
}

STANDIN_API int cuDevicePrimaryCtxRetain(void **context, int device) {
  return driver().guarded(
      "cuDevicePrimaryCtxRetain(" + std::to_string(device) + ")", [&]() -> int {
        *context = toPointer(kFirstContext + uint64_t(device));
        return Success;
      });
}

STANDIN_API int cuDevicePrimaryCtxRelease_v2(int device) {
  return driver().guarded("cuDevicePrimaryCtxRelease(" +
                              std::to_string(device) + ")",
                          [] { return Success; });
}

// Not recorded, because they surround every call.

STANDIN_API int cuCtxGetCurrent(void **context) {
  *context = hasContext ? toPointer(kFirstContext + uint64_t(StandIn::current))
                        : nullptr;
  return Success;
}

STANDIN_API int cuCtxSetCurrent(void *context) {
  hasContext = context != nullptr;
  if (context)
    StandIn::current = int(reinterpret_cast<uint64_t>(context) - kFirstContext);
  return Success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

STANDIN_API int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  return inContext("cuMemAlloc(" + std::to_string(bytes) + ")",
                   /*isSynchronous=*/true, [&]() -> int {
                     void *memory = nullptr;
                     int error = driver().allocate(bytes, &memory);
                     *address = reinterpret_cast<uint64_t>(memory);
                     return error;
                   });
}

STANDIN_API int cuMemFree_v2(uint64_t address) {
  return inContext("cuMemFree", /*isSynchronous=*/true,
                   [&] { return driver().release(toPointer(address)); });
}

STANDIN_API int cuMemcpyHtoD_v2(uint64_t target, const void *source,
                                size_t bytes) {
  return inContext("cuMemcpyHtoD(" + std::to_string(bytes) + ")",
                   /*isSynchronous=*/true, [&] {
                     return driver().copy(toPointer(target), source, bytes,
                                          /*isToDevice=*/true);
                   });
}

STANDIN_API int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t bytes) {
  return inContext("cuMemcpyDtoH(" + std::to_string(bytes) + ")",
                   /*isSynchronous=*/true, [&] {
                     return driver().copy(target, toPointer(source), bytes,
                                          /*isToDevice=*/false);
                   });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

STANDIN_API int cuModuleLoadData(void **module, const void *image) {
  return inContext("cuModuleLoadData", /*isSynchronous=*/true,
                   [&] { return driver().loadModule(copyElf(image), module); });
}

STANDIN_API int cuModuleUnload(void *module) {
  return inContext("cuModuleUnload", /*isSynchronous=*/true,
                   [&] { return driver().unloadModule(module); });
}

STANDIN_API int cuModuleGetFunction(void **function, void *module,
                                    const char *name) {
  return inContext(
      "cuModuleGetFunction(" + std::string(name) + ")", /*isSynchronous=*/false,
      [&] { return driver().getFunction(module, name, function); });
}

STANDIN_API int cuFuncSetAttribute(void *function, int attribute, int value) {
  return inContext("cuFuncSetAttribute(" + std::to_string(attribute) + ", " +
                       std::to_string(value) + ")",
                   /*isSynchronous=*/false, [] { return Success; });
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// "[8, 5]".
template <typename T> static std::string list(const T *values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return "[" + text + "]";
}

/// Encodes no more than what the map is of, as StandIn::describe reads it, and
/// records the rest. `shape` is what only one of the functions takes.
static int encodeMap(const char *name, void *map, int type, unsigned rank,
                     void *address, const uint64_t *sizes,
                     const uint64_t *strides, const std::string &shape,
                     const uint32_t *elementStrides, int interleave,
                     int swizzle, int promotion, int fill) {
  std::string call =
      std::string(name) + "(type " + std::to_string(type) + ", sizes " +
      list(sizes, rank) + ", strides " + list(strides, rank - 1) + ", " +
      shape + ", steps " + list(elementStrides, rank) + ", interleave " +
      std::to_string(interleave) + ", swizzle " + std::to_string(swizzle) +
      ", promotion " + std::to_string(promotion) + ", fill " +
      std::to_string(fill) + ")";
  return driver().guarded(call, [&]() -> int {
    if (reinterpret_cast<uintptr_t>(map) % alignof(TensorMap) != 0 ||
        reinterpret_cast<uintptr_t>(address) % 16 != 0)
      return InvalidValue;
    new (map) TensorMap{address, TensorMap::kMark, {}};
    return Success;
  });
}

STANDIN_API int
cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                       const uint64_t *sizes, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *elementStrides,
                       int interleave, int swizzle, int promotion, int fill) {
  return encodeMap("cuTensorMapEncodeTiled", map, type, rank, address, sizes,
                   strides, "box " + list(box, rank), elementStrides,
                   interleave, swizzle, promotion, fill);
}

STANDIN_API int
cuTensorMapEncodeIm2col(void *map, int type, unsigned rank, void *address,
                        const uint64_t *sizes, const uint64_t *strides,
                        const int *lower, const int *upper, unsigned channels,
                        unsigned pixels, const uint32_t *elementStrides,
                        int interleave, int swizzle, int promotion, int fill) {
  std::string shape = "corners " + list(lower, rank - 2) + " " +
                      list(upper, rank - 2) + ", channels " +
                      std::to_string(channels) + ", pixels " +
                      std::to_string(pixels);
  return encodeMap("cuTensorMapEncodeIm2col", map, type, rank, address, sizes,
                   strides, shape, elementStrides, interleave, swizzle,
                   promotion, fill);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

STANDIN_API int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                               unsigned gridZ, unsigned blockX, unsigned blockY,
                               unsigned blockZ, unsigned sharedBytes,
                               void *stream, void **parameters, void **extra) {
  std::lock_guard lock(driver().mutex);
  if (!hasContext)
    return driver().record("cuLaunchKernel", InvalidContext);
  return driver().launch(
      "cuLaunchKernel", function,
      {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
      extra ? nullptr : parameters, stream);
}

STANDIN_API int cuLaunchKernelEx(const runtime::CudaLaunchConfig *config,
                                 void *function, void **parameters,
                                 void **extra) {
  std::lock_guard lock(driver().mutex);
  constexpr int kCluster = 4, kEarlyStart = 6;
  if (!hasContext)
    return driver().record("cuLaunchKernelEx", InvalidContext);
  runtime::LaunchShape shape{std::to_array(config->grid),
                             std::to_array(config->block), config->sharedBytes};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const runtime::CudaLaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == kEarlyStart && attribute.isAllowed == 1)
      shape.startsEarly = true;
    else if (attribute.id == kCluster)
      shape.cluster = std::to_array(attribute.cluster);
    else
      return driver().record("cuLaunchKernelEx", InvalidValue);
  }
  return driver().launch("cuLaunchKernelEx", function, shape,
                         extra ? nullptr : parameters, config->stream);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

STANDIN_API int cuStreamCreate(void **stream, unsigned flags) {
  return inContext("cuStreamCreate", /*isSynchronous=*/false,
                   [&] { return driver().createStream(stream); });
}

STANDIN_API int cuStreamDestroy_v2(void *stream) {
  return inContext("cuStreamDestroy", /*isSynchronous=*/false,
                   [&] { return driver().destroyStream(stream); });
}

STANDIN_API int cuStreamSynchronize(void *stream) {
  return inContext("cuStreamSynchronize", /*isSynchronous=*/true,
                   [&] { return driver().synchronize(stream); });
}

STANDIN_API int cuEventCreate(void **event, unsigned flags) {
  return inContext("cuEventCreate", /*isSynchronous=*/false,
                   [&] { return driver().createEvent(event); });
}

STANDIN_API int cuEventDestroy_v2(void *event) {
  return inContext("cuEventDestroy", /*isSynchronous=*/false,
                   [&] { return driver().destroyEvent(event); });
}

STANDIN_API int cuEventRecord(void *event, void *stream) {
  return inContext("cuEventRecord", /*isSynchronous=*/false, [&]() -> int {
    return driver().isEvent(event) && driver().isStream(stream) ? Success
                                                                : InvalidHandle;
  });
}

STANDIN_API int cuEventSynchronize(void *event) {
  return inContext("cuEventSynchronize", /*isSynchronous=*/true, [&]() -> int {
    return driver().isEvent(event) ? Success : InvalidHandle;
  });
}

STANDIN_API int cuEventElapsedTime(float *milliseconds, void *start,
                                   void *stop) {
  return inContext("cuEventElapsedTime", /*isSynchronous=*/true, [&]() -> int {
    *milliseconds = 1.5f;
    return driver().isEvent(start) && driver().isEvent(stop) ? Success
                                                             : InvalidHandle;
  });
}
