//===- Progress.h - a progress line on a terminal ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_PROGRESS_H
#define CONV_TOOLS_SUPPORT_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace conv::tools {

/// One line on standard error that names the current work and its time. Shown
/// only if standard error is a terminal, and only for work that takes longer
/// than a moment. Nothing else is printed meanwhile.
class Progress {
public:
  explicit Progress(std::string title);
  /// Wipes the line.
  ~Progress();

  /// Sets the finished share, 0 to 1. May be called from any thread.
  void update(double part);

private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void drawLine();

  const std::string title;
  const Clock::time_point start;
  std::mutex mutex; ///< Guards the members up to `drawer`.
  std::condition_variable ended;
  double part = 0;
  bool isShown = false, hasEnded = false;
  /// The drawing thread, or none.
  std::vector<std::jthread> drawer;
};

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_PROGRESS_H
