//===- HipLibrary.cpp - finding libamdhip64 and its functions ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches for the library under its known names and fills the table of
// functions. The message lists what was not found, and why.
//
//===----------------------------------------------------------------------===//

#include "HipLibrary.h"

#include <dlfcn.h>

using namespace conv;
using namespace conv::runtime;

static constexpr const char *kNames[] = {
    "libamdhip64.so",
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
};

std::span<const char *const> runtime::hipLibraryNames() { return kNames; }

/// Opens the first library that loads. The message prefers a library that
/// exists but does not load (a missing dependency, a damaged file) to libraries
/// that do not exist.
static Result<void *> openFirst(std::span<const char *const> names) {
  std::string tried, reason;
  for (const char *name : names) {
    if (void *handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
    const char *text = ::dlerror();
    std::string message = text ? text : "";
    std::string absent = std::string(name) + ": cannot open shared object file";
    if (!message.starts_with(absent))
      reason = message;
    tried += (tried.empty() ? "" : ", ") + std::string(name);
  }
  return Error{ErrorKind::System,
               "no HIP runtime: looked for " + tried +
                   (reason.empty() ? "; none was found" : "; " + reason)};
}

Result<HipLibrary> HipLibrary::load(std::span<const char *const> names) {
  Result<void *> handle = openFirst(names);
  if (!handle)
    return handle.error();
  HipLibrary library;
  std::string missing;
#define CONV_HIP_OPTIONAL(result, name, parameters)                            \
  library.name =                                                               \
      reinterpret_cast<decltype(library.name)>(::dlsym(*handle, #name));
#define CONV_HIP_REQUIRED(result, name, parameters)                            \
  CONV_HIP_OPTIONAL(result, name, parameters)                                  \
  if (!library.name && missing.empty())                                        \
    missing = #name;
  CONV_HIP_FUNCTIONS(CONV_HIP_REQUIRED, CONV_HIP_OPTIONAL)
#undef CONV_HIP_REQUIRED
#undef CONV_HIP_OPTIONAL
  if (!library.hipGetDevicePropertiesR0600 && !library.hipGetDeviceProperties &&
      missing.empty())
    missing = "hipGetDeviceProperties";
  if (missing.empty())
    return library;
  ::dlclose(*handle);
  return Error{ErrorKind::System,
               "the HIP runtime that was found lacks '" + missing + "'"};
}

Result<void> HipLibrary::check(int error, const char *function) const {
  if (error == 0)
    return {};
  const char *text = hipGetErrorString(error);
  return Error{ErrorKind::System, std::string(function) + ": " +
                                      (text ? text : "unknown error") + " (" +
                                      std::to_string(error) + ")"};
}
