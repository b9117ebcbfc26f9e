//===- CudaContext.h - the primary context of an NVIDIA GPU -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in the GPU's primary context, which CUDA's runtime and
// frameworks use too, so that their streams and addresses are valid here.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H
#define CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H

#include "CudaLibrary.h"

#include <memory>

namespace conv::runtime {

/// The first driver that captures programmatic dependent launches.
inline constexpr int kEarlyStartVersion = 12030;

/// The library and one GPU's primary context. All objects of a device share
/// them, and the last object releases them.
class CudaContext {
public:
  CudaContext(const CudaLibrary &cuda, int device, void *handle)
      : cuda(cuda), device(device), handle(handle) {
    int version = 0;
    canStartEarly = cuda.cuLaunchKernelEx &&
                    cuda.cuDriverGetVersion(&version) == 0 &&
                    version >= kEarlyStartVersion;
  }
  CudaContext(const CudaContext &) = delete;
  ~CudaContext() { (void)cuda.cuDevicePrimaryCtxRelease_v2(device); }

  const CudaLibrary cuda;
  const int device;
  void *const handle;
  bool canStartEarly; ///< For programmatic dependent launch.
};
using SharedContext = std::shared_ptr<const CudaContext>;

/// Makes a context current in this thread, and restores the previous one.
class CurrentContext {
public:
  explicit CurrentContext(const CudaContext &context) : context(context) {
    if (context.cuda.cuCtxGetCurrent(&before) != 0)
      before = nullptr;
    if (before != context.handle)
      error = context.cuda.cuCtxSetCurrent(context.handle);
  }
  CurrentContext(const CurrentContext &) = delete;
  ~CurrentContext() {
    if (before != context.handle)
      (void)context.cuda.cuCtxSetCurrent(before);
  }

  /// Fails where the context could not be made current.
  Result<void> check() const {
    return context.cuda.check(error, "cuCtxSetCurrent");
  }

  /// The result of `call`, or the reason why it was not called, as a Result.
  template <typename Call>
  Result<void> run(const char *function, Call call) const {
    Result<void> current = check();
    return current ? context.cuda.check(call(), function) : current;
  }

private:
  const CudaContext &context;
  void *before = nullptr;
  int error = 0;
};

} // namespace conv::runtime

#endif // CONV_LIB_RUNTIME_CUDA_CUDACONTEXT_H
