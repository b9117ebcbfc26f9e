//===- StagedLoop.h - main loops of staged_gemm -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules name the main loop, and so do models, which see no IR. This file
// therefore includes none.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_STAGEDLOOP_H
#define CONV_DIALECT_CONV_IR_STAGEDLOOP_H

#include <string_view>
#include <utility>

namespace conv {

/// How work-items of `staged_gemm` bring tiles to shared memory: through
/// registers, or by asynchronous copies.
enum class StagedLoop { Registers, Async };

/// All main loops of `staged_gemm`, with their names in schedules.
inline constexpr std::pair<StagedLoop, std::string_view> kStagedLoops[] = {
    {StagedLoop::Registers, "register_staged"},
    {StagedLoop::Async, "async_staged"},
};

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_STAGEDLOOP_H
