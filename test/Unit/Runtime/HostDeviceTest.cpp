//===- HostDeviceTest.cpp - the host device and its parts -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArtifact.h"

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/LoadedObject.h"
#include "conv/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace conv;
using namespace conv::runtime;
using conv::test::readObject;

/// Launches `visit` on this many threads and expects each workgroup once.
static void expectEveryWorkgroupOnce(unsigned threads, uint32_t gridZ) {
  auto device = createHostDevice(threads);
  ASSERT_TRUE(device);
  auto module = (*device)->loadModule(readObject("kernels"), "kernels");
  ASSERT_TRUE(module) << module.error().message;
  auto kernel = (*module)->kernel("visit");
  ASSERT_TRUE(kernel);
  std::vector<int32_t> counts(15 * gridZ, 0);
  void *address = counts.data(), *parameters[] = {&address};
  LaunchShape shape{{5, 3, gridZ}, {1, 1, 1}, 0};
  for (int repeat = 1; repeat <= 50; ++repeat) {
    ASSERT_TRUE((*kernel)->launch(shape, parameters, nullptr));
    EXPECT_EQ(std::set<int32_t>(counts.begin(), counts.end()),
              std::set<int32_t>{repeat});
  }
}

TEST(HostDevice, RunsEveryWorkgroupOnce) {
  for (unsigned threads : {1u, 2u, 7u})
    for (uint32_t gridZ : {1u, 40u})
      expectEveryWorkgroupOnce(threads, gridZ);
}

TEST(HostDevice, HasThreadsAsComputeUnits) {
  auto device = createHostDevice(3);
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->computeUnits(), 3u);
}

TEST(HostDevice, AllocatesAlignedMemory) {
  auto device = createHostDevice(1);
  ASSERT_TRUE(device);
  for (int64_t bytes : {1, 255, 4097}) {
    auto buffer = (*device)->allocate(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*buffer)->address()) % 256, 0u);
    EXPECT_EQ((*buffer)->bytes(), bytes);
  }
  auto tooMuch = (*device)->allocate(INT64_MAX);
  ASSERT_FALSE(tooMuch);
  EXPECT_EQ(tooMuch.error().kind, ErrorKind::System);
  EXPECT_EQ(tooMuch.error().message,
            "cannot allocate 9223372036854775807 bytes");
}

TEST(HostDevice, EventsMeasureTime) {
  auto device = createHostDevice(1);
  ASSERT_TRUE(device);
  auto start = (*device)->createEvent(), stop = (*device)->createEvent();
  ASSERT_TRUE((*device)->record(**start, nullptr));
  timespec pause{0, 2000000};
  nanosleep(&pause, nullptr);
  ASSERT_TRUE((*device)->record(**stop, nullptr));
  auto time = (*device)->elapsedMilliseconds(**start, **stop);
  ASSERT_TRUE(time);
  EXPECT_GE(*time, 2.0);
}

TEST(HostDevice, NamesAKernelThatIsMissing) {
  auto device = createHostDevice(1);
  auto module = (*device)->loadModule(readObject("kernels"), "'k.so'");
  auto kernel = (*module)->kernel("none");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message, "'k.so' has no kernel 'none'");
}

TEST(HostDevice, ChecksTheProcessor) {
  auto device = createHostDevice(1);
  auto module = (*device)->loadModule(readObject("kernels_any_cpu"), "'k.so'");
  EXPECT_TRUE(module) << module.error().message;
  module = (*device)->loadModule(readObject("kernels_bf16_cpu"), "'k.so'");
  EXPECT_EQ(bool(module), (*device)->targets().front() == "host_v4_bf16");
  module = (*device)->loadModule(readObject("kernels_future_cpu"), "'k.so'");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().kind, ErrorKind::System);
  EXPECT_EQ(module.error().message,
            "'k.so' expects a processor of level x86-64-v9, but this version "
            "does not know that level");
}

TEST(LoadedObject, RefusesOtherBytes) {
  std::string good = readObject("kernels");
  std::string amdgpu = good;
  amdgpu[18] = char(224); // e_machine of an AMD GPU.
  for (const std::string &code :
       {std::string(), std::string("text"), amdgpu, good.substr(0, 63)}) {
    auto object = LoadedObject::load(code, "'x.so'");
    ASSERT_FALSE(object);
    EXPECT_EQ(object.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(object.error().message,
              "expects 'x.so' to be an x86-64 ELF shared object");
  }
  auto cut = LoadedObject::load(good.substr(0, 200), "'x.so'");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message.find("cannot load 'x.so': "), 0u);
}

TEST(LoadedObject, ObjectsAreApart) {
  // Two objects, one after the other and both at once, must not be confused
  // although the loader sees equal paths.
  std::string code = readObject("kernels"),
              other = readObject("kernels_any_cpu");
  for (int i = 0; i < 3; ++i) {
    auto first = LoadedObject::load(code, "first");
    ASSERT_TRUE(first);
    EXPECT_EQ((*first)->symbol("conv_cpu"), nullptr);
    auto second = LoadedObject::load(other, "second");
    ASSERT_TRUE(second);
    EXPECT_NE((*second)->symbol("conv_cpu"), nullptr);
    EXPECT_NE((*first)->symbol("visit"), (*second)->symbol("visit"));
    first->reset();
    auto third = LoadedObject::load(other, "third");
    ASSERT_TRUE(third);
    EXPECT_NE((*third)->symbol("conv_cpu"), nullptr);
  }
}

/// Pools whose threads look for work before they sleep, and do not.
class ThreadPools : public testing::TestWithParam<std::chrono::microseconds> {};

INSTANTIATE_TEST_SUITE_P(SpinTimes, ThreadPools,
                         testing::Values(std::chrono::microseconds(0),
                                         std::chrono::microseconds(300)),
                         [](const auto &info) {
                           return info.param.count() ? "Spin" : "Sleep";
                         });

TEST_P(ThreadPools, ComputeEachIndexOnce) {
  for (unsigned threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads, GetParam());
    Pace pace = 0;
    for (int64_t count : {0, 1, 2, 3, 4, 7, 13, 64, 1009})
      for (unsigned most : {0, 1, 2, 3})
        for (Pace *known : {static_cast<Pace *>(nullptr), &pace}) {
          limitThreads(most);
          std::vector<std::atomic<int>> calls(count);
          pool.run(
              count,
              [](void *context, int64_t index) {
                ++(*static_cast<decltype(&calls)>(context))[index];
              },
              &calls, known);
          for (int64_t i = 0; i < count; ++i)
            ASSERT_EQ(calls[i], 1) << threads << ' ' << count << ' ' << most;
        }
  }
  limitThreads(0);
}

TEST_P(ThreadPools, ServeSeveralCallers) {
  ThreadPool pool(3, GetParam());
  auto add = [](void *context, int64_t index) {
    static_cast<std::atomic<int64_t> *>(context)->fetch_add(index);
  };
  auto callMany = [&] {
    for (int i = 0; i < 200; ++i) {
      std::atomic<int64_t> sum{0};
      pool.run(100, add, &sum);
      EXPECT_EQ(sum, 4950);
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back(callMany);
  for (std::thread &caller : callers)
    caller.join();
}

/// The threads that ran a task, of which each index takes this long.
static std::set<std::thread::id> threadsOf(ThreadPool &pool, Pace *pace,
                                           std::chrono::microseconds each) {
  struct {
    std::mutex mutex;
    std::set<std::thread::id> ids;
    std::chrono::microseconds each;
    std::atomic<int64_t> sum{0};
  } seen{{}, {}, each};
  pool.run(
      8,
      [](void *context, int64_t index) {
        auto *to = static_cast<decltype(&seen)>(context);
        if (to->each.count() > 0)
          std::this_thread::sleep_for(to->each);
        to->sum += index;
        std::lock_guard lock(to->mutex);
        to->ids.insert(std::this_thread::get_id());
      },
      &seen, pace);
  EXPECT_EQ(seen.sum, 28);
  return seen.ids;
}

TEST(ThreadPool, ShortRunsStayOnTheCallersThread) {
  using std::chrono::microseconds;
  ThreadPool pool(3);
  Pace pace = 0;
  const std::set<std::thread::id> alone{std::this_thread::get_id()};
  EXPECT_GT(threadsOf(pool, &pace, microseconds(5000)).size(), 1u);
  EXPECT_GE(pace, 5e6f);
  EXPECT_GT(threadsOf(pool, &pace, microseconds(5000)).size(), 1u);
  pace = 1; // As after a short run. A longer one wakes workers on the way.
  EXPECT_GT(threadsOf(pool, &pace, microseconds(5000)).size(), 1u);
  EXPECT_LE(pace, 16); // One long run may be an accident.
  pace = 2e6;
  EXPECT_GT(threadsOf(pool, &pace, microseconds(5000)).size(), 1u);
  EXPECT_GE(pace, 5e6f);
  // Others may have the processor for a while: then the run is not short.
  bool isAlone = false;
  for (int i = 0; i < 100 && !isAlone; ++i) {
    pace = 1;
    isAlone = threadsOf(pool, &pace, microseconds(0)) == alone;
  }
  EXPECT_TRUE(isAlone);
}

/// Where indices of a task ran.
struct Places {
  std::array<std::atomic<std::thread::id>, 64> of{};

  static void note(void *context, int64_t index) {
    // So long that all threads take part.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    static_cast<Places *>(context)->of[index] = std::this_thread::get_id();
  }
};

TEST_P(ThreadPools, ShareNeighbours) {
  // What a thread wrote is in its own caches in the next run. Threads that lost
  // their processor leave indices to others, but not always.
  ThreadPool pool(2, GetParam());
  int most = 0;
  for (int run = 0; run < 100 && most < 48; ++run) {
    Places places;
    pool.run(64, Places::note, &places);
    int kept = 0;
    for (int i = 0; i < 64; ++i)
      kept += (places.of[i] == std::this_thread::get_id()) == (i < 32);
    most = std::max(most, kept);
  }
  EXPECT_GE(most, 48);
}

static std::chrono::nanoseconds processorTime() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

TEST_P(ThreadPools, SleepWithoutWork) {
  using std::chrono::milliseconds;
  ThreadPool pool(2, GetParam());
  Places places;
  pool.run(64, Places::note, &places);
  std::this_thread::sleep_for(milliseconds(50));
  auto before = processorTime();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT(processorTime() - before, milliseconds(20));
}

/// Processor time of the threads of a pool from the end of a run until all of
/// them sleep.
static std::chrono::nanoseconds timeAfterRun(ThreadPool &pool) {
  Places places;
  pool.run(64, Places::note, &places);
  auto before = processorTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return processorTime() - before;
}

/// Keeps the calling thread, and those that it starts, on one processor, which
/// `moveTo` changes for the calling thread alone.
class OnProcessor {
public:
  OnProcessor() { ::sched_getaffinity(0, sizeof(before), &before); }
  ~OnProcessor() { ::sched_setaffinity(0, sizeof(before), &before); }

  /// The n-th of those that the thread may use.
  void moveTo(int n) {
    int processor = 0;
    while (!CPU_ISSET(processor, &before) || n-- > 0)
      ++processor;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  }

private:
  cpu_set_t before;
};

TEST(ThreadPool, ThreadsSpinForATime) {
  using std::chrono::microseconds;
  if (countProcessors() < 2)
    GTEST_SKIP() << "needs two processors";
  constexpr microseconds SPIN(2000), LEAST(1000), MOST(3000);
  // A worker on the caller's processor sleeps at once, and the system puts it
  // there while other programs use the rest. They may take the worker's as
  // well, for a part of the time.
  std::chrono::nanoseconds spun{0};
  for (int i = 0; i < 500 && spun < LEAST; ++i) {
    ThreadPool pool(2, SPIN);
    Places places;
    OnProcessor here;
    here.moveTo(1);
    pool.run(64, Places::note, &places);
    here.moveTo(0);
    spun = timeAfterRun(pool);
  }
  EXPECT_GE(spun, LEAST);
  EXPECT_LT(spun, MOST);
}

TEST(ThreadPool, ThreadsWithoutProcessorsSleep) {
  using std::chrono::milliseconds;
  std::chrono::nanoseconds least = milliseconds(100);
  for (int i = 0; i < 20; ++i) {
    ThreadPool pool(countProcessors() + 1, milliseconds(10));
    least = std::min(least, timeAfterRun(pool));
  }
  EXPECT_LT(least, milliseconds(2));
}

/// A task on threads of which one loses its processor for a while.
struct Interrupted {
  std::thread::id caller;
  bool isInterrupted;
  std::atomic<int> elsewhere{0};

  static void note(void *context, int64_t) {
    auto *to = static_cast<Interrupted *>(context);
    auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin <
           std::chrono::microseconds(20))
      ;
    if (std::this_thread::get_id() == to->caller)
      return;
    ++to->elsewhere;
    if (to->isInterrupted)
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
};

TEST(ThreadPool, LoadedMachinesShareLess) {
  ThreadPool pool(2, std::chrono::microseconds(300));
  Pace pace = 0;
  auto isShared = [&](bool isInterrupted) {
    Interrupted seen{std::this_thread::get_id(), isInterrupted, {}};
    pool.run(16, Interrupted::note, &seen, &pace);
    return seen.elsewhere > 0;
  };
  int shared = 0;
  for (int i = 0; i < 200; ++i)
    shared += isShared(/*isInterrupted=*/true);
  EXPECT_LT(shared, 40);
  // Once what was lost is paid, others take part again: at most a second is
  // owed, and each run pays some 160 us.
  bool isSharedAgain = false;
  for (int i = 0; i < 20000 && !isSharedAgain; ++i)
    isSharedAgain = isShared(/*isInterrupted=*/false);
  EXPECT_TRUE(isSharedAgain);
}

TEST_P(ThreadPools, ServeChildrenOfFork) {
  ThreadPool pool(2, GetParam());
  Places places;
  pool.run(64, Places::note, &places);
  for (int i = 0; i < 20; ++i) {
    // Workers spin, sleep, or are on the way from one to the other.
    std::this_thread::sleep_for(std::chrono::microseconds(i % 10 * 50));
    pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      for (int run = 0; run < 5; ++run) {
        Places seen;
        pool.run(8, Places::note, &seen);
        for (int index = 0; index < 8; ++index)
          if (seen.of[index].load() != std::this_thread::get_id())
            ::_exit(1);
      }
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    pool.run(8, Places::note, &places);
  }
}

/// Threads of a host application. Its members come in any order.
static void runTeam(void (*member)(void *), void *context, unsigned threads,
                    unsigned flags) {
  EXPECT_EQ(flags, 0u);
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back([=] { member(context); });
  member(context);
}

/// One that grants no threads.
static void runAlone(void (*member)(void *), void *context, unsigned,
                     unsigned) {
  member(context);
}

static unsigned countThreadsOfProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:"))
      return unsigned(std::stoul(line.substr(8)));
  return 0;
}

TEST(ThreadPool, TeamsOfTheApplicationServe) {
  const unsigned before = countThreadsOfProcess();
  for (Team team : {runTeam, runAlone}) {
    ThreadPool pool(3);
    useTeam(team);
    for (unsigned most : {0, 2}) {
      limitThreads(most);
      Places places;
      pool.run(64, Places::note, &places);
      std::set<std::thread::id> threads;
      for (auto &place : places.of)
        threads.insert(place.load());
      EXPECT_EQ(threads.count(std::thread::id()), 0u);
      EXPECT_EQ(threads.count(std::this_thread::get_id()), 1u);
      EXPECT_EQ(threads.size(), team == runAlone ? 1u : most ? most : 3u);
    }
    limitThreads(0);
    EXPECT_EQ(countThreadsOfProcess(), before);
    useTeam(nullptr);
  }
}

/// The team is of the thread that lends it, and has as many threads as its
/// owner uses.
TEST(ThreadPool, TeamsServeTheirThread) {
  ThreadPool pool(2);
  useTeam(runAlone);
  auto countOthers = [&] {
    return threadsOf(pool, nullptr, std::chrono::microseconds(2000)).size() - 1;
  };
  EXPECT_EQ(countOthers(), 0u);
  limitThreads(3);
  EXPECT_EQ(countOthers(), 1u);
  limitThreads(0);
  std::jthread([&] { EXPECT_EQ(countOthers(), 1u); }).join();
  EXPECT_EQ(countOthers(), 0u);
  useTeam(nullptr);
}

static std::atomic<int> teamCalls{0};

static void countCalls(void (*member)(void *), void *context, unsigned,
                       unsigned) {
  ++teamCalls;
  member(context);
}

// Workers that other threads' runs have left asleep are not a team's.
TEST(ThreadPool, TeamsRunShortTasks) {
  ThreadPool pool(2);
  std::jthread([&] {
    threadsOf(pool, nullptr, std::chrono::microseconds(500));
  }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  useTeam(countCalls);
  int before = teamCalls;
  Pace pace = 1000; // So 8 us in all, which is not worth a wake-up.
  threadsOf(pool, &pace, std::chrono::microseconds(0));
  EXPECT_EQ(teamCalls, before + 1);
  useTeam(nullptr);
}

TEST(ThreadPool, ChildrenOfForkHaveNoTeam) {
  ThreadPool pool(2);
  useTeam(countCalls);
  Places places;
  int before = teamCalls;
  pool.run(8, Places::note, &places);
  int calls = teamCalls;
  EXPECT_EQ(calls, before + 1);
  pid_t child = ::fork();
  if (child == 0) {
    pool.run(8, Places::note, &places);
    ::_exit(teamCalls == calls ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  pool.run(8, Places::note, &places);
  EXPECT_EQ(teamCalls, calls + 1);
  useTeam(nullptr);
}

TEST(ThreadPool, CallersLimitThreads) {
  using std::chrono::microseconds;
  ThreadPool pool(4);
  auto count = [&] {
    return threadsOf(pool, nullptr, microseconds(2000)).size();
  };
  EXPECT_GT(count(), 2u);
  for (unsigned most : {1, 2}) {
    limitThreads(most);
    EXPECT_EQ(count(), most);
  }
  std::thread([&] { EXPECT_GT(count(), 2u); }).join();
  limitThreads(99);
  EXPECT_GT(count(), 2u);
  limitThreads(0);
  EXPECT_GT(count(), 2u);
}

TEST(ThreadPool, CountComesFromTheEnvironment) {
  setenv("CONV_NUM_THREADS", "3", 1);
  EXPECT_EQ(*defaultThreadCount(), 3u);
  for (const char *bad : {"0", "-1", "two", "5000", "3x"}) {
    setenv("CONV_NUM_THREADS", bad, 1);
    auto count = defaultThreadCount();
    ASSERT_FALSE(count);
    EXPECT_EQ(count.error().message,
              "expects CONV_NUM_THREADS to be 1 to 4096, but got '" +
                  std::string(bad) + "'");
  }
  unsetenv("CONV_NUM_THREADS");
  EXPECT_GE(*defaultThreadCount(), 1u);
}

TEST(ThreadPool, TimeToSpinComesFromTheEnvironment) {
  EXPECT_EQ(defaultSpinTime()->count(), 500);
  for (int value : {0, 20, 1000000}) {
    setenv("CONV_SPIN_MICROSECONDS", std::to_string(value).c_str(), 1);
    EXPECT_EQ(defaultSpinTime()->count(), value);
  }
  for (const char *bad : {"-1", "two", "1000001", "3x"}) {
    setenv("CONV_SPIN_MICROSECONDS", bad, 1);
    auto device = createHostDevice(2);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(device.error().message,
              "expects CONV_SPIN_MICROSECONDS to be 0 to 1000000, but got '" +
                  std::string(bad) + "'");
  }
  unsetenv("CONV_SPIN_MICROSECONDS");
}
