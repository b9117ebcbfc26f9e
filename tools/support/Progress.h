//===- Progress.h - a progress line on a terminal -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_PROGRESS_H
#define CONV_TOOLS_SUPPORT_PROGRESS_H

#include <chrono>
#include <mutex>
#include <string>

namespace conv::tools {

/// One line on standard error that says what is going on. Shows only if
/// standard error is a terminal, and only for work that takes longer than a
/// moment.
class Progress {
public:
  explicit Progress(std::string title);
  /// Wipes the line.
  ~Progress();

  /// The finished part, 0 to 1. May be called from any thread.
  void update(double part);

private:
  using Clock = std::chrono::steady_clock;
  std::string title;
  bool isTerminal;
  bool isShown = false;
  Clock::time_point start, last;
  std::mutex mutex;
};

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_PROGRESS_H
