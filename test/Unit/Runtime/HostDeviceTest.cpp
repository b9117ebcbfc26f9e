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

#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

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

TEST(ThreadPool, ServesSeveralCallers) {
  ThreadPool pool(3);
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
  EXPECT_GE(pace, 5e6f);
  // Others may have the processor for a while: then the run is not short.
  bool isAlone = false;
  for (int i = 0; i < 100 && !isAlone; ++i) {
    pace = 1;
    isAlone = threadsOf(pool, &pace, microseconds(0)) == alone;
  }
  EXPECT_TRUE(isAlone);
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
