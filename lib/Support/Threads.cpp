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

#include <system_error>

using namespace conv;

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
