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

/// The resources that a child may use.
struct ChildLimits {
  int64_t memoryBytes; ///< Beyond this process's memory.
  int64_t cpuSeconds;
  /// By the clock on the wall: the child waits for ever for a lock that another
  /// thread of this process held when the copy was made.
  int64_t wallSeconds;
};

/// Calls `work` in a copy of this process and returns its result: for code that
/// was not written for hostile input. If a signal or a limit ends the copy
/// before `work` returns, the error is `BadInput` and says how the copy ended.
/// If the copy cannot be made, it is `System`. Output of the copy is lost.
Result<std::string> runInChild(const std::function<std::string()> &work,
                               const ChildLimits &limits);

/// The outcome of work that was tried in a child.
struct TriedWork {
  std::string crash;    ///< The name of the signal if it crashed, or empty.
  bool refuses = false; ///< Whether it returned false.
};

/// Calls `work` in a copy of this process, with the limits of this process. If
/// the copy cannot be made, or ends in any other way, nothing is reported.
TriedWork tryInChild(const std::function<bool()> &work);

} // namespace conv

#endif // CONV_SUPPORT_CHILDPROCESS_H
