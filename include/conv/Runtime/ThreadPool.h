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
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace conv::runtime {

/// CONV_NUM_THREADS, or one thread for each processor this process may use. A
/// value that is not a number from 1 to 4096 is `BadInput`.
Result<unsigned> defaultThreadCount();

/// CONV_SPIN_MICROSECONDS: how long a thread without work looks for some before
/// it sleeps. A value that is not a number from 0 to 1000000 is `BadInput`.
Result<std::chrono::microseconds> defaultSpinTime();

/// The most threads that runs of the calling thread use; 0, the default: all.
void limitThreads(unsigned most);

/// Threads of the host application: calls `member(context)` on the calling
/// thread and, if it can, on up to `threads` - 1 others at the same time, and
/// returns when all calls have. OpenMP's `GOMP_parallel` is one; it has flags.
using Team = void (*)(void (*member)(void *), void *context, unsigned threads,
                      unsigned flags);

/// From now on, runs of the calling thread use this team in place of workers of
/// the pools, unless the thread's limit is more than a pool's threads; null:
/// workers. A child of `fork` has no team.
void useTeam(Team team);

/// How long one index of a task took in its last run, in nanoseconds; 0 before
/// the first. Runs may use it at once.
using Pace = std::atomic<float>;

/// A fixed number of threads, started when they are first needed. The caller's
/// thread is one of them.
class ThreadPool {
public:
  /// Threads do not look for work if there are more than processors.
  explicit ThreadPool(unsigned threads, std::chrono::nanoseconds spinTime = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  using Task = void (*)(void *context, int64_t index);

  /// Calls `task(context, i)` for every i below `count`, in any order, and
  /// returns when all have ended. Calls that need workers go one at a time, and
  /// others wait; one on the caller's thread alone does not wait. Allocates
  /// nothing once the threads run. Where `pace` says that the task ends sooner
  /// than other threads begin, the caller's thread does it alone.
  void run(int64_t count, Task task, void *context, Pace *pace = nullptr);

private:
  /// A thread's share of a run, on a cache line of its own. Share 0 is the
  /// caller's, and share i that of worker i - 1.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0}; ///< The first index that nobody has taken.
    int64_t end = 0;
    std::atomic<bool> asleep{true};   ///< The worker has to be woken.
    std::atomic<bool> claimed{false}; ///< By a thread of a team.
  };

  /// What the caller's thread did of a run.
  struct Progress {
    int64_t taken = 0; ///< Indices.
    float nanoseconds = 0;
  };
  struct TeamRun;

  void work(unsigned place);
  unsigned join(unsigned place, uint32_t &seen);
  void leave();
  template <typename Condition>
  bool spin(std::chrono::nanoseconds time, Condition isMet);
  void owe(int64_t nanoseconds);
  bool paysDebt(float nanoseconds, unsigned sharers);
  /// So much that threads must not spin.
  bool isOwed() const { return debt.load(std::memory_order_relaxed) > 100'000; }
  void waitForRun(unsigned place, uint32_t seen);
  void waitForWorkers(std::chrono::nanoseconds ofIndex);
  int64_t takeIndices(unsigned place, unsigned sharers);
  static void joinAsMember(void *teamRun);
  unsigned countThreads() const;
  Team findTeam() const;
  unsigned countSharers(int64_t count, float nanoseconds) const;
  uint32_t findSleepers(unsigned sharers) const;
  void divide(int64_t first, int64_t count, unsigned sharers);
  Progress runOnWorkers(unsigned sharers);
  Progress runOnTeam(Team team, unsigned sharers);
  void runFrom(int64_t first, int64_t count, unsigned sharers, Task task,
               void *context, Pace *pace);

  const unsigned threads;
  const std::chrono::nanoseconds spinTime;
  std::vector<Share> shares;
  std::vector<std::jthread> workers;
  std::atomic<unsigned> started{0};
  std::mutex oneCaller;

  /// In nanoseconds: how much time of runs that are not shared pays for what
  /// sharing cost when others needed the processors.
  std::atomic<int64_t> debt{0};

  /// The number of the run, how many threads share it (0: nobody may join it
  /// any more), and how many workers are inside of it.
  std::atomic<uint64_t> state{0};
  std::atomic<uint32_t> wake{
      0}; ///< The number of the run; workers sleep on it.
  std::atomic<uint32_t> callerSleeps{0};
  std::atomic<bool> stopping{false};
  std::atomic<int> callersProcessor{-1}; ///< During the last run.

  // What the run is: written before it is open, read by those that joined it.
  Task task = nullptr;
  void *context = nullptr;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_THREADPOOL_H
