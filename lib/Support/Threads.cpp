//===- Threads.cpp - as many threads as there are ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers and users have limits on threads and on memory for stacks.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Threads.h"

#include <algorithm>
#include <sched.h>
#include <system_error>
#include <unistd.h>

using namespace conv;

unsigned conv::countProcessors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    return unsigned(std::max(1, CPU_COUNT(&set)));
  // The machine has more than a set holds.
  return std::max(1u, std::thread::hardware_concurrency());
}

int64_t conv::readSecondCacheBytes() {
  // The system may answer for the core that asks: one answer for the process.
  static const int64_t bytes =
      std::max<int64_t>(0, ::sysconf(_SC_LEVEL2_CACHE_SIZE));
  return bytes;
}

std::vector<std::jthread>
conv::startThreads(size_t count, const std::function<void()> &work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count)
      threads.emplace_back(work);
  } catch (const std::system_error &) {
    // Fewer threads do the same work.
  }
  return threads;
}
