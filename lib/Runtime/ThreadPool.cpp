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
//===----------------------------------------------------------------------===//

#include "conv/Runtime/ThreadPool.h"

#include <cstdlib>
#include <string>
#include <thread>

using namespace conv;
using namespace conv::runtime;

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
    ++active;
    lock.unlock();
    takeIndices();
    lock.lock();
    if (--active == 0)
      idle.notify_one();
  }
}

void ThreadPool::takeIndices() {
  for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
    task(context, i);
}

void ThreadPool::run(int64_t newCount, Task newTask, void *newContext) {
  if (newCount <= 1 || threads <= 1) {
    for (int64_t i = 0; i < newCount; ++i)
      newTask(newContext, i);
    return;
  }
  std::lock_guard oneAtATime(oneCaller);
  if (workers.empty())
    workers = startThreads(threads - 1, [this] { work(); });
  {
    std::lock_guard lock(mutex);
    task = newTask;
    context = newContext;
    count = newCount;
    next.store(0, std::memory_order_relaxed);
    ++generation;
    open = true;
  }
  wake.notify_all();
  takeIndices();
  std::unique_lock lock(mutex);
  open = false;
  idle.wait(lock, [&] { return active == 0; });
}
