//===- ThreadsTest.cpp - as many threads as there are -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Threads.h"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

using namespace conv;

TEST(Threads, EachCallsTheWork) {
  std::atomic<int> calls = 0;
  startThreads(8, [&] { ++calls; }).clear(); // Joins them.
  EXPECT_EQ(calls, 8);
}

TEST(Threads, ProcessorsAreThoseOfTheProcess) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(countProcessors(), unsigned(CPU_COUNT(&all)));
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(countProcessors(), 1u);
  EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

TEST(Threads, TheSecondCacheIsThatOfTheSystem) {
  // Processors of several kinds of cores have caches of several sizes.
  std::set<int64_t> sizes;
  for (int cpu = 0;; ++cpu) {
    std::string text;
    std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                  "/cache/index2/size") >>
        text;
    if (text.empty() || text.back() != 'K')
      break;
    sizes.insert(std::stoll(text) << 10);
  }
  int64_t bytes = readSecondCacheBytes();
  if (sizes.empty() || bytes == 0)
    GTEST_SKIP() << "the system does not say";
  EXPECT_TRUE(sizes.contains(bytes)) << bytes;
}

TEST(Threads, FewerStartWhereTheirStacksDoNotFit) {
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit stack;
  getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_cur == RLIM_INFINITY)
    GTEST_SKIP() << "stacks have no size here";
  rlimit small{pages * sysconf(_SC_PAGESIZE) + 20 * stack.rlim_cur,
               before.rlim_max};
  std::atomic<bool> stop = false;
  setrlimit(RLIMIT_AS, &small);
  std::vector<std::jthread> threads =
      startThreads(64, [&] { stop.wait(false); });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LT(threads.size(), 64u);
  stop = true;
  stop.notify_all();
}
