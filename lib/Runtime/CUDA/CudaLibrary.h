//===- CudaLibrary.h - the CUDA driver functions that are used --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda is part of the driver, and is loaded when a CUDA device is opened.
// The functions used are one list, under the names that the library exports:
// `_v2` is the current form of a function whose first form had 32-bit sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_CUDA_CUDALIBRARY_H
#define CONV_RUNTIME_CUDA_CUDALIBRARY_H

#include "conv/Support/Result.h"

#include <cstddef>
#include <cstdint>

namespace conv::runtime {

/// One of the attributes of a launch: CUlaunchAttribute.
struct CudaLaunchAttribute {
  int id;
  int padding;
  union {
    int isAllowed;
    unsigned cluster[3];
    char bytes[64];
  };
};

/// CUlaunchConfig.
struct CudaLaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  const CudaLaunchAttribute *attributes;
  unsigned attributeCount;
};

// REQUIRED(name, parameters), and OPTIONAL for functions that only improve
// messages, or that drivers before CUDA 12 lack. CUresult and CUdevice are
// ints, other handles pointers, and addresses of device memory 64-bit
// integers.
#define CONV_CUDA_FUNCTIONS(REQUIRED, OPTIONAL)                                \
  REQUIRED(cuInit, (unsigned flags))                                           \
  REQUIRED(cuDriverGetVersion, (int *version))                                 \
  REQUIRED(cuDeviceGetCount, (int *count))                                     \
  REQUIRED(cuDeviceGet, (int *device, int ordinal))                            \
  REQUIRED(cuDeviceGetAttribute, (int *value, int attribute, int device))      \
  REQUIRED(cuDevicePrimaryCtxRetain, (void **context, int device))             \
  REQUIRED(cuDevicePrimaryCtxRelease_v2, (int device))                         \
  REQUIRED(cuCtxGetCurrent, (void **context))                                  \
  REQUIRED(cuCtxSetCurrent, (void *context))                                   \
  REQUIRED(cuMemAlloc_v2, (uint64_t *address, size_t bytes))                   \
  REQUIRED(cuMemFree_v2, (uint64_t address))                                   \
  REQUIRED(cuMemcpyHtoD_v2,                                                    \
           (uint64_t target, const void *source, size_t bytes))                \
  REQUIRED(cuMemcpyDtoH_v2, (void *target, uint64_t source, size_t bytes))     \
  REQUIRED(cuModuleLoadData, (void **module, const void *image))               \
  REQUIRED(cuModuleUnload, (void *module))                                     \
  REQUIRED(cuModuleGetFunction,                                                \
           (void **function, void *module, const char *name))                  \
  REQUIRED(cuFuncSetAttribute, (void *function, int attribute, int value))     \
  REQUIRED(cuLaunchKernel, (void *function, unsigned gridX, unsigned gridY,    \
                            unsigned gridZ, unsigned blockX, unsigned blockY,  \
                            unsigned blockZ, unsigned sharedBytes,             \
                            void *stream, void **parameters, void **extra))    \
  OPTIONAL(cuLaunchKernelEx, (const CudaLaunchConfig *config, void *function,  \
                              void **parameters, void **extra))                \
  OPTIONAL(cuTensorMapEncodeTiled,                                             \
           (void *map, int type, unsigned rank, void *address,                 \
            const uint64_t *sizes, const uint64_t *strides,                    \
            const uint32_t *box, const uint32_t *elementStrides,               \
            int interleave, int swizzle, int promotion, int fill))             \
  OPTIONAL(cuTensorMapEncodeIm2col,                                            \
           (void *map, int type, unsigned rank, void *address,                 \
            const uint64_t *sizes, const uint64_t *strides, const int *lower,  \
            const int *upper, unsigned channels, unsigned pixels,              \
            const uint32_t *elementStrides, int interleave, int swizzle,       \
            int promotion, int fill))                                          \
  REQUIRED(cuStreamCreate, (void **stream, unsigned flags))                    \
  REQUIRED(cuStreamDestroy_v2, (void *stream))                                 \
  REQUIRED(cuStreamSynchronize, (void *stream))                                \
  REQUIRED(cuEventCreate, (void **event, unsigned flags))                      \
  REQUIRED(cuEventDestroy_v2, (void *event))                                   \
  REQUIRED(cuEventRecord, (void *event, void *stream))                         \
  REQUIRED(cuEventSynchronize, (void *event))                                  \
  REQUIRED(cuEventElapsedTime, (float *milliseconds, void *start, void *stop)) \
  OPTIONAL(cuGetErrorString, (int error, const char **text))

/// The loaded library. Members are named like the functions; an optional member
/// is null where the library lacks the function.
struct CudaLibrary {
#define CONV_CUDA_MEMBER(name, parameters) int(*name) parameters;
  CONV_CUDA_FUNCTIONS(CONV_CUDA_MEMBER, CONV_CUDA_MEMBER)
#undef CONV_CUDA_MEMBER

  /// Loads `name` and keeps it for the life of the process (the driver has
  /// threads of its own).
  static Result<CudaLibrary> load(const char *name = "libcuda.so.1");

  /// Success for 0, or "<function>: <the driver's message> (<number>)".
  Result<void> check(int error, const char *function) const;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_CUDA_CUDALIBRARY_H
