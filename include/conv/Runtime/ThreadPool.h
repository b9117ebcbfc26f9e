//===- ThreadPool.h - workgroups spread over threads ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_THREADPOOL_H
#define CONV_RUNTIME_THREADPOOL_H

#include "conv/Support/Result.h"
#include "conv/Support/Threads.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace conv::runtime {

/// CONV_NUM_THREADS, or one thread for each processor this process may use. A
/// value that is not a number from 1 to 4096 is `BadInput`.
Result<unsigned> defaultThreadCount();

/// The most threads that runs of the calling thread use; 0, the default: all.
void limitThreads(unsigned most);

/// How long one index of a task took in its last run, in nanoseconds; 0 before
/// the first. Runs may use it at once.
using Pace = std::atomic<float>;

/// A fixed number of threads, started when they are first needed. The caller's
/// thread is one of them.
class ThreadPool {
public:
  explicit ThreadPool(unsigned threads) : threads(threads) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  using Task = void (*)(void *context, int64_t index);

  /// Calls `task(context, i)` for every i below `count`, in any order, and
  /// returns when all have ended. Calls that need workers go one at a time, and
  /// others wait; one on the caller's thread alone does not wait. Allocates
  /// nothing once the threads run. Where `pace` says that the task ends sooner
  /// than other threads wake, the caller's thread does it alone.
  void run(int64_t count, Task task, void *context, Pace *pace = nullptr);

private:
  void work();
  int64_t takeIndices();
  void runFrom(int64_t first, int64_t count, Task task, void *context,
               Pace *pace);

  const unsigned threads;
  std::vector<std::jthread> workers;
  std::mutex oneCaller;

  std::mutex mutex; ///< Guards the members up to `next`.
  std::condition_variable wake, idle;
  uint64_t generation = 0; ///< Grows with each call of run.
  bool open = false;       ///< Workers may still join the run.
  bool stopping = false;
  int active = 0;       ///< Workers inside the run.
  unsigned mayJoin = 0; ///< More workers that the run takes.

  Task task = nullptr;
  void *context = nullptr;
  int64_t count = 0;
  std::atomic<int64_t> next{0};
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_THREADPOOL_H
