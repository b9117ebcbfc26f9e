//===- EpilogueTests.cpp - what follows a convolution -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every activation with and without bias and residual, in every type, on a
// shape whose tiles have borders in both dimensions. Each epilogue runs on
// every chip, in one of its types.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

static GenOptions makeBase() {
  GenOptions options;
  options.n = 1;
  options.c = 9;
  options.k = 20;
  options.input = {1, 7, 5};
  options.filter = {1, 3, 3};
  options.low = options.high = {0, 1, 1};
  return options;
}

static void add(const std::string &name, GenOptions options) {
  for (const char *command : kCommands) {
    options.type = *lookupDriverCommand(command);
    addTest("Epilogue", name + "_" + command,
            [options, targets = takeTurn(kChipsOfType)] {
              checkEverywhere(generateText(options), targets);
            });
  }
}

void test::addEpilogueTests() {
  GenOptions bias = makeBase();
  bias.bias = true;
  add("bias", bias);
  GenOptions residual = makeBase();
  residual.residual = true;
  add("residual", residual);
  GenOptions scale = makeBase();
  scale.scale = 0.5;
  scale.outputType = ElementType::F32;
  add("scale", scale);
  for (const char *activation : {"relu", "relu6", "leaky_relu", "silu",
                                 "sigmoid", "gelu", "gelu_tanh"}) {
    GenOptions all = bias;
    all.residual = true;
    all.activation = activation;
    add(std::string("bias_residual_") + activation, all);
  }
}
