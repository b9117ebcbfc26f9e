//===- ChildProcess.h - work that may end its process -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_CHILDPROCESS_H
#define CONV_SUPPORT_CHILDPROCESS_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace conv {

/// What a child may take.
struct ChildLimits {
  int64_t memoryBytes; ///< Beyond what this process has.
  int64_t cpuSeconds;
};

/// Calls `work` in a copy of this process and returns its result: for code that
/// was not written for hostile input. If the copy ends before `work` returns,
/// by a signal or at a limit, the error is `BadInput` and says how it ended. No
/// copy at all is `System`. What the copy prints is lost.
Result<std::string> runInChild(const std::function<std::string()> &work,
                               const ChildLimits &limits);

/// How work that was tried ended.
struct TriedWork {
  std::string crash;    ///< The name of the signal if it crashed, or empty.
  bool refuses = false; ///< Whether it returned false.
};

/// Calls `work` in a copy of this process, which may take what this one may.
/// Where there is no copy, and however else it ends, nothing was found.
TriedWork tryInChild(const std::function<bool()> &work);

} // namespace conv

#endif // CONV_SUPPORT_CHILDPROCESS_H
