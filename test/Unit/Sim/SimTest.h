//===- SimTest.h - kernels in, results out ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles kernels written in the LLVM dialect for the simulator and launches
// them, for the tests of both halves.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_SIM_SIMTEST_H
#define CONV_TEST_UNIT_SIM_SIMTEST_H

#include "conv/Runtime/Sim.h"

#include "gtest/gtest.h"

#include <optional>

namespace conv::test {

/// The object, or the compiler's error message.
struct Compiled {
  std::string object;
  std::string error;
};

/// Compiles `body`, the functions of a gpu.module, for `chip`.
Compiled compileKernels(const std::string &body, const std::string &chip);

/// A function `k` whose parameters are `count` global pointers %p0, %p1, ...
/// and that knows its work-item id as %tid (i32) and %tid64.
std::string kernelText(unsigned count, const std::string &body);

/// Launches a kernel named `k` on buffers that it registers.
class SimRun {
public:
  SimRun(std::string chip, const std::string &module,
         runtime::SimOptions options = {});

  /// Adds a buffer parameter.
  template <typename T> SimRun &buffer(std::vector<T> &data) {
    return addBuffer(data.data(), data.size() * sizeof(T));
  }
  SimRun &addBuffer(void *address, size_t bytes);
  SimRun &grid(uint32_t x, uint32_t y = 1);
  SimRun &block(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  SimRun &dynamicShared(uint32_t bytes);

  /// The error's message, or nothing.
  std::optional<std::string> launch();
  /// Launches and expects no error.
  void run();
  const runtime::SimCounters &counters() const;

private:
  std::unique_ptr<runtime::SimMachine> machine;
  std::shared_ptr<runtime::SimObject> object;
  runtime::SimMachine::Launch shape;
  std::vector<std::unique_ptr<void *>> arguments;
};

} // namespace conv::test

#endif // CONV_TEST_UNIT_SIM_SIMTEST_H
