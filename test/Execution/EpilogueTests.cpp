//===- EpilogueTests.cpp - what follows a convolution -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every activation with and without bias and residual, in every type, on a
// shape whose tiles have borders in both dimensions.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

static GenOptions makeBase(const std::string &command) {
  GenOptions options;
  options.command = command;
  options.n = 1;
  options.c = 9;
  options.k = 20;
  options.input = {1, 7, 5};
  options.filter = {1, 3, 3};
  options.low = options.high = {0, 1, 1};
  return options;
}

static void add(const std::string &name, const GenOptions &options) {
  addTest("Epilogue", name + "_" + options.command,
          [options] { checkEverywhere(generateText(options)); });
}

void test::addEpilogueTests() {
  for (const char *command : kCommands) {
    GenOptions bias = makeBase(command);
    bias.bias = true;
    add("bias", bias);
    GenOptions residual = makeBase(command);
    residual.residual = true;
    add("residual", residual);
    GenOptions scale = makeBase(command);
    scale.scale = 0.5;
    scale.outputType = "f32";
    add("scale", scale);
    for (const char *activation : {"relu", "relu6", "leaky_relu", "silu",
                                   "sigmoid", "gelu", "gelu_tanh"}) {
      GenOptions all = bias;
      all.residual = true;
      all.activation = activation;
      add(std::string("bias_residual_") + activation, all);
    }
  }
}
