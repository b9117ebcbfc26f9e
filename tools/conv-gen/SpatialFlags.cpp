//===- SpatialFlags.cpp - flags of one dimension ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpatialFlags.h"

using namespace conv;
using namespace conv::tools;

bool SpatialFlag::isUsed(const GenOptions &options) const {
  bool exists = int64_t(dimension) >= 3 - options.spatialRank;
  if (value == &GenOptions::outputPadding)
    return exists && options.mode == "trans";
  if (value == &GenOptions::low || value == &GenOptions::high)
    return exists && !usesPaddingSizes(options);
  return exists;
}

const std::vector<SpatialFlag> &tools::listSpatialFlags() {
  static const std::vector<SpatialFlag> flags = {
      {"--in_d", "Input depth (-!)", &GenOptions::input, 0, 1},
      {"-H,--in_h", "Input height", &GenOptions::input, 1, 1},
      {"-W,--in_w", "Input width", &GenOptions::input, 2, 1},
      {"--fil_d", "Filter depth (-@)", &GenOptions::filter, 0, 1},
      {"-y,--fil_h", "Filter height", &GenOptions::filter, 1, 1},
      {"-x,--fil_w", "Filter width", &GenOptions::filter, 2, 1},
      {"--conv_stride_d", "Stride along depth (-#)", &GenOptions::stride, 0, 1},
      {"-u,--conv_stride_h", "Stride along height", &GenOptions::stride, 1, 1},
      {"-v,--conv_stride_w", "Stride along width", &GenOptions::stride, 2, 1},
      {"--pad_d", "Padding before and after the depth (-$)", &GenOptions::low,
       0, 0},
      {"-p,--pad_h", "Padding before and after the height", &GenOptions::low, 1,
       0},
      {"-q,--pad_w", "Padding before and after the width", &GenOptions::low, 2,
       0},
      {"--pad_d_high", "Padding after the depth, where it differs (only here)",
       &GenOptions::high, 0, -1},
      {"--pad_h_high", "Padding after the height, where it differs (only here)",
       &GenOptions::high, 1, -1},
      {"--pad_w_high", "Padding after the width, where it differs (only here)",
       &GenOptions::high, 2, -1},
      {"--dilation_d", "Dilation along depth (-^)", &GenOptions::dilation, 0,
       1},
      {"-l,--dilation_h", "Dilation along height", &GenOptions::dilation, 1, 1},
      {"-j,--dilation_w", "Dilation along width", &GenOptions::dilation, 2, 1},
      {"--trans_output_pad_d",
       "Added to the output's depth with --mode trans "
       "(-%)",
       &GenOptions::outputPadding, 0, 0},
      {"-Y,--trans_output_pad_h",
       "Added to the output's height with --mode trans",
       &GenOptions::outputPadding, 1, 0},
      {"-X,--trans_output_pad_w",
       "Added to the output's width with --mode trans",
       &GenOptions::outputPadding, 2, 0},
  };
  return flags;
}
