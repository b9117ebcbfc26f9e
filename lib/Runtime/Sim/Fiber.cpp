//===- Fiber.cpp - stacks and the switch between them ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch follows the System V ABI for x86-64: six registers and the stack
// pointer. It ends in an indirect jump rather than a return, which would be
// mispredicted every time.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstring>
#include <sys/mman.h>

using namespace conv::runtime::sim;

#ifndef __x86_64__
#error "the simulator switches stacks with x86-64 instructions"
#endif

asm(R"(
.text
.p2align 4
.globl conv_sim_switch
.hidden conv_sim_switch
.type conv_sim_switch, @function
conv_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size conv_sim_switch, .-conv_sim_switch

.p2align 4
.globl conv_sim_start
.hidden conv_sim_start
.type conv_sim_start, @function
conv_sim_start:
  movq %r12, %rdi
  callq *%rbx
  ud2
.size conv_sim_start, .-conv_sim_start
)");

extern "C" void conv_sim_start();

// The compiler bounds a kernel's own frame (maxStackBytes in lib/Backend/Sim);
// the rest is for the machine's functions that run on the same stack.
static constexpr size_t stackBytes = 192 * 1024;
static constexpr size_t guardBytes = 4096;
static constexpr size_t slotBytes = stackBytes + guardBytes;

FiberStacks::~FiberStacks() {
  if (memory)
    munmap(memory, slotBytes * capacity);
}

bool FiberStacks::reserve(uint32_t count) {
  if (count <= capacity)
    return true;
  void *fresh = mmap(nullptr, slotBytes * count, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED)
    return false;
  if (memory)
    munmap(memory, slotBytes * capacity);
  memory = static_cast<uint8_t *>(fresh);
  capacity = count;
  for (uint32_t i = 0; i < count; ++i)
    if (mprotect(memory + i * slotBytes, guardBytes, PROT_NONE) != 0)
      return false;
  return true;
}

void *FiberStacks::prepare(uint32_t index, void (*entry)(void *),
                           void *argument) const {
  // Stack tops differ in their cache lines, as all fibers have the same depth.
  size_t stagger = index * 13 % 64 * 64;
  uint8_t *top = memory + (index + 1) * slotBytes - stagger;
  void *saved[] = {/*r15=*/nullptr,
                   /*r14=*/nullptr,
                   /*r13=*/nullptr,
                   /*r12=*/argument,
                   /*rbx=*/reinterpret_cast<void *>(entry),
                   /*rbp=*/nullptr,
                   /*address=*/reinterpret_cast<void *>(conv_sim_start)};
  // After the seven words are popped, the stack is aligned for a call.
  uint8_t *pointer = top - 64 - sizeof(saved);
  memcpy(pointer, saved, sizeof(saved));
  return pointer;
}

bool FiberStacks::contains(uint32_t index, uint64_t address,
                           uint64_t bytes) const {
  uint64_t begin = reinterpret_cast<uint64_t>(memory) + index * slotBytes;
  return address >= begin && address + bytes <= begin + slotBytes;
}
