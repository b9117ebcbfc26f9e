//===- CudaLibrary.cpp - finding libcuda and its functions ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the table of functions. The message lists what was not found.
//
//===----------------------------------------------------------------------===//

#include "CudaLibrary.h"

#include <dlfcn.h>

using namespace conv;
using namespace conv::runtime;

Result<CudaLibrary> CudaLibrary::load(const char *name) {
  void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return Error{ErrorKind::System,
                 std::string("no CUDA driver: looked for ") + name +
                     (reason ? std::string("; ") + reason : std::string())};
  }
  CudaLibrary library;
  std::string missing;
#define CONV_CUDA_OPTIONAL(name, parameters)                                   \
  library.name =                                                               \
      reinterpret_cast<decltype(library.name)>(::dlsym(handle, #name));
#define CONV_CUDA_REQUIRED(name, parameters)                                   \
  CONV_CUDA_OPTIONAL(name, parameters)                                         \
  if (!library.name && missing.empty())                                        \
    missing = #name;
  CONV_CUDA_FUNCTIONS(CONV_CUDA_REQUIRED, CONV_CUDA_OPTIONAL)
#undef CONV_CUDA_REQUIRED
#undef CONV_CUDA_OPTIONAL
  if (missing.empty())
    return library;
  ::dlclose(handle);
  return Error{ErrorKind::System, std::string("the CUDA driver ") + name +
                                      " lacks '" + missing + "'"};
}

Result<void> CudaLibrary::check(int error, const char *function) const {
  if (error == 0)
    return {};
  const char *text = nullptr;
  if (cuGetErrorString)
    (void)cuGetErrorString(error, &text);
  return Error{ErrorKind::System, std::string(function) + ": " +
                                      (text ? text : "unknown error") + " (" +
                                      std::to_string(error) + ")"};
}
