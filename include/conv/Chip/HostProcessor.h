//===- HostProcessor.h - facts about processors -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_HOSTPROCESSOR_H
#define CONV_CHIP_HOSTPROCESSOR_H

#include <cstdint>
#include <string_view>

namespace conv {

/// The level of processors that code of the host is compiled for.
struct HostProcessor {
  std::string_view level;  ///< "x86-64-v3", as LLVM and GCC spell it.
  int64_t vectorLanes;     ///< f32 elements of a vector register.
  int64_t firstCacheBytes; ///< Data cache next to a core.
  int64_t leastMaskedBits; ///< Narrowest elements that loads with a mask have.
};

} // namespace conv

#endif // CONV_CHIP_HOSTPROCESSOR_H
