//===- DynamicFlags.cpp - lines of dynamic convolutions ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar is the one of `problem` in a manifest.
//
//===----------------------------------------------------------------------===//

#include "DynamicFlags.h"

#include "CommandLine.h"
#include "FlagGroup.h"

using namespace conv;
using namespace conv::tools;

bool tools::isDynamic(const std::string &word) {
  return word.starts_with("dynamic_") && !isState(word);
}

bool tools::isState(const std::string &word) {
  return word == "causal_update" || word == "final_state" ||
         word == "dynamic_backward_state";
}

/// i32 or i64; the flag without a value means i32.
static void addNumbers(FlagGroup &problem, const std::string &flag,
                       std::string &type, const std::string &help) {
  problem.addText(flag, type, help + "; i32 (default) or i64")
      ->expected(0, 1)
      ->default_str("i32")
      ->check(isOneOf({"i32", "i64"}));
}

static void addNormalization(FlagGroup &problem, std::string &kind) {
  problem.addChoice("--normalize", kind, {"none", "softmax", "l2"},
                    "What becomes of kernels: none, softmax or l2");
}

static void addUpdateFlags(FlagGroup &problem, StateGenOptions &options) {
  problem.addInteger("-t,--tokens", options.t, 1, "Tokens of a step");
  problem.addInteger("-w,--taps", options.w = 4, 1, "Taps of a filter");
  problem.addSize("-s,--states", options.s, 1, kRunTimeSize,
                  "States (default: one for each sequence)");
  problem.addInteger("-l,--length", options.l, 1,
                     "Tokens of a state (default: taps without one)");
  addNumbers(problem, "--positions", options.positions, "States are rings");
  addNumbers(problem, "--indices", options.indices,
             "Sequences choose their states");
}

static void addFinalFlags(FlagGroup &problem, StateGenOptions &options) {
  problem.addSize("-t,--tokens", options.t, 1, kRunTimeSize,
                  "Tokens of a sequence; ? for any number");
  problem.addInteger("-p,--past", options.p = 3, 1, "Tokens of a state");
  problem.addSize("-s,--states", options.s, 1, kRunTimeSize,
                  "States of a cache (default: one for each sequence)");
  addNumbers(problem, "--indices", options.indices,
             "Sequences go into a cache, each into its row");
  problem.addInteger("--cu_seqlens", options.starts, 2,
                     "Elements of cu_seqlens: one more than packed sequences");
  problem.addFlag("--i64", options.wideStarts, "cu_seqlens is of i64");
  problem.addFlag("--initial_state", options.initialState,
                  "The tokens before the first ones are an argument");
}

static void addGradientFlags(FlagGroup &problem, StateGenOptions &options) {
  problem.addSize("-t,--tokens", options.t, 1, kRunTimeSize,
                  "Tokens of a sequence; ? for any number");
  problem.addInteger("-g,--groups", options.g, 1,
                     "Groups of channels that share kernels (default: each "
                     "channel has its own)");
  problem.addInteger("-w,--taps", options.w = 4, 1, "Taps of a kernel");
  problem.addChoice("--order", options.order, {"BTGW", "BTWG"},
                    "Order of the kernels' dimensions: BTGW or BTWG");
  problem.addFlag("--one_kernel", options.oneKernel,
                  "All tokens have one kernel");
  problem.addInteger("--cu_seqlens", options.starts, 2,
                     "Elements of cu_seqlens: one more than packed sequences");
  problem.addFlag("--i64", options.wideStarts, "cu_seqlens is of i64");
  addNormalization(problem, options.normalize);
}

void tools::addStateFlags(CLI::App &app, const std::string &word,
                          StateGenOptions &options) {
  app.add_option("COMMAND", options.op, word)->required();
  app.add_option("TYPE", options.type, "f32, f16, bf16 or i8")
      ->required()
      ->check(isOneOf({"f32", "f16", "bf16", "i8"}));
  FlagGroup problem(app, "Problem (as in a manifest)");
  problem.addSize("-b,--batch", options.b, 1, kRunTimeSize,
                  "Sequences; ? for any number");
  problem.addInteger("-d,--channels", options.d, 1, "Channels");
  if (word == "causal_update")
    addUpdateFlags(problem, options);
  else if (word == "final_state")
    addFinalFlags(problem, options);
  else
    addGradientFlags(problem, options);
}

void tools::addDynamicFlags(CLI::App &app, DynamicGenOptions &options) {
  app.add_option("COMMAND", options.direction,
                 "dynamic_forward, dynamic_backward_input or "
                 "dynamic_backward_kernel")
      ->required()
      ->check(isOneOf({"dynamic_forward", "dynamic_backward_input",
                       "dynamic_backward_kernel"}));
  app.add_option("TYPE", options.type, "f32, f16, bf16 or i8")
      ->required()
      ->check(isOneOf({"f32", "f16", "bf16", "i8"}));
  FlagGroup problem(app, "Problem (as in a manifest)");
  problem.addSize("-b,--batch", options.b, 1, kRunTimeSize,
                  "Sequences; ? for any number");
  problem.addSize("-t,--tokens", options.t, 1, kRunTimeSize,
                  "Tokens of a sequence; ? for any number");
  problem.addInteger("-d,--channels", options.d, 1, "Channels");
  problem.addInteger("-g,--groups", options.g, 1,
                     "Groups of channels that share kernels (default: each "
                     "channel has its own)");
  problem.addInteger("-w,--taps", options.w, 1, "Taps of a kernel");
  problem.addChoice("--order", options.order, {"BTGW", "BTWG"},
                    "Order of the kernels' dimensions: BTGW or BTWG");
  problem.addSize("--cu_seqlens", options.starts, 2, kRunTimeSize,
                  "Elements of cu_seqlens: one more than packed sequences");
  problem.addFlag("--i64", options.wideStarts, "cu_seqlens is of i64");
  problem.addFlag("--one_kernel", options.oneKernel,
                  "All tokens have one kernel");
  problem.addFlag("--initial_state", options.initialState,
                  "The tokens before the first ones are an argument");
  addNormalization(problem, options.normalize);
}
