//===- Progress.cpp - a progress line on a terminal -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Redraws at most ten times a second and starts after half a second, so that
// short work stays silent.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace conv::tools;
using namespace std::chrono_literals;

Progress::Progress(std::string title)
    : title(std::move(title)), isTerminal(isatty(STDERR_FILENO)),
      start(Clock::now()), last(start) {}

Progress::~Progress() {
  if (isShown)
    std::fprintf(stderr, "\r\033[K");
}

void Progress::update(double part) {
  if (!isTerminal)
    return;
  std::lock_guard lock(mutex);
  Clock::time_point now = Clock::now();
  if (now - start < 500ms || now - last < 100ms)
    return;
  last = now;
  isShown = true;
  constexpr int kWidth = 30;
  int filled = int(kWidth * std::clamp(part, 0.0, 1.0));
  std::string bar =
      std::string(filled, '#') + std::string(kWidth - filled, '.');
  double seconds = std::chrono::duration<double>(now - start).count();
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %.0f s", title.c_str(),
               bar.c_str(), 100 * part, seconds);
  std::fflush(stderr);
}
