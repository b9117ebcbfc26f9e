//===- Progress.cpp - a progress line on a terminal -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread draws, so that the seconds advance even if no part of the work ends
// for a while. It starts after half a second: short work stays silent.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "conv/Support/Threads.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace conv::tools;
using namespace std::chrono_literals;

Progress::Progress(std::string title)
    : title(std::move(title)), start(Clock::now()) {
  if (isatty(STDERR_FILENO))
    drawer = startThreads(1, [this] { draw(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ended.notify_all();
  drawer.clear(); // Joins it.
  if (isShown)
    std::fprintf(stderr, "\r\033[K");
}

void Progress::update(double newPart) {
  std::lock_guard lock(mutex);
  part = newPart;
}

void Progress::draw() {
  std::unique_lock lock(mutex);
  for (auto pause = 500ms;
       !ended.wait_for(lock, pause, [this] { return hasEnded; }); pause = 100ms)
    drawLine();
}

void Progress::drawLine() {
  isShown = true;
  constexpr int kWidth = 30;
  int filled = int(kWidth * std::clamp(part, 0.0, 1.0));
  std::string bar =
      std::string(filled, '#') + std::string(kWidth - filled, '.');
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %.0f s", title.c_str(),
               bar.c_str(), 100 * part, seconds);
  std::fflush(stderr);
}
