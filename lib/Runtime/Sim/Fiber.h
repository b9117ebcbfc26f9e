//===- Fiber.h - stacks and the switch between them -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The smallest thing that can stop inside a function and continue later.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_FIBER_H
#define CONV_LIB_RUNTIME_SIM_FIBER_H

#include <cstddef>
#include <cstdint>

namespace conv::runtime::sim {

/// Saves the registers that a call preserves on the current stack, stores its
/// pointer in `*from`, and continues with the stack `to`.
extern "C" void conv_sim_switch(void **from, void *to);

/// Stacks of equal size, each above a guard page that faults.
class FiberStacks {
public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  ~FiberStacks();

  /// Allocates `count` stacks. False if the system has no memory.
  bool reserve(uint32_t count);

  /// A stack pointer that, when switched to, calls `entry(argument)`. `entry`
  /// must not return.
  void *prepare(uint32_t index, void (*entry)(void *), void *argument) const;

  bool contains(uint32_t index, uint64_t address, uint64_t bytes) const;

private:
  uint8_t *memory = nullptr;
  uint32_t capacity = 0;
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_FIBER_H
