//===- WorkgroupQueue.h - workgroups of a launch ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_WORKGROUPQUEUE_H
#define CONV_LIB_RUNTIME_SIM_WORKGROUPQUEUE_H

#include "Workgroup.h"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace conv::runtime::sim {

/// Hands out the workgroups of a launch and keeps the first error.
class WorkgroupQueue {
public:
  explicit WorkgroupQueue(std::array<uint32_t, 3> grid)
      : grid(grid), count(uint64_t(grid[0]) * grid[1] * grid[2]) {}

  void work(Workgroup &worker) {
    while (!hasFailed) {
      uint64_t linear = next++;
      if (linear >= count)
        return;
      std::optional<Error> error = worker.run(
          {uint32_t(linear % grid[0]), uint32_t(linear / grid[0] % grid[1]),
           uint32_t(linear / grid[0] / grid[1])});
      if (error)
        fail(linear, *error);
    }
  }
  uint64_t size() const { return count; }
  const std::optional<Error> &getError() const { return error; }

private:
  /// Of several, the error of the first workgroup is kept.
  void fail(uint64_t linear, const Error &newError) {
    std::lock_guard lock(errorMutex);
    hasFailed = true;
    if (error && linear > errorPlace)
      return;
    error = newError;
    errorPlace = linear;
  }

  const std::array<uint32_t, 3> grid;
  const uint64_t count;
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> hasFailed = false;
  std::mutex errorMutex;
  std::optional<Error> error;
  uint64_t errorPlace = 0;
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_WORKGROUPQUEUE_H
