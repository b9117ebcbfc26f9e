//===- Producer.h - what brings tiles to warpgroups -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules name the producer, and so do models, which see no IR. This file
// therefore includes none.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_PRODUCER_H
#define CONV_DIALECT_CONV_IR_PRODUCER_H

#include <string_view>
#include <utility>

namespace conv {

/// How a warpgroup brings the tiles of `warpgroup_gemm` to shared memory: by
/// the copy engine; by asynchronous copies of its lanes, of 4 bytes or more; or
/// through registers, into which its lanes load elements of any alignment.
enum class Producer { CopyEngine, AsyncCopies, Registers };

/// All producers, with their names in schedules.
inline constexpr std::pair<Producer, std::string_view> kProducers[] = {
    {Producer::CopyEngine, "tma"},
    {Producer::AsyncCopies, "cp_async"},
    {Producer::Registers, "registers"},
};

inline std::string_view getName(Producer producer) {
  for (auto [each, name] : kProducers)
    if (each == producer)
      return name;
  return "";
}

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_PRODUCER_H
