//===- Threads.h - as many threads as there are -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_THREADS_H
#define CONV_SUPPORT_THREADS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace conv {

/// The number of processors that this process may use, at least one: fewer than
/// the machine has under `taskset`, Slurm or in a container with a set of them.
unsigned countProcessors();

/// Bytes of the second cache of a core, as the system reports them; 0 if it
/// does not.
int64_t readSecondCacheBytes();

/// Starts `count` threads that call `work`, or as many as the system grants: a
/// caller must be able to do all the work alone.
std::vector<std::jthread> startThreads(size_t count,
                                       const std::function<void()> &work);

} // namespace conv

#endif // CONV_SUPPORT_THREADS_H
