//===- Probes.cpp - one problem for each kind of convolution ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Probes.h"

using namespace conv;
using namespace conv::tools;

/// A 3x3 convolution in f16 whose sizes all differ.
static GenOptions makeUsual() {
  GenOptions problem;
  problem.type = ElementType::F16;
  problem.name = "probe";
  problem.n = 2;
  problem.c = 16;
  problem.k = 32;
  problem.input = {7, 9, 11};
  problem.low = {1, 1, 1};
  return problem;
}

std::vector<Probe> tools::makeProbes() {
  std::vector<Probe> probes;
  auto add = [&](const char *axis, const char *value, auto change) {
    probes.push_back({axis, value, makeUsual()});
    change(probes.back().problem);
  };
  auto addLayout = [&](const char *value, const char *input, const char *filter,
                       const char *output) {
    add("layouts", value, [&](GenOptions &p) {
      p.inputLayout = input;
      p.filterLayout = filter;
      p.outputLayout = output;
    });
  };
  add("dimensions", "1", [](GenOptions &p) { p.spatialRank = 1; });
  add("dimensions", "2", [](GenOptions &) {});
  add("dimensions", "3", [](GenOptions &p) { p.spatialRank = 3; });
  addLayout("`NHWC`, `KRSC`, `NPQK`", "NHWC", "NHWC", "NHWC");
  addLayout("`NHWC`, `RSCK`, `NPQK`", "NHWC", "HWCN", "NHWC");
  addLayout("`NCHW`, `KCRS`, `NKPQ`", "NCHW", "NCHW", "NCHW");
  addLayout("any other, like `CHWN`, `RSCK`, `NKPQ`", "CHWN", "HWCN", "NCHW");
  add("window", "stride 2", [](GenOptions &p) { p.stride = {2, 2, 2}; });
  add("window", "stride beyond the filter",
      [](GenOptions &p) { p.stride = {5, 5, 5}; });
  add("window", "dilation 2", [](GenOptions &p) { p.dilation = {2, 2, 2}; });
  add("window", "low and high padding that differ",
      [](GenOptions &p) { p.high = {2, 0, 3}; });
  add("groups", "several", [](GenOptions &p) { p.groups = 4; });
  add("groups", "as a dimension of their own", [](GenOptions &p) {
    p.groups = 4;
    p.inputLayout = p.outputLayout = "NHWGC";
    p.filterLayout = "GNHWC";
  });
  add("groups", "depthwise", [](GenOptions &p) { p.groups = p.k = p.c; });
  add("groups", "depthwise with a multiplier", [](GenOptions &p) {
    p.groups = p.c;
    p.k = 2 * p.c;
  });
  for (const char *mode : {"reflect", "replicate", "circular"})
    add("padding", mode, [&](GenOptions &p) { p.padding = mode; });
  add("result", "f32 of 16-bit operands",
      [](GenOptions &p) { p.outputType = ElementType::F32; });
  add("epilogue", "residual and activation", [](GenOptions &p) {
    p.residual = true;
    p.activation = "silu";
  });
  return probes;
}

std::vector<DynamicProbe> tools::makeDynamicProbes() {
  std::vector<DynamicProbe> probes;
  auto add = [&](const char *axis, const std::string &value, auto change) {
    DynamicGenOptions usual;
    usual.type = "bf16";
    usual.name = "probe";
    usual.t = 37;
    usual.d = 64;
    change(usual);
    probes.push_back({axis, value, usual});
  };
  for (const char *order : {"BTGW", "BTWG"})
    add("order", "`" + std::string(order) + "`",
        [&](DynamicGenOptions &p) { p.order = order; });
  for (const char *type : {"f32", "f16", "i8"})
    add("type", type, [&](DynamicGenOptions &p) { p.type = type; });
  add("kernels", "for each group of 8 channels",
      [](DynamicGenOptions &p) { p.g = 8; });
  add("kernels", "one for all tokens",
      [](DynamicGenOptions &p) { p.oneKernel = true; });
  add("kernels", "of 64 taps", [](DynamicGenOptions &p) { p.w = 64; });
  add("kernels", "of more", [](DynamicGenOptions &p) { p.w = 65; });
  add("sequences", "packed, starts of i32",
      [](DynamicGenOptions &p) { p.starts = 5; });
  add("sequences", "packed, starts of i64", [](DynamicGenOptions &p) {
    p.starts = 5;
    p.wideStarts = true;
  });
  add("sequences", "with an initial state",
      [](DynamicGenOptions &p) { p.initialState = true; });
  return probes;
}

std::vector<ElementProbe> tools::makeElementProbes() {
  using enum ElementType;
  std::vector<ElementProbe> probes = {{F32}, {F32, /*tf32=*/true}};
  for (ElementType type :
       {F16, BF16, I8, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ})
    probes.push_back({type});
  return probes;
}
