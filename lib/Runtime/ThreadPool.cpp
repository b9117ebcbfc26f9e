//===- ThreadPool.cpp - workgroups spread over threads ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workers sleep on a condition variable and join a run while it is open. The
// caller works too, closes the run when no index is left, and waits only for
// workers that have joined: a worker that wakes late finds nothing to do.
//
// Waking takes the caller some microseconds, and as long until a worker runs: a
// run that was shorter than that stays on the caller's thread, until it is not.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

using namespace conv;
using namespace conv::runtime;

/// A run that takes one thread this long is not worth waking others.
static constexpr float WORTH_WAKING_NANOSECONDS = 10e3;

static thread_local unsigned mostThreads = 0;

void runtime::limitThreads(unsigned most) { mostThreads = most; }

using Clock = std::chrono::steady_clock;

static float nanosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<float, std::nano>(Clock::now() - begin).count();
}

Result<unsigned> runtime::defaultThreadCount() {
  const char *text = std::getenv("CONV_NUM_THREADS");
  if (!text || !*text)
    return countProcessors();
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (*end == '\0' && value >= 1 && value <= 4096)
    return unsigned(value);
  return Error{ErrorKind::BadInput,
               "expects CONV_NUM_THREADS to be 1 to 4096, but got '" +
                   std::string(text) + "'"};
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  workers.clear(); // Joins them.
}

void ThreadPool::work() {
  std::unique_lock lock(mutex);
  uint64_t seen = 0;
  while (true) {
    wake.wait(lock, [&] { return stopping || (open && generation != seen); });
    if (stopping)
      return;
    seen = generation;
    if (mayJoin == 0)
      continue;
    --mayJoin;
    ++active;
    lock.unlock();
    takeIndices();
    lock.lock();
    if (--active == 0)
      idle.notify_one();
  }
}

/// Computes indices until none is left; how many it computed.
int64_t ThreadPool::takeIndices() {
  int64_t taken = 0;
  for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;
       ++taken)
    task(context, i);
  return taken;
}

void ThreadPool::run(int64_t newCount, Task newTask, void *newContext,
                     Pace *pace) {
  if (newCount <= 1 || threads <= 1 || mostThreads == 1) {
    for (int64_t i = 0; i < newCount; ++i)
      newTask(newContext, i);
    return;
  }
  int64_t first = 0;
  float expected = pace ? pace->load(std::memory_order_relaxed) : 0;
  if (expected > 0 && expected * newCount <= WORTH_WAKING_NANOSECONDS) {
    auto begin = Clock::now();
    float passed = 0;
    // The data may need more work than that of the last run.
    while (first < newCount && passed <= WORTH_WAKING_NANOSECONDS) {
      newTask(newContext, first++);
      passed = nanosecondsSince(begin);
    }
    pace->store(passed / first, std::memory_order_relaxed);
  }
  if (first < newCount)
    runFrom(first, newCount, newTask, newContext, pace);
}

void ThreadPool::runFrom(int64_t first, int64_t newCount, Task newTask,
                         void *newContext, Pace *pace) {
  std::lock_guard oneAtATime(oneCaller);
  if (workers.empty())
    workers = startThreads(threads - 1, [this] { work(); });
  {
    std::lock_guard lock(mutex);
    task = newTask;
    context = newContext;
    count = newCount;
    next.store(first, std::memory_order_relaxed);
    ++generation;
    mayJoin = (mostThreads ? std::min(mostThreads, threads) : threads) - 1;
    open = true;
  }
  wake.notify_all();
  auto begin = Clock::now();
  int64_t taken = takeIndices();
  if (pace && taken > 0)
    pace->store(nanosecondsSince(begin) / taken, std::memory_order_relaxed);
  std::unique_lock lock(mutex);
  open = false;
  idle.wait(lock, [&] { return active == 0; });
}
