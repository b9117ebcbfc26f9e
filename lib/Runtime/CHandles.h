//===- CHandles.h - handles and errors of the C functions -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles of conv_runtime.h, and how an `Error` becomes
// a status and a message of the thread. No exception leaves a function of C.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CHANDLES_H
#define CONV_LIB_RUNTIME_CHANDLES_H

#include "conv/Runtime/conv_runtime.h"

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Driver.h"
#include "conv/Runtime/Executable.h"

#include <exception>
#include <map>
#include <mutex>

struct conv_artifact {
  conv::artifact::Artifact artifact;
  std::string manifest; ///< JSON text.
};

struct conv_device {
  std::unique_ptr<conv::runtime::Device> device;
  std::vector<std::string> targets;
  std::mutex mutex; ///< Guards `buffers`.
  std::map<void *, std::unique_ptr<conv::runtime::Buffer>> buffers;
};

struct conv_executable {
  conv::runtime::Executable executable;
};

namespace conv::runtime::c {

/// The message for `conv_last_error` of this thread.
std::string &lastError();

/// Stores a message for `conv_last_error`, or one that needs no memory.
conv_status fail(conv::ErrorKind kind, std::string_view message) noexcept;

inline conv_status badInput(const char *message) {
  return fail(conv::ErrorKind::BadInput, message);
}

/// Runs `body`, which returns a Result<void>.
template <typename Body> conv_status guarded(Body body) {
  try {
    conv::Result<void> result = body();
    return result ? CONV_OK : fail(result.error().kind, result.error().message);
  } catch (const std::exception &exception) {
    return fail(conv::ErrorKind::System, exception.what());
  }
}

} // namespace conv::runtime::c

#endif // CONV_LIB_RUNTIME_CHANDLES_H
