//===- MainLoop.h - names of main loops -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules, cost models and kernel families all name main loops, and cost
// models do not use IR. The enum and its names are therefore here, for all.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_MAINLOOP_H
#define CONV_DIALECT_CONV_IR_MAINLOOP_H

#include <string_view>
#include <utility>

namespace conv {

enum class MainLoop {
  RegisterStaged,
  HostCache,
  Tma,
  LineBuffer,
  Direct,
  DirectReduction,
  AsyncStaged,
  WeightStationary,
  DirectMatrix
};

/// All main loops, with their names in schedules.
inline constexpr std::pair<MainLoop, std::string_view> kMainLoops[] = {
    {MainLoop::RegisterStaged, "register_staged"},
    {MainLoop::HostCache, "host_cache"},
    {MainLoop::Tma, "tma"},
    {MainLoop::LineBuffer, "line_buffer"},
    {MainLoop::Direct, "direct"},
    {MainLoop::DirectReduction, "direct_reduction"},
    {MainLoop::AsyncStaged, "async_staged"},
    {MainLoop::WeightStationary, "weight_stationary"},
    {MainLoop::DirectMatrix, "direct_matrix"},
};

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_MAINLOOP_H
