//===- Memory.h - how much the machine has ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_MEMORY_H
#define CONV_SUPPORT_MEMORY_H

#include <cstdint>
#include <unistd.h>

namespace conv {

/// The memory of this machine in bytes.
inline int64_t getMachineMemory() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGE_SIZE));
}

} // namespace conv

#endif // CONV_SUPPORT_MEMORY_H
