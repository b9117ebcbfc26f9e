//===- CudaModule.cpp - code on an NVIDIA GPU, and its launches -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch adds only the kernel to the stream, so it can be captured into a
// graph.
//
//===----------------------------------------------------------------------===//

#include "CudaModule.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

using namespace conv;
using namespace conv::runtime;

namespace {

/// Values of CUfunction_attribute.
enum FunctionAttribute { MaxDynamicSharedSizeBytes = 8 };

/// Values of CUlaunchAttributeID.
enum LaunchAttribute {
  ClusterDimension = 4,
  ProgrammaticStreamSerialization = 6
};

/// Dynamic shared memory that kernels may use without a request.
constexpr uint32_t kUnaskedSharedBytes = 48 << 10;

class CudaKernel final : public Kernel {
public:
  CudaKernel(const CudaContext &context, void *function)
      : context(context), function(function) {}

  Result<void> launch(const LaunchShape &shape,
                      std::span<void *const> parameters,
                      StreamHandle stream) override {
    // The driver reads the array and its values before it returns.
    void **values = const_cast<void **>(parameters.data());
    CurrentContext current(context);
    if (shape.dynamicSharedBytes > allowedSharedBytes)
      if (Result<void> asked = allowShared(current, shape.dynamicSharedBytes);
          !asked)
        return asked;
    if (shape.hasClusters() || startsEarly(shape))
      return launchWithAttributes(current, shape, values, stream);
    return current.run("cuLaunchKernel", [&] {
      return context.cuda.cuLaunchKernel(
          function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
          shape.block[1], shape.block[2], shape.dynamicSharedBytes, stream,
          values, nullptr);
    });
  }

private:
  bool startsEarly(const LaunchShape &shape) const {
    return shape.startsEarly && context.canStartEarly;
  }

  /// A launch of clusters, or a programmatic dependent launch, which does not
  /// wait for earlier work.
  Result<void> launchWithAttributes(const CurrentContext &current,
                                    const LaunchShape &shape, void **values,
                                    StreamHandle stream) {
    std::array<CudaLaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (startsEarly(shape)) {
      attributes[count].id = ProgrammaticStreamSerialization;
      attributes[count++].isAllowed = 1;
    }
    if (shape.hasClusters()) {
      attributes[count].id = ClusterDimension;
      std::ranges::copy(shape.cluster, attributes[count++].cluster);
    }
    CudaLaunchConfig config{{shape.grid[0], shape.grid[1], shape.grid[2]},
                            {shape.block[0], shape.block[1], shape.block[2]},
                            shape.dynamicSharedBytes,
                            stream,
                            attributes.data(),
                            count};
    return current.run("cuLaunchKernelEx", [&] {
      return context.cuda.cuLaunchKernelEx(&config, function, values, nullptr);
    });
  }

  /// Requests more dynamic shared memory: once, since all launches of a kernel
  /// are alike. Threads that do so at the same time request the same amount.
  Result<void> allowShared(const CurrentContext &current, uint32_t bytes) {
    Result<void> result = current.run("cuFuncSetAttribute", [&] {
      return context.cuda.cuFuncSetAttribute(
          function, MaxDynamicSharedSizeBytes, int(bytes));
    });
    if (result)
      allowedSharedBytes = bytes;
    return result;
  }

  const CudaContext &context; ///< Owned by the module.
  void *function;
  std::atomic<uint32_t> allowedSharedBytes = kUnaskedSharedBytes;
};

class CudaModule final : public Module {
public:
  CudaModule(SharedContext context, void *handle, std::string label)
      : context(std::move(context)), handle(handle), label(std::move(label)) {}
  ~CudaModule() override {
    CurrentContext current(*context);
    (void)context->cuda.cuModuleUnload(handle);
  }

  Result<Kernel *> kernel(const std::string &name) override {
    auto known = kernels.find(name);
    if (known != kernels.end())
      return known->second.get();
    void *function = nullptr;
    CurrentContext current(*context);
    Result<void> found = current.run("cuModuleGetFunction", [&] {
      return context->cuda.cuModuleGetFunction(&function, handle, name.c_str());
    });
    if (!found)
      return Error{found.error().kind, "cannot find kernel '" + name + "' in " +
                                           label + ": " +
                                           found.error().message};
    auto kernel = std::make_unique<CudaKernel>(*context, function);
    return kernels.emplace(name, std::move(kernel)).first->second.get();
  }

private:
  SharedContext context;
  void *handle;
  std::string label;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

} // namespace

std::unique_ptr<Module> runtime::createCudaModule(SharedContext context,
                                                  void *handle,
                                                  std::string label) {
  return std::make_unique<CudaModule>(std::move(context), handle,
                                      std::move(label));
}
