//===- DynamicFlags.cpp - lines of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar is that of the `problem` in a manifest.
//
//===----------------------------------------------------------------------===//

#include "DynamicFlags.h"

#include "FlagGroup.h"

using namespace conv;
using namespace conv::tools;

bool tools::isDynamic(const std::string &word) {
  return word.starts_with("dynamic_");
}

void tools::addDynamicFlags(CLI::App &app, DynamicGenOptions &options) {
  app.add_option("COMMAND", options.direction,
                 "dynamic_forward, dynamic_backward_input or "
                 "dynamic_backward_kernel")
      ->required()
      ->check(CLI::IsMember({"dynamic_forward", "dynamic_backward_input",
                             "dynamic_backward_kernel"}));
  app.add_option("TYPE", options.type, "f32, f16, bf16 or i8")
      ->required()
      ->check(CLI::IsMember({"f32", "f16", "bf16", "i8"}));
  FlagGroup problem(app, "Problem (as in a manifest)");
  problem.addInteger("-b,--batch", options.b, 1, "Sequences");
  problem.addInteger("-t,--tokens", options.t, 1, "Tokens of a sequence");
  problem.addInteger("-d,--channels", options.d, 1, "Channels");
  problem.addInteger("-g,--groups", options.g, 1,
                     "Groups of channels that share kernels (default: each "
                     "channel has its own)");
  problem.addInteger("-w,--taps", options.w, 1, "Taps of a kernel");
  problem.addChoice("--order", options.order, {"BTGW", "BTWG"},
                    "Order of the kernels' dimensions: BTGW or BTWG");
  problem.addInteger("--cu_seqlens", options.starts, 2,
                     "Elements of cu_seqlens: one more than packed sequences");
  problem.addFlag("--i64", options.wideStarts, "cu_seqlens is of i64");
  problem.addFlag("--one_kernel", options.oneKernel,
                  "All tokens have one kernel");
  problem.addFlag("--initial_state", options.initialState,
                  "The tokens before the first ones are an argument");
}
