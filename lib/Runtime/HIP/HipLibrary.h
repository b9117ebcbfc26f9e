//===- HipLibrary.h - the HIP functions that are used -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libamdhip64 is loaded when a HIP device is opened, never linked, so that one
// runtime works without it and with its releases 5 to 7. The functions used are
// one list.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_HIP_HIPLIBRARY_H
#define CONV_RUNTIME_HIP_HIPLIBRARY_H

#include "conv/Support/Result.h"

#include <cstddef>
#include <span>
#include <string>

namespace conv::runtime {

// REQUIRED(result, name, parameters), and OPTIONAL for functions that some
// releases lack. hipError_t is an int; handles are pointers.
#define CONV_HIP_FUNCTIONS(REQUIRED, OPTIONAL)                                 \
  REQUIRED(int, hipInit, (unsigned flags))                                     \
  REQUIRED(int, hipGetDeviceCount, (int *count))                               \
  REQUIRED(int, hipGetDevice, (int *ordinal))                                  \
  REQUIRED(int, hipDeviceGetAttribute,                                         \
           (int *value, int attribute, int ordinal))                           \
  REQUIRED(int, hipSetDevice, (int ordinal))                                   \
  REQUIRED(const char *, hipGetErrorString, (int error))                       \
  REQUIRED(int, hipMalloc, (void **address, size_t bytes))                     \
  REQUIRED(int, hipFree, (void *address))                                      \
  REQUIRED(int, hipMemcpy,                                                     \
           (void *target, const void *source, size_t bytes, int kind))         \
  REQUIRED(int, hipModuleLoadData, (void **module, const void *image))         \
  REQUIRED(int, hipModuleUnload, (void *module))                               \
  REQUIRED(int, hipModuleGetFunction,                                          \
           (void **function, void *module, const char *name))                  \
  REQUIRED(int, hipModuleLaunchKernel,                                         \
           (void *function, unsigned gridX, unsigned gridY, unsigned gridZ,    \
            unsigned blockX, unsigned blockY, unsigned blockZ,                 \
            unsigned sharedBytes, void *stream, void **parameters,             \
            void **extra))                                                     \
  REQUIRED(int, hipStreamCreate, (void **stream))                              \
  REQUIRED(int, hipStreamDestroy, (void *stream))                              \
  REQUIRED(int, hipStreamSynchronize, (void *stream))                          \
  REQUIRED(int, hipEventCreate, (void **event))                                \
  REQUIRED(int, hipEventDestroy, (void *event))                                \
  REQUIRED(int, hipEventRecord, (void *event, void *stream))                   \
  REQUIRED(int, hipEventSynchronize, (void *event))                            \
  REQUIRED(int, hipEventElapsedTime,                                           \
           (float *milliseconds, void *start, void *stop))                     \
  OPTIONAL(int, hipGetDevicePropertiesR0600, (void *properties, int ordinal))  \
  OPTIONAL(int, hipGetDeviceProperties, (void *properties, int ordinal))

/// The loaded library. Members are named like the functions; an optional member
/// is null where the library lacks the function.
struct HipLibrary {
#define CONV_HIP_MEMBER(result, name, parameters) result(*name) parameters;
  CONV_HIP_FUNCTIONS(CONV_HIP_MEMBER, CONV_HIP_MEMBER)
#undef CONV_HIP_MEMBER

  /// Loads the first of `names` that the dynamic loader finds, and keeps it for
  /// the life of the process (HIP has threads of its own).
  static Result<HipLibrary> load(std::span<const char *const> names);

  /// Success for 0, or "<function>: <HIP's message> (<number>)".
  Result<void> check(int error, const char *function) const;
};

/// "libamdhip64.so" and the known releases, newest first.
std::span<const char *const> hipLibraryNames();

} // namespace conv::runtime

#endif // CONV_RUNTIME_HIP_HIPLIBRARY_H
