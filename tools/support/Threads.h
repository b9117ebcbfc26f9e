//===- Threads.h - a parallel loop ------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_THREADS_H
#define CONV_TOOLS_SUPPORT_THREADS_H

#include "conv/Support/Threads.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace conv {

/// Calls `body(i)` for every i in [0, count), on all cores, in any order. One
/// thread calls `progress`, if there is one, with the started share.
template <typename Body>
void parallelFor(int64_t count, const Body &body,
                 const std::function<void(double)> &progress = {}) {
  int64_t chunk = std::max<int64_t>(1, count / 256);
  std::atomic<int64_t> next = 0;
  auto work = [&](bool first) {
    for (int64_t begin; (begin = next.fetch_add(chunk)) < count;) {
      for (int64_t i = begin; i < std::min(begin + chunk, count); ++i)
        body(i);
      if (first && progress)
        progress(double(std::min(begin + chunk, count)) / double(count));
    }
  };
  int64_t cores = countProcessors();
  int64_t threads = std::max<int64_t>(1, std::min(cores, count / chunk));
  std::vector<std::jthread> helpers =
      startThreads(threads - 1, [&] { work(false); });
  work(true);
}

} // namespace conv

#endif // CONV_TOOLS_SUPPORT_THREADS_H
