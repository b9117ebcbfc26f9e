//===- HipStandIn.cpp - a libamdhip64 without a GPU -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of HIP that the runtime uses, for tests: see StandIn.h.
// CONV_STANDIN_ARCH is a gcnArchName.
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

#include <cstring>

using namespace conv;
using namespace conv::standin;

namespace {

class HipStandIn final : public StandIn {
public:
  std::string architecture() const {
    return fromEnvironment("CONV_STANDIN_ARCH", "gfx942:sramecc+:xnack-");
  }
  bool executes(const std::string &target) const override {
    return target == chip();
  }
  std::string simulator() const override { return "sim:" + chip(); }
  const char *noDeviceText() const override {
    return "no ROCm-capable device is detected";
  }

private:
  /// The architecture without its features.
  std::string chip() const {
    std::string name = architecture();
    return name.substr(0, name.find(':'));
  }
};

HipStandIn &gpu() {
  static HipStandIn instance;
  return instance;
}

int writeProperties(void *properties, int ordinal, size_t archOffset) {
  return driver().guarded("hipGetDeviceProperties", [&]() -> int {
    if (ordinal < 0 || ordinal >= driver().deviceCount())
      return InvalidDevice;
    // The product's name may look like an architecture as well.
    std::strcpy(static_cast<char *>(properties), "gfx000 stand-in");
    std::strcpy(static_cast<char *>(properties) + archOffset,
                gpu().architecture().c_str());
    return Success;
  });
}

} // namespace

StandIn &standin::driver() { return gpu(); }

//===----------------------------------------------------------------------===//
// HIP
//===----------------------------------------------------------------------===//

STANDIN_API int hipInit(unsigned flags) {
  std::lock_guard lock(driver().mutex);
  return driver().record("hipInit",
                         flags == 0 ? driver().initialize() : InvalidValue);
}

STANDIN_API int hipGetDeviceCount(int *count) {
  return driver().guarded("hipGetDeviceCount", [&]() -> int {
    *count = driver().deviceCount();
    return *count > 0 ? Success : NoDevice;
  });
}

STANDIN_API int hipGetDevice(int *ordinal) {
  *ordinal = StandIn::current;
  return Success; // Not recorded: it surrounds every call.
}

STANDIN_API int hipSetDevice(int ordinal) {
  return driver().guarded(
      "hipSetDevice(" + std::to_string(ordinal) + ")", [&]() -> int {
        if (ordinal < 0 || ordinal >= driver().deviceCount())
          return InvalidDevice;
        StandIn::current = ordinal;
        return Success;
      });
}

STANDIN_API int hipDeviceGetAttribute(int *value, int attribute, int ordinal) {
  return driver().guarded("hipDeviceGetAttribute", [&]() -> int {
    constexpr int kMultiprocessors = 63;
    if (attribute != kMultiprocessors)
      return InvalidValue;
    *value = driver().computeUnits();
    return ordinal < driver().deviceCount() ? Success : InvalidDevice;
  });
}

STANDIN_API const char *hipGetErrorString(int error) {
  return driver().errorText(error);
}

#if CONV_STANDIN_RELEASE >= 6
STANDIN_API int hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  return writeProperties(properties, ordinal, 1160);
}
#else
STANDIN_API int hipGetDeviceProperties(void *properties, int ordinal) {
  return writeProperties(properties, ordinal, 400);
}
#endif

STANDIN_API int hipMalloc(void **address, size_t bytes) {
  return driver().guarded("hipMalloc(" + std::to_string(bytes) + ")",
                          [&] { return driver().allocate(bytes, address); });
}

STANDIN_API int hipFree(void *address) {
  return driver().guarded("hipFree", [&] { return driver().release(address); });
}

STANDIN_API int hipMemcpy(void *target, const void *source, size_t bytes,
                          int kind) {
  return driver().guarded("hipMemcpy(" + std::to_string(bytes) +
                              (kind == 1 ? ", to device)" : ", to host)"),
                          [&]() -> int {
                            if (kind != 1 && kind != 2)
                              return InvalidValue;
                            return driver().copy(target, source, bytes,
                                                 /*isToDevice=*/kind == 1);
                          });
}

STANDIN_API int hipModuleLoadData(void **module, const void *image) {
  return driver().guarded("hipModuleLoadData", [&] {
    return driver().loadModule(copyElf(image), module);
  });
}

STANDIN_API int hipModuleUnload(void *module) {
  return driver().guarded("hipModuleUnload",
                          [&] { return driver().unloadModule(module); });
}

STANDIN_API int hipModuleGetFunction(void **function, void *module,
                                     const char *name) {
  return driver().guarded(
      "hipModuleGetFunction(" + std::string(name) + ")",
      [&] { return driver().getFunction(module, name, function); });
}

STANDIN_API int hipModuleLaunchKernel(void *function, unsigned gridX,
                                      unsigned gridY, unsigned gridZ,
                                      unsigned blockX, unsigned blockY,
                                      unsigned blockZ, unsigned sharedBytes,
                                      void *stream, void **parameters,
                                      void **extra) {
  std::lock_guard lock(driver().mutex);
  return driver().launch(
      "hipModuleLaunchKernel", function,
      {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
      extra ? nullptr : parameters, stream);
}

STANDIN_API int hipStreamCreate(void **stream) {
  return driver().guarded("hipStreamCreate",
                          [&] { return driver().createStream(stream); });
}

STANDIN_API int hipStreamDestroy(void *stream) {
  return driver().guarded("hipStreamDestroy",
                          [&] { return driver().destroyStream(stream); });
}

STANDIN_API int hipStreamSynchronize(void *stream) {
  return driver().guarded("hipStreamSynchronize",
                          [&] { return driver().synchronize(stream); });
}

STANDIN_API int hipEventCreate(void **event) {
  return driver().guarded("hipEventCreate",
                          [&] { return driver().createEvent(event); });
}

STANDIN_API int hipEventDestroy(void *event) {
  return driver().guarded("hipEventDestroy",
                          [&] { return driver().destroyEvent(event); });
}

STANDIN_API int hipEventRecord(void *event, void *stream) {
  return driver().guarded("hipEventRecord", [&]() -> int {
    return driver().isEvent(event) && driver().isStream(stream) ? Success
                                                                : InvalidHandle;
  });
}

STANDIN_API int hipEventSynchronize(void *event) {
  return driver().guarded("hipEventSynchronize", [&]() -> int {
    return driver().isEvent(event) ? Success : InvalidHandle;
  });
}

STANDIN_API int hipEventElapsedTime(float *milliseconds, void *start,
                                    void *stop) {
  return driver().guarded("hipEventElapsedTime", [&]() -> int {
    *milliseconds = 1.5f;
    return driver().isEvent(start) && driver().isEvent(stop) ? Success
                                                             : InvalidHandle;
  });
}
