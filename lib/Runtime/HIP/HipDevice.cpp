//===- HipDevice.cpp - AMD GPUs through HIP ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of Driver.h is one or two HIP calls. A launch adds only the
// kernel to the caller's stream, so it can be captured into a graph. The
// caller's current device stays unchanged.
//
//===----------------------------------------------------------------------===//

#include "HipLibrary.h"
#include "conv/Runtime/Devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

using namespace conv;
using namespace conv::runtime;

namespace {

enum MemcpyKind { HostToDevice = 1, DeviceToHost = 2 };

/// hipDeviceAttributeMultiprocessorCount of releases 5 to 7.
constexpr int kMultiprocessorCount = 63;

/// The library and the GPU, shared by all objects of a device.
struct Context {
  HipLibrary hip;
  int ordinal;
};

/// Makes a GPU current in this thread, and restores the previous one.
class CurrentDevice {
public:
  explicit CurrentDevice(const Context &context) : context(context) {
    if (context.hip.hipGetDevice(&before) != 0)
      before = context.ordinal;
    if (before != context.ordinal)
      error = context.hip.hipSetDevice(context.ordinal);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  ~CurrentDevice() {
    if (before != context.ordinal)
      (void)context.hip.hipSetDevice(before);
  }

  /// The result of `call`, or the reason why it was not called, as a Result.
  template <typename Call>
  Result<void> run(const char *function, Call call) const {
    if (error != 0)
      return context.hip.check(error, "hipSetDevice");
    return context.hip.check(call(), function);
  }

private:
  const Context &context;
  int before = 0;
  int error = 0;
};

class HipBuffer final : public Buffer {
public:
  HipBuffer(const Context &context, void *memory, int64_t size)
      : context(context), memory(memory), size(size) {}
  ~HipBuffer() override {
    CurrentDevice current(context);
    (void)context.hip.hipFree(memory);
  }

  void *address() const override { return memory; }
  int64_t bytes() const override { return size; }

private:
  const Context &context;
  void *memory;
  int64_t size;
};

class HipEvent final : public Event {
public:
  HipEvent(const Context &context, void *handle)
      : handle(handle), context(context) {}
  ~HipEvent() override { (void)context.hip.hipEventDestroy(handle); }

  void *const handle;

private:
  const Context &context;
};

class HipKernel final : public Kernel {
public:
  HipKernel(const Context &context, void *function)
      : context(context), function(function) {}

  Result<void> launch(const LaunchShape &shape,
                      std::span<void *const> parameters,
                      StreamHandle stream) override {
    // HIP reads the array and the values it points to before it returns.
    void **values = const_cast<void **>(parameters.data());
    CurrentDevice current(context);
    return current.run("hipModuleLaunchKernel", [&] {
      return context.hip.hipModuleLaunchKernel(
          function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
          shape.block[1], shape.block[2], shape.dynamicSharedBytes, stream,
          values, nullptr);
    });
  }

private:
  const Context &context;
  void *function;
};

class HipModule final : public Module {
public:
  HipModule(const Context &context, void *handle, std::string label)
      : context(context), handle(handle), label(std::move(label)) {}
  ~HipModule() override {
    CurrentDevice current(context);
    (void)context.hip.hipModuleUnload(handle);
  }

  Result<Kernel *> kernel(const std::string &name) override {
    auto known = kernels.find(name);
    if (known != kernels.end())
      return known->second.get();
    void *function = nullptr;
    CurrentDevice current(context);
    Result<void> found = current.run("hipModuleGetFunction", [&] {
      return context.hip.hipModuleGetFunction(&function, handle, name.c_str());
    });
    if (!found)
      return Error{found.error().kind, "cannot find kernel '" + name + "' in " +
                                           label + ": " +
                                           found.error().message};
    auto kernel = std::make_unique<HipKernel>(context, function);
    return kernels.emplace(name, std::move(kernel)).first->second.get();
  }

private:
  const Context &context;
  void *handle;
  std::string label;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

class HipDevice final : public Device {
public:
  HipDevice(const HipLibrary &hip, int ordinal, unsigned units,
            std::string architecture)
      : context{hip, ordinal}, units(units),
        architecture(std::move(architecture)) {}

  std::string name() const override {
    return context.ordinal == 0 ? "hip"
                                : "hip:" + std::to_string(context.ordinal);
  }
  std::vector<std::string> targets() const override { return {architecture}; }
  unsigned computeUnits() const override { return units; }

  Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) override {
    void *memory = nullptr;
    Result<void> result = run("hipMalloc", [&] {
      return context.hip.hipMalloc(&memory, size_t(bytes));
    });
    if (!result)
      return Error{result.error().kind,
                   "cannot allocate " + std::to_string(bytes) +
                       " bytes: " + result.error().message};
    return std::unique_ptr<Buffer>(new HipBuffer(context, memory, bytes));
  }

  Result<void> copyToDevice(void *device, const void *host,
                            int64_t bytes) override {
    return run("hipMemcpy", [&] {
      return context.hip.hipMemcpy(device, host, size_t(bytes), HostToDevice);
    });
  }

  Result<void> copyToHost(void *host, const void *device,
                          int64_t bytes) override {
    return run("hipMemcpy", [&] {
      return context.hip.hipMemcpy(host, device, size_t(bytes), DeviceToHost);
    });
  }

  Result<std::unique_ptr<Module>>
  loadModule(const std::string &code, const std::string &label) override {
    void *handle = nullptr;
    Result<void> result = run("hipModuleLoadData", [&] {
      return context.hip.hipModuleLoadData(&handle, code.data());
    });
    if (!result)
      return Error{result.error().kind,
                   "cannot load " + label + ": " + result.error().message};
    return std::unique_ptr<Module>(new HipModule(context, handle, label));
  }

  Result<StreamHandle> createStream() override {
    StreamHandle stream = nullptr;
    Result<void> result = run("hipStreamCreate", [&] {
      return context.hip.hipStreamCreate(&stream);
    });
    if (!result)
      return result.error();
    return stream;
  }

  void destroyStream(StreamHandle stream) override {
    if (stream)
      (void)context.hip.hipStreamDestroy(stream);
  }

  Result<void> synchronize(StreamHandle stream) override {
    return run("hipStreamSynchronize",
               [&] { return context.hip.hipStreamSynchronize(stream); });
  }

  Result<std::unique_ptr<Event>> createEvent() override {
    void *handle = nullptr;
    Result<void> result = run(
        "hipEventCreate", [&] { return context.hip.hipEventCreate(&handle); });
    if (!result)
      return result.error();
    return std::unique_ptr<Event>(new HipEvent(context, handle));
  }

  Result<void> record(Event &event, StreamHandle stream) override {
    return run("hipEventRecord", [&] {
      return context.hip.hipEventRecord(static_cast<HipEvent &>(event).handle,
                                        stream);
    });
  }

  Result<double> elapsedMilliseconds(Event &start, Event &stop) override {
    void *first = static_cast<HipEvent &>(start).handle;
    void *last = static_cast<HipEvent &>(stop).handle;
    float milliseconds = 0;
    Result<void> result = run("hipEventSynchronize", [&] {
      return context.hip.hipEventSynchronize(last);
    });
    if (result)
      result = run("hipEventElapsedTime", [&] {
        return context.hip.hipEventElapsedTime(&milliseconds, first, last);
      });
    if (!result)
      return result.error();
    return double(milliseconds);
  }

private:
  Context context;
  unsigned units;
  std::string architecture;

  template <typename Call> Result<void> run(const char *function, Call call) {
    CurrentDevice current(context);
    return current.run(function, call);
  }
};

/// The architecture inside a device-properties struct, without the features
/// after a colon. Releases lay the struct out differently, but in all of them
/// `gcnArchName` is the last string that starts with "gfx" and a digit.
std::string findArchitecture(std::string_view properties) {
  size_t at = properties.size();
  while ((at = properties.rfind("gfx", at)) != std::string_view::npos) {
    size_t end = at + 3;
    while (end < properties.size() &&
           std::isalnum(static_cast<unsigned char>(properties[end])))
      ++end;
    if (end > at + 3 &&
        std::isdigit(static_cast<unsigned char>(properties[at + 3])))
      return std::string(properties.substr(at, end - at));
    if (at-- == 0)
      break;
  }
  return {};
}

Result<std::string> readArchitecture(const HipLibrary &hip, int ordinal) {
  // The struct has less than 2 KiB in every release so far.
  std::array<char, 8192> properties{};
  bool isNew = hip.hipGetDevicePropertiesR0600 != nullptr;
  auto *get =
      isNew ? hip.hipGetDevicePropertiesR0600 : hip.hipGetDeviceProperties;
  Result<void> result =
      hip.check(get(properties.data(), ordinal), "hipGetDeviceProperties");
  if (!result)
    return result.error();
  std::string architecture =
      findArchitecture({properties.data(), properties.size()});
  if (architecture.empty())
    return Error{ErrorKind::System,
                 "hipGetDeviceProperties: expects an architecture such as "
                 "gfx942, but got none"};
  return architecture;
}

} // namespace

Result<std::unique_ptr<Device>> runtime::createHipDevice(int ordinal) {
  Result<HipLibrary> hip = HipLibrary::load(hipLibraryNames());
  if (!hip)
    return hip.error();
  int count = 0;
  Result<void> result = hip->check(hip->hipInit(0), "hipInit");
  if (result)
    result = hip->check(hip->hipGetDeviceCount(&count), "hipGetDeviceCount");
  if (!result)
    return Error{result.error().kind, "no AMD GPU: " + result.error().message};
  if (ordinal >= count)
    return Error{ErrorKind::System, "expects an AMD GPU of number " +
                                        std::to_string(ordinal) + ", but got " +
                                        std::to_string(count) + " of them"};
  Result<std::string> architecture = readArchitecture(*hip, ordinal);
  if (!architecture)
    return architecture.error();
  int units = 0;
  result = hip->check(
      hip->hipDeviceGetAttribute(&units, kMultiprocessorCount, ordinal),
      "hipDeviceGetAttribute");
  if (!result)
    return result.error();
  return std::unique_ptr<Device>(new HipDevice(
      *hip, ordinal, unsigned(std::max(0, units)), std::move(*architecture)));
}
