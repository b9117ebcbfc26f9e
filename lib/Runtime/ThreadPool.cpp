//===- ThreadPool.cpp - workgroups spread over threads ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread of a run has a share of neighbouring indices, the same one in
// each run, so that it finds what it wrote in the run before in its own caches.
// Who has finished a share goes on with those of others: a thread that comes
// late, or not at all, has nothing left to do, and nobody waits for it. The
// caller closes the run when no index is left and waits only for workers that
// joined.
//
// A sleeping thread takes some microseconds to wake, and as many of the thread
// that wakes it, which is as long as a small layer. So a thread without work
// looks for some first, unless it would take the processor from other threads:
// where there are more threads than processors, on the processor of the caller,
// and when the system gave a processor to others, which threads notice by
// counting that, and callers by runs that take longer than on one thread. What
// this cost is paid by runs on the caller's thread alone, before any is shared
// again: on a loaded machine sharing costs little, and on others it is the
// rule.
//
// Everything that workers change while no run is active is atomic, and no lock
// is held then, so that a child of `fork` finds a pool without workers that
// works.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/ThreadPool.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace conv;
using namespace conv::runtime;

/// A run that takes one thread this long is not worth waking others, or sharing
/// with others that are awake.
static constexpr float kWorthWakingNanoseconds = 10e3;
static constexpr float kWorthSharingNanoseconds = 4e3;

/// A run that takes this much longer than one thread would have taken waited
/// for a thread that lost its processor.
static constexpr int64_t kLostProcessorNanoseconds = 50'000;

/// How many times what was lost is to be paid, so that a machine that is always
/// loaded costs little; what a spinning thread that lost its processor costs;
/// and the most that is owed, so that an idle machine is soon used again.
static constexpr int64_t kPriceOfLosses = 4, kSliceNanoseconds = 1'000'000,
                         kMostDebtNanoseconds = 1'000'000'000;

/// A thread that has nothing else to do does not sleep for a shorter time.
static constexpr std::chrono::microseconds kLeastWait(20);

static thread_local unsigned mostThreads = 0;

void runtime::limitThreads(unsigned most) { mostThreads = most; }

static thread_local Team theTeam = nullptr;

void runtime::useTeam(Team team) {
  // The threads of the team do not survive a fork, and its owner may not know.
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { theTeam = nullptr; });
  theTeam = team;
}

using Clock = std::chrono::steady_clock;

static float nanosecondsSince(Clock::time_point begin) {
  return std::chrono::duration<float, std::nano>(Clock::now() - begin).count();
}

/// The number in a variable of the environment, or `otherwise` if there is
/// none.
static Result<long> readNumber(const char *name, long least, long most,
                               long otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  long value = std::strtol(text, &end, 10);
  if (*end == '\0' && value >= least && value <= most)
    return value;
  return Error{ErrorKind::BadInput, "expects " + std::string(name) + " to be " +
                                        std::to_string(least) + " to " +
                                        std::to_string(most) + ", but got '" +
                                        text + "'"};
}

Result<unsigned> runtime::defaultThreadCount() {
  Result<long> value = readNumber("CONV_NUM_THREADS", 1, 4096, 0);
  if (!value)
    return value.error();
  return *value ? unsigned(*value) : countProcessors();
}

Result<std::chrono::microseconds> runtime::defaultSpinTime() {
  Result<long> value = readNumber("CONV_SPIN_MICROSECONDS", 0, 1000000, 500);
  if (!value)
    return value.error();
  return std::chrono::microseconds(*value);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Sleeps until a wake-up for one of `bits`, unless `word` is no longer
/// `expected`. May return early.
static void sleepOn(std::atomic<uint32_t> &word, uint32_t expected,
                    uint32_t bits) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, nullptr,
            nullptr, bits);
}

static void wakeAll(std::atomic<uint32_t> &word, uint32_t bits) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr,
            nullptr, bits);
}

/// How often the system gave the processor of this thread to another one.
static long countPreemptions() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Whether it did so since this thread last asked.
static bool isPreempted() {
  static thread_local long known = countPreemptions();
  long now = countPreemptions();
  return std::exchange(known, now) != now;
}

/// Others need the processors, which cost this much time.
void ThreadPool::owe(int64_t nanoseconds) {
  debt = std::min(debt + kPriceOfLosses * nanoseconds, kMostDebtNanoseconds);
}

/// Whether sharing a run is to be left out, because all that it would save is
/// owed. Otherwise it is shared, and nothing is owed any more: the rest would
/// keep threads from spinning.
bool ThreadPool::paysDebt(float nanoseconds, unsigned sharers) {
  int64_t owed = debt.load(std::memory_order_relaxed);
  auto saved = int64_t(nanoseconds) * (sharers - 1) / sharers;
  if (saved == 0)
    return false;
  if (saved > owed) {
    if (owed > 0)
      debt.store(0, std::memory_order_relaxed);
    return false;
  }
  // Runs of several callers may pay once.
  debt.store(owed - saved, std::memory_order_relaxed);
  return true;
}

/// Whether the condition is met within this time, for which the thread keeps
/// its processor, unless others need it.
template <typename Condition>
bool ThreadPool::spin(std::chrono::nanoseconds time, Condition isMet) {
  constexpr int CHECKS = 16; // Less than a microsecond.
  if (spinTime.count() == 0)
    return isMet();
  if (isPreempted())
    owe(kSliceNanoseconds);
  auto until = Clock::now() + time;
  do
    for (int i = 0; i < CHECKS; ++i) {
      if (isMet())
        return true;
      __builtin_ia32_pause();
    }
  while (!isOwed() && Clock::now() < until);
  return false;
}

//===----------------------------------------------------------------------===//
// The state of a run
//===----------------------------------------------------------------------===//

namespace {

/// What the state of a pool says.
constexpr uint64_t kOneWorker = 1, kOneSharer = 1 << 16;

unsigned workersIn(uint64_t state) { return state & 0xffff; }
unsigned sharersOf(uint64_t state) { return state >> 16 & 0xffff; }
uint32_t numberOf(uint64_t state) { return uint32_t(state >> 32); }

} // namespace

/// The wake-up that a worker sleeps for, which it may share with others.
static uint32_t wakeBit(unsigned place) { return 1u << place % 32; }

ThreadPool::ThreadPool(unsigned threads, std::chrono::nanoseconds spinTime)
    : threads(std::min(threads, 0xffffu)),
      spinTime(threads <= countProcessors() ? spinTime
                                            : std::chrono::nanoseconds(0)),
      shares(this->threads) {}

ThreadPool::~ThreadPool() {
  stopping = true;
  ++wake;
  wakeAll(wake, ~0u);
  workers.clear(); // Joins them.
}

void ThreadPool::work(unsigned place) {
  for (uint32_t seen = 0; !stopping.load(std::memory_order_relaxed);) {
    unsigned sharers = join(place, seen);
    if (sharers == 0) {
      waitForRun(place, seen);
      continue;
    }
    takeIndices(place, sharers);
    leave();
  }
}

/// Whether a worker can join the run of a state, being done with run `seen`.
static bool canJoin(uint64_t state, unsigned place, uint32_t seen) {
  return place < sharersOf(state) && numberOf(state) != seen;
}

/// How many threads share the run that the worker joined; 0 if it did not.
unsigned ThreadPool::join(unsigned place, uint32_t &seen) {
  uint64_t now = state.load(std::memory_order_acquire);
  while (canJoin(now, place, seen))
    if (state.compare_exchange_weak(now, now + kOneWorker,
                                    std::memory_order_acq_rel)) {
      seen = numberOf(now);
      return sharersOf(now);
    }
  return 0;
}

void ThreadPool::leave() {
  uint64_t before = state.fetch_sub(kOneWorker);
  // Only the last worker of a closed run may be waited for.
  if (workersIn(before) == 1 && sharersOf(before) == 0 &&
      callerSleeps.exchange(0))
    wakeAll(callerSleeps, ~0u);
}

void ThreadPool::waitForRun(unsigned place, uint32_t seen) {
  auto isMet = [&] {
    return canJoin(state.load(), place, seen) || stopping.load();
  };
  // Where the caller runs, it would take the processor from the caller.
  bool isApart =
      ::sched_getcpu() != callersProcessor.load(std::memory_order_relaxed);
  if (isApart && spin(spinTime, isMet))
    return;
  // The caller opens the run first, then asks who sleeps; here it is the other
  // way round, so that one of both sees the other.
  std::atomic<bool> &asleep = shares[place].asleep;
  asleep = true;
  uint32_t number = numberOf(state.load());
  if (!isMet())
    sleepOn(wake, number, wakeBit(place));
  asleep.store(false, std::memory_order_relaxed);
}

/// Waits for the workers inside of the run, each of which has at most one index
/// left, which takes as long as one of the caller's.
void ThreadPool::waitForWorkers(std::chrono::nanoseconds ofIndex) {
  auto isMet = [&] { return workersIn(state.load()) == 0; };
  if (spin(std::min(spinTime, 2 * ofIndex + kLeastWait), isMet))
    return;
  while (true) {
    callerSleeps = 1;
    if (isMet())
      break;
    sleepOn(callerSleeps, 1, ~0u);
  }
  callerSleeps.store(0, std::memory_order_relaxed);
}

/// Computes indices, those of the own share first, until none is left; how
/// many.
int64_t ThreadPool::takeIndices(unsigned place, unsigned sharers) {
  int64_t taken = 0;
  for (unsigned i = 0; i < sharers; ++i) {
    Share &share = shares[(place + i) % sharers];
    // Nothing is written to the share of one that is done.
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      int64_t index = share.next.fetch_add(1, std::memory_order_relaxed);
      if (index >= share.end)
        break;
      task(context, index);
      ++taken;
    }
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The most threads that a run of the calling thread uses.
unsigned ThreadPool::countThreads() const {
  return mostThreads ? std::min(mostThreads, threads) : threads;
}

/// Remembers how long an index took. A thread that lost its processor takes
/// much longer than it will the next time: only several such runs count in
/// full.
static void note(Pace &pace, float nanoseconds) {
  constexpr float kMostGrowth = 4;
  float before = pace.load(std::memory_order_relaxed);
  pace.store(before > 0 ? std::min(nanoseconds, kMostGrowth * before)
                        : nanoseconds,
             std::memory_order_relaxed);
}

/// The team that runs of this thread use, or null: one that its owner uses with
/// more threads would end and start some.
Team ThreadPool::findTeam() const {
  return mostThreads <= threads ? theTeam : nullptr;
}

/// How many threads share a run of `count` indices that takes one thread this
/// long, 0 if that is unknown.
unsigned ThreadPool::countSharers(int64_t count, float nanoseconds) const {
  int64_t most = std::min<int64_t>(count, countThreads());
  if (nanoseconds > 0)
    most = std::min(most, 1 + int64_t(nanoseconds / kWorthSharingNanoseconds));
  if (nanoseconds > 0 && nanoseconds <= kWorthWakingNanoseconds &&
      !findTeam() && findSleepers(unsigned(most)) != 0)
    return 1;
  return unsigned(most);
}

/// The wake-ups of those who have to be woken for a run.
uint32_t ThreadPool::findSleepers(unsigned sharers) const {
  uint32_t bits = 0;
  for (unsigned i = 1; i < sharers; ++i)
    if (shares[i].asleep.load())
      bits |= wakeBit(i);
  return bits;
}

void ThreadPool::run(int64_t newCount, Task newTask, void *newContext,
                     Pace *pace) {
  if (newCount <= 1 || threads <= 1 || mostThreads == 1) {
    for (int64_t i = 0; i < newCount; ++i)
      newTask(newContext, i);
    return;
  }
  int64_t first = 0;
  float expected =
      pace ? pace->load(std::memory_order_relaxed) * float(newCount) : 0;
  unsigned sharers = countSharers(newCount, expected);
  float worthSharing = kWorthWakingNanoseconds;
  if (paysDebt(expected, sharers)) {
    sharers = 1;
    worthSharing += 2 * expected + float(debt.load());
  }
  if (sharers == 1) {
    auto begin = Clock::now();
    float passed = 0;
    // The data may need more work than that of the last run.
    while (first < newCount && passed <= worthSharing) {
      newTask(newContext, first++);
      passed = nanosecondsSince(begin);
    }
    note(*pace, passed / float(first));
    if (first == newCount)
      return;
    sharers = countSharers(newCount - first, 0);
  }
  runFrom(first, newCount, sharers, newTask, newContext, pace);
}

/// Gives each thread a share of the indices from `first` on.
void ThreadPool::divide(int64_t first, int64_t count, unsigned sharers) {
  const int64_t left = count - first;
  for (unsigned i = 0; i < sharers; ++i) {
    shares[i].next.store(first, std::memory_order_relaxed);
    first += left / sharers + (i < left % sharers);
    shares[i].end = first;
  }
}

ThreadPool::Progress ThreadPool::runOnWorkers(unsigned sharers) {
  if (workers.empty())
    workers = startThreads(threads - 1, [this] { work(++started); });
  auto begin = Clock::now();
  callersProcessor.store(::sched_getcpu(), std::memory_order_relaxed);
  uint32_t number = numberOf(state.load(std::memory_order_relaxed)) + 1;
  wake = number;
  state = uint64_t(number) << 32 | sharers * kOneSharer;
  if (uint32_t sleepers = findSleepers(sharers))
    wakeAll(wake, sleepers);
  int64_t taken = takeIndices(0, sharers);
  float passed = nanosecondsSince(begin);
  // Closes the run.
  if (workersIn(state.fetch_and(~(0xffff * kOneSharer))) != 0)
    waitForWorkers(std::chrono::nanoseconds(int64_t(passed) /
                                            std::max<int64_t>(taken, 1)));
  return {taken, passed};
}

/// A run as the threads of a team see it.
struct ThreadPool::TeamRun {
  ThreadPool &pool;
  unsigned sharers, members;
  std::thread::id caller;
  Clock::time_point begin;
  Progress progress;
};

void ThreadPool::joinAsMember(void *teamRun) {
  TeamRun &run = *static_cast<TeamRun *>(teamRun);
  if (std::this_thread::get_id() == run.caller) {
    int64_t taken = run.pool.takeIndices(0, run.sharers);
    run.progress = {taken, nanosecondsSince(run.begin)};
    return;
  }
  // The share that this thread had before, if it can have that again.
  static thread_local unsigned before = 0;
  for (unsigned i = 0; i + 1 < run.members; ++i) {
    unsigned place = 1 + (before + i) % (run.members - 1);
    if (run.pool.shares[place].claimed.exchange(true))
      continue;
    before = place - 1;
    if (place < run.sharers)
      run.pool.takeIndices(place, run.sharers);
    return;
  }
}

ThreadPool::Progress ThreadPool::runOnTeam(Team team, unsigned sharers) {
  // Always as many members: teams of changing sizes end and start threads.
  TeamRun run{*this,        sharers, countThreads(), std::this_thread::get_id(),
              Clock::now(), {}};
  for (unsigned i = 1; i < run.members; ++i)
    shares[i].claimed.store(false, std::memory_order_relaxed);
  team(joinAsMember, &run, run.members, 0);
  return run.progress;
}

void ThreadPool::runFrom(int64_t first, int64_t count, unsigned sharers,
                         Task newTask, void *newContext, Pace *pace) {
  std::lock_guard oneAtATime(oneCaller);
  task = newTask;
  context = newContext;
  divide(first, count, sharers);
  auto begin = Clock::now();
  Team team = findTeam();
  auto [taken, passed] =
      team ? runOnTeam(team, sharers) : runOnWorkers(sharers);
  if (!pace || taken == 0)
    return;
  float each = passed / float(taken);
  note(*pace, each);
  auto lost = int64_t(nanosecondsSince(begin) - each * float(count - first));
  if (lost > kLostProcessorNanoseconds)
    owe(lost);
}
